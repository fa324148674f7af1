// A tier as a module, a block driver of the host: target of block sockets above, initiator to an SSD and an HDD below.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <systemc>

#include "controllers/tier/block_front.hpp"
#include "controllers/tier/tier.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

class TierController : public sc_core::sc_module {
 public:
  /// `config` must be validated and outlive it. `queues`: of the host, and of the SSD.
  TierController(const sc_core::sc_module_name& name, const TierConfig& config, const TierShape& shape,
                 std::uint32_t queues);
  ~TierController() override;

  BlockTargetSocket& target(std::uint32_t queue) { return front_.target(queue); }
  BlockInitiatorSocket& cache(std::uint32_t queue) { return cache_.socket(queue); }
  BlockInitiatorSocket& home() { return home_.socket(0); }
  /// All commands to the SSD.
  BlockPort& cache_port() { return cache_; }

  /// Capacity for the host: whole segments of the HDD, less the metadata.
  std::uint64_t capacity_bytes() const { return std::uint64_t{layout_.segments} * config_.segment; }
  const TierLayout& layout() const { return layout_; }
  /// Null while the power is off.
  const Tier* tier() const { return tier_.get(); }
  const TierStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }

  /// A maintenance pass; `done` (may be empty) is called when it has ended. None while the power is off.
  void start_pass(std::function<void()> done = {});
  /// Orderly shutdown, then calls `done`. Afterwards only power_cut() may be called.
  void stop(std::function<void()> done);
  /// Power fails now: open requests fail, all volatile state is lost. Called before the devices' own power_cut().
  void power_cut();
  /// Power is back, and both devices serve: recovers; then `ready`.
  void power_on(std::function<void()> ready);

  void on_failure(std::function<void(std::exception_ptr)> handler) { runtime_.on_failure(std::move(handler)); }
  /// Calls the function at each step of the tier, with the segment that the step is about, if there is one.
  void on_step(std::function<void(TierStep, Segment)> observer) { on_step_ = std::move(observer); }

 private:
  std::unique_ptr<Tier> make_tier();
  void submit(IoCommand& command);
  Task<void> serve(IoCommand& command);
  Task<void> pass(std::function<void()> done);
  Task<void> stop_tier(std::function<void()> done);
  Task<void> start_tier(std::function<void()> ready);

  const TierConfig& config_;
  TierShape shape_;
  TierLayout layout_;
  TierStatistics statistics_;
  Runtime runtime_;
  TimerQueue timers_;
  BlockPort cache_;
  BlockPort home_;
  BlockFront front_;
  TierContents contents_;
  std::function<void(TierStep, Segment)> on_step_;
  std::unique_ptr<Tier> tier_;
};

}  // namespace flashloom
