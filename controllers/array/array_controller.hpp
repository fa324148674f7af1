// An array as a SystemC module: target of the block sockets above, initiator towards each drive below. It models a
// block driver of the host system.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/array/array.hpp"
#include "controllers/tier/block_front.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

class ArrayController : public sc_core::sc_module {
 public:
  /// `config` must be validated; `config` and `turns` (may be null) must outlive the module. `queues`: of the host, and
  /// of each drive.
  ArrayController(const sc_core::sc_module_name& name, const ArrayConfig& config, const ArrayShape& shape,
                  std::uint32_t queues, CollectionTurns* turns);
  ~ArrayController() override;

  BlockTargetSocket& target(std::uint32_t queue) { return front_.target(queue); }
  /// Port to a drive; the spare, if any, comes last.
  BlockPort& drive(std::uint32_t number) { return *ports_[number]; }
  std::uint32_t drives() const { return static_cast<std::uint32_t>(ports_.size()); }
  /// Port to the host's NVRAM; must be bound if the array has a journal or bitmap.
  MemoryPort* nvram() { return nvram_.get(); }

  std::uint64_t capacity_bytes() const { return layout_.capacity(); }
  const ArrayLayout& layout() const { return layout_; }
  /// Null while the power is off.
  const Array* array() const { return array_.get(); }
  const ArrayMedia& media() const { return media_; }
  const ArrayStatistics& statistics() const { return statistics_; }
  const ArrayRebuild& rebuild() const { return rebuild_; }
  const TierTraffic& traffic(std::uint32_t drive) const { return traffic_[drive]; }
  void reset_statistics();

  /// Starts background work; called when the timed clock begins.
  void begin();
  /// Cuts the power now: open requests fail, and memory content is lost. To be called before the drives' own
  /// power_cut().
  void power_cut();
  /// Power is back and all drives serve requests: recovers, then calls `ready`.
  void power_on(std::function<void()> ready);

  void on_failure(std::function<void(std::exception_ptr)> handler) { runtime_.on_failure(std::move(handler)); }
  /// Calls `observer` at each step of the array.
  void on_step(std::function<void(ArrayStep)> observer) { on_step_ = std::move(observer); }

 private:
  std::unique_ptr<Array> make_array();
  void submit(IoCommand& command);
  Task<void> serve(IoCommand& command);
  Task<void> start_array(std::function<void()> ready);

  const ArrayConfig& config_;
  ArrayShape shape_;
  ArrayLayout layout_;
  CollectionTurns* turns_;
  ArrayStatistics statistics_;
  ArrayRebuild rebuild_;
  Runtime runtime_;
  TimerQueue timers_;
  std::vector<TierTraffic> traffic_;
  std::vector<std::unique_ptr<BlockPort>> ports_;
  std::unique_ptr<MemoryPort> nvram_;
  BlockFront front_;
  ArrayMedia media_;
  std::function<void(ArrayStep)> on_step_;
  std::unique_ptr<Array> array_;
  std::unique_ptr<Array> cut_array_;  // kept until power_on(): drives on capacitors still access its memory
};

}  // namespace flashloom
