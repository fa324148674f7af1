// An object heap: its NVM, its processes, and the SSD to which it swaps.
#pragma once

#include <functional>
#include <memory>

#include "controllers/host/heap_processes.hpp"
#include "controllers/host/host_statistics.hpp"
#include "models/memory/memory_model.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

/// The layout of a heap on a device of that capacity.
HeapLayout heap_layout(const DeviceConfig& config, std::uint64_t device_bytes);

class HeapSystem {
 public:
  /// `config` must be validated and have a heap. Binds to all queues of `ssd`. `oracle` (may be null) covers the heap's
  /// address space.
  HeapSystem(const DeviceConfig& config, Ssd& ssd, Oracle* oracle);

  ObjectHeap& heap() { return heap_; }
  HeapProcesses& processes() { return *processes_; }
  const MemoryModel& nvram() const { return nvram_; }
  /// Whether the processes have ended; an audit may still be running.
  bool finished() const { return processes_->finished(); }

  void power_lost();
  void power_back();
  void reset_statistics();

  /// Duration of the setup, and pages swapped out and in during it; 0 without a setup.
  struct Setup {
    Picoseconds time = 0;
    std::uint64_t swapped_out = 0;
    std::uint64_t swapped_in = 0;
  };
  const Setup& setup() const { return setup_; }
  /// Requests to the SSD since reset_statistics().
  HostTotals device_totals() const;

  /// Begins to read every object; calls `done` at the end. Returns the number of sectors.
  std::uint64_t audit(std::function<void()> done);
  /// Sectors that the audit found lost; valid after its end.
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
