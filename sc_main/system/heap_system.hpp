// An object heap put together: its NVM, its processes, and the SSD that it swaps to.
#pragma once

#include <functional>
#include <memory>

#include "controllers/host/heap_processes.hpp"
#include "controllers/host/host_statistics.hpp"
#include "models/memory/memory_model.hpp"
#include "sc_main/config/device_config.hpp"
#include "sc_main/system/ssd.hpp"

namespace flashloom {

/// What of a heap fits on a device of that capacity.
HeapLayout heap_layout(const DeviceConfig& config, std::uint64_t device_bytes);

class HeapSystem {
 public:
  /// `config` must be validated, with a heap. Binds to all queues of `ssd`. `oracle` (may be null) is of the heap's
  /// address space.
  HeapSystem(const DeviceConfig& config, Ssd& ssd, Oracle* oracle);

  ObjectHeap& heap() { return heap_; }
  HeapProcesses& processes() { return *processes_; }
  const MemoryModel& nvram() const { return nvram_; }
  /// The processes have ended: what goes on is an audit.
  bool finished() const { return processes_->finished(); }

  void power_lost();
  void power_back();
  void reset_statistics();

  /// Pages swapped out and in, and the time, until the setup was over; all of it is 0 without one.
  struct Setup {
    Picoseconds time = 0;
    std::uint64_t swapped_out = 0;
    std::uint64_t swapped_in = 0;
  };
  const Setup& setup() const { return setup_; }
  /// What the device was asked for since reset_statistics().
  HostTotals device_totals() const;

  /// Begins to read every object; `done` is called when that is over. Returns the number of sectors.
  std::uint64_t audit(std::function<void()> done);
  /// Of them, those that are lost. When the audit is over.
  std::uint64_t unreadable_sectors() const;

 private:
  const DeviceConfig& config_;
  Oracle* oracle_;
  MemoryModel nvram_;
  ObjectHeap heap_;
  std::unique_ptr<HeapProcesses> processes_;
  std::unique_ptr<HeapProcesses> auditor_;
  Setup setup_;
};

}  // namespace flashloom
