// Access of a tier or array to one of its devices: commands on the device's block sockets, awaited in groups.
#pragma once

#include <coroutine>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "controllers/runtime/runtime.hpp"
#include "controllers/tier/tier_statistics.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

/// The largest command of a copy, and of metadata.
inline constexpr std::uint64_t kTransferBytes = 512 << 10;

class BlockPort;
class TransferGroup;

/// A command to a device, with the memory of its tokens.
struct BlockTransfer final : IoCommand, Timer {
  BlockPort* port = nullptr;
  TransferGroup* group = nullptr;  ///< the group that awaits it; null: it is free, or power was cut
  BlockTransfer* next_in_group = nullptr;
  bool in_device = false;
  std::uint64_t load = 0;  ///< bytes of the port's commands in flight when it was submitted, including its own
  std::vector<SectorToken> contents;

  void on_timer() override;
  /// Copies its `sectors` tokens into `contents`, so that it no longer uses the memory of the submitter.
  void own_tokens(std::size_t sectors);
};

class BlockPort final : private BlockBackward {
 public:
  /// `traffic` outlives it.
  BlockPort(const std::string& name, std::uint32_t queues, std::uint32_t sector_bytes, TimerQueue& timers,
            TierTraffic& traffic);

  BlockInitiatorSocket& socket(std::uint32_t queue) { return *sockets_[queue]; }
  /// Detaches all transfers in flight from their waiters; each keeps its own copy of its tokens, which a device on its
  /// capacitors may still take. Called before the device's power_cut(), before the frames that submitted the transfers
  /// are destroyed, and after `timers` has been emptied.
  void power_lost();
  /// Detaches all transfers from their waiters, for an owner that ends.
  void forget();
  /// The device fails at `at`: each command from then on fails with a media error.
  void fail_at(Picoseconds at) { fails_at_ = at; }
  /// From now on `device` stands in for the device: it carries out each command at once and returns the time after
  /// which the command completes. Empty: the device itself again.
  void answer_by(std::function<Picoseconds(BlockTransfer&)> device) { stands_in_ = std::move(device); }
  /// Commands submitted and not completed.
  std::uint32_t in_flight() const { return in_flight_; }
  /// Calls the function with each command that has completed and is awaited.
  void on_complete(std::function<void(const BlockTransfer&)> observer) { on_complete_ = std::move(observer); }

 private:
  friend class TransferGroup;
  friend struct BlockTransfer;
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  BlockTransfer& take(IoOperation operation, std::uint16_t queue);
  void submit(BlockTransfer& transfer);

  std::vector<std::unique_ptr<BlockInitiatorSocket>> sockets_;
  std::uint32_t sector_bytes_;
  TimerQueue& timers_;
  TierTraffic& traffic_;
  std::deque<BlockTransfer> transfers_;
  std::vector<BlockTransfer*> free_;
  Picoseconds fails_at_ = kNever;
  std::function<Picoseconds(BlockTransfer&)> stands_in_;
  std::uint32_t in_flight_ = 0;
  std::uint64_t load_ = 0;  // bytes of those
  std::function<void(const BlockTransfer&)> on_complete_;
};

/// Transfers that a coroutine awaits together: `co_await group`. Lives in its frame.
class TransferGroup {
 public:
  TransferGroup() = default;
  TransferGroup(const TransferGroup&) = delete;
  TransferGroup& operator=(const TransferGroup&) = delete;
  ~TransferGroup() { release(); }

  /// Submits a command. `like` (may be null) is the host's request that it is for.
  BlockTransfer& submit(BlockPort& port, IoOperation operation, std::uint64_t offset, std::uint64_t length,
                        SectorToken* tokens, const IoCommand* like = nullptr, bool fua = false);
  /// The same for a read into memory of its own, for `sectors` tokens; 0: none are kept.
  BlockTransfer& read(BlockPort& port, std::uint64_t offset, std::uint64_t length, std::size_t sectors);

  bool await_ready() const noexcept { return open_ == 0; }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    runtime_ = &Runtime::current();
  }
  void await_resume() const noexcept {}

  /// Ok if all transfers (of `port`, if given) were; else the status of the first one that failed.
  IoStatus status(const BlockPort* port = nullptr) const;
  /// Charges a request that has waited for the group with the breakdown of the transfer that completed last.
  void charge(LatencyBreakdown& breakdown) const;
  /// Returns the transfers to their ports; the group is empty again.
  void release();

 private:
  friend struct BlockTransfer;
  BlockTransfer& add(BlockTransfer& transfer);

  BlockTransfer* first_ = nullptr;
  std::uint32_t open_ = 0;
  std::coroutine_handle<> waiter_{};
  Runtime* runtime_ = nullptr;
};

}  // namespace flashloom
