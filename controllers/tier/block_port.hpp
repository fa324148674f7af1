// The way of a tier, or of an array, to one of its devices: commands on the device's block sockets, awaited in groups.
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

/// A command to a device, its tokens' memory with it.
struct BlockTransfer final : IoCommand, Timer {
  BlockPort* port = nullptr;
  TransferGroup* group = nullptr;  ///< that awaits it; null: it is free, or the power is gone
  BlockTransfer* next_in_group = nullptr;
  bool in_device = false;
  std::uint64_t load = 0;  ///< bytes of the port's commands under way when it was submitted, its own included
  std::vector<SectorToken> contents;

  void on_timer() override;
  /// Its `sectors` tokens are in `contents` from now on, whoever's memory they were in.
  void own_tokens(std::size_t sectors);
};

class BlockPort final : private BlockBackward {
 public:
  /// `traffic` outlives it.
  BlockPort(const std::string& name, std::uint32_t queues, std::uint32_t sector_bytes, TimerQueue& timers,
            TierTraffic& traffic);

  BlockInitiatorSocket& socket(std::uint32_t queue) { return *sockets_[queue]; }
  /// All transfers under way are no longer awaited, and keep what a device on its capacitors may yet take of them.
  /// Before the device's own power_cut(), before the frames that submitted them are gone, and with `timers` emptied.
  void power_lost();
  /// No transfer is awaited any more, by whoever ends for good.
  void forget();
  /// The device breaks down at `at`: each command from then on fails with a media error.
  void fail_at(Picoseconds at) { fails_at_ = at; }
  /// In place of the device `device` carries each command out, at once, and says how long that takes: the command
  /// completes then. Empty: the device itself, of commands from now on.
  void answer_by(std::function<Picoseconds(BlockTransfer&)> device) { stands_in_ = std::move(device); }
  /// Commands that the device has, or will answer yet.
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

  /// Ok if all were; else what the first one that failed says, of `port` if one is given.
  IoStatus status(const BlockPort* port = nullptr) const;
  /// The time of a request that has waited for them is that of the one that completed last.
  void charge(LatencyBreakdown& breakdown) const;
  /// The transfers may be used for others; the group is empty again.
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
