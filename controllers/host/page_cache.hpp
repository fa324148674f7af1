// The page cache of the host system, between the host's driver (as its target) and a block device (as its initiator).
// Write-back: the replacement policy chooses victims, a daemon writes dirty pages that are old or too many, a flush
// (fsync) writes all of them. docs/reference/host_cache.md has the rules.
#pragma once

#include <boost/intrusive/list.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <vector>

#include "controllers/host/cached_pages.hpp"
#include "controllers/host/host_config.hpp"
#include "controllers/host/oracle.hpp"
#include "controllers/host/page_cache_statistics.hpp"
#include "controllers/host/page_transfer.hpp"
#include "controllers/runtime/runtime.hpp"
#include "controllers/runtime/task.hpp"
#include "controllers/runtime/wait_list.hpp"
#include "models/block/block_protocol.hpp"
#include "models/common/timer_queue.hpp"

namespace flashloom {

class PageCache : public sc_core::sc_module, private BlockForward, private BlockBackward {
 public:
  struct Shape {
    std::uint32_t queues = 1;
    std::uint32_t sector_bytes = 512;
    std::uint64_t capacity_bytes = 0;   ///< of the device
    std::uint32_t discard_bytes = 512;  ///< granularity of the device's trims; partly covered units are unchanged; 0:
                                        ///< trims change nothing
    Oracle* oracle = nullptr;           ///< of `verify`: contents are kept, and it is told of pages that are given up
  };
  PageCache(const sc_core::sc_module_name& name, const HostCacheConfig& config, const Shape& shape);
  ~PageCache() override;

  BlockTargetSocket& target(std::uint32_t queue) { return *targets_[queue]; }
  BlockInitiatorSocket& initiator(std::uint32_t queue) { return *initiators_[queue]; }

  /// Writes all dirty pages back: an unmount.
  void sync();
  /// The device loses power: requests under way fail, clean pages are dropped, dirty ones stay. Called before the
  /// device's own power_cut().
  void power_lost();
  void power_back();
  void on_failure(std::function<void(std::exception_ptr)> handler) { runtime_.on_failure(std::move(handler)); }

  const PageCacheStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = {}; }
  const CachedPages& pages() const { return pages_; }
  /// Pages whose write-back is under way.
  std::uint32_t writing() const { return writing_; }

 private:
  struct Request;
  /// Lets the replacement policy ask the device for the cost of a write.
  class WriteCosts final : public CostOracle {
   public:
    explicit WriteCosts(const PageCache& cache) : cache_(cache) {}
    bool overwrites(std::uint64_t page) const override;

   private:
    const PageCache& cache_;
  };
  struct Submission {
    PageCache& cache;
    PageTransfer& transfer;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const;
    void await_resume() const noexcept {}
  };
  using Transfers = boost::intrusive::list<PageTransfer, boost::intrusive::constant_time_size<false>>;

  tlm::tlm_sync_enum nb_transport_fw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void b_transport(IoCommand& command, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(IoCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(IoCommand& command) override { return (*initiators_[0])->transport_dbg(command); }
  tlm::tlm_sync_enum nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  Task<void> serve(IoCommand& command);
  Task<void> transfer_data(IoCommand& command, std::uint64_t epoch);
  Task<void> wait_for_room(IoCommand& command, std::uint32_t pages, std::uint64_t epoch);
  Task<void> flush(IoCommand& command, std::uint64_t epoch);
  Task<void> write_range(std::uint64_t begin, std::uint64_t end, std::uint64_t epoch);
  Task<void> trim(IoCommand& command, std::uint64_t epoch);
  Task<void> pass_on(IoCommand& command, IoOperation operation, std::uint64_t epoch);
  Task<void> write_all(std::uint64_t order, std::uint64_t epoch);
  Task<void> write_back(PageTransfer& transfer);
  Task<void> fetch(PageTransfer& transfer);
  Task<void> daemon();

  void decide(IoCommand& command, Request& request, std::uint64_t first, std::uint32_t pages);
  void copy(IoCommand& command, Slot slot);
  void finish(IoCommand& command, Request& request);
  bool covers(const IoCommand& command, std::uint32_t page) const;
  std::uint64_t begin_of(std::uint64_t page) const { return page * page_bytes_; }
  std::uint32_t bytes_of(std::uint64_t page) const;
  void write_run_around(Slot slot, WriteBackCause cause);
  void write_pages(std::vector<Slot>& slots, WriteBackCause cause);
  void start_write(const Slot* slots, std::size_t count, WriteBackCause cause);
  void start_fetches(IoCommand& command, Request& request);
  void clean_in_background();
  std::uint32_t unwritten() const { return pages_.dirty() + writing_; }

  PageTransfer& take_transfer(IoOperation operation, std::uint16_t queue);
  Request& take_request();
  static void charge(IoCommand& command, const PageTransfer& transfer);

  HostCacheConfig config_;
  Shape shape_;
  std::uint32_t page_bytes_;
  std::uint32_t page_sectors_;
  std::uint32_t chunk_;             // pages of a request that are served at once
  std::uint32_t most_;              // most pages of one request to the device
  std::uint32_t background_limit_;  // dirty pages at which the daemon writes
  std::uint32_t hard_limit_;        // pages dirty or being written at which writers wait
  WriteCosts costs_{*this};
  CachedPages pages_;
  Runtime runtime_;
  TimerQueue timers_;
  std::vector<std::unique_ptr<BlockTargetSocket>> targets_;
  std::vector<std::unique_ptr<BlockInitiatorSocket>> initiators_;
  std::deque<PageTransfer> transfers_;
  std::vector<PageTransfer*> free_transfers_;
  std::deque<Request> requests_;
  std::vector<Request*> free_requests_;
  Transfers writes_;              // under way, in the order of their issue
  std::uint64_t last_write_ = 0;  // number given
  std::uint32_t writing_ = 0;     // pages
  std::uint32_t background_ = 0;  // requests of the daemon under way
  std::vector<Slot> left_;        // evicted pages that must be written now
  std::vector<Slot> batch_;
  std::uint32_t queue_ = 0;  // of the next write-back
  bool daemon_ = false;
  bool powered_ = true;
  std::uint64_t epoch_ = 0;        // power cuts
  IoStatus error_ = IoStatus::Ok;  // of a write-back, not yet reported by a flush
  WaitList power_;
  WaitList written_;
  WaitList room_;
  // A trim uses the cache exclusively.
  std::uint32_t active_ = 0;
  bool exclusive_ = false;
  WaitList turn_;
  PageCacheStatistics statistics_;
};

}  // namespace flashloom
