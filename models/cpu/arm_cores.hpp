// The controller's ARM cores: firmware steps cost cycles, and queue for their core first come, first served.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "models/common/fifo_server.hpp"
#include "models/common/service_observer.hpp"
#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"
#include "models/cpu/cpu_config.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Cores that share no work: each step has its core (CpuConfig). A core is exact first-come-first-served, by the time
/// that a step is ready; no event of its own. With `ideal`, steps end as they arrive, and nothing is accounted.
///
/// Energy: a component "cpu.coreN" each (kind "cpu", states idle and busy, row "cpu"). The cores must live until the
/// ledger is finished.
class ArmCores : public sc_core::sc_module {
 public:
  /// Books the service of a core as state "busy".
  struct CoreBusy {
    EnergyMeter* meter = nullptr;
    const ServiceReport* report = nullptr;
    void operator()(Picoseconds start, Picoseconds end, std::uint32_t tag) const {
      if (start == end) return;
      meter->busy(1, start, end);
      (*report)(tag, 0, start, end);
    }
  };
  using Core = FifoServer<CoreBusy>;
  using Job = Core::Job;

  /// Throws std::invalid_argument for no core or no clock (unless ideal).
  ArmCores(const sc_core::sc_module_name& name, const CpuConfig& config, EnergyLedger& ledger);

  bool ideal() const { return ideal_; }
  std::uint32_t cores() const { return static_cast<std::uint32_t>(cores_.size()); }
  std::uint32_t core_of(FirmwareStep step) const { return core_of_[index(step)]; }

  /// Time that `n` times `step` keep a core busy: cycles / clock, rounded up to a tick.
  Picoseconds duration(FirmwareStep step, std::uint32_t n = 1) const {
    if (n == 1) return once_[index(step)];
    const std::uint64_t cycles = std::uint64_t{cycles_[index(step)]} * n;
    return period_ != 0 ? cycles * period_ : ideal_ ? 0 : transfer_time(cycles, clock_);
  }

  /// Queues `n` times `step`, ready at `arrival` >= now; returns the predicted end (see FifoServer).
  Picoseconds announce(Job& job, FirmwareStep step, std::uint32_t n, Picoseconds arrival) {
    return announce_work(job, step, duration(step, n), arrival);
  }

  /// What an observer is told of work: its first step and, where two are one piece of work, the second.
  static std::uint32_t tag(FirmwareStep step, FirmwareStep also = FirmwareStep::Count) {
    return static_cast<std::uint32_t>(index(step)) | static_cast<std::uint32_t>(index(also)) << 8;
  }
  static FirmwareStep first_step(std::uint32_t tag) { return static_cast<FirmwareStep>(tag & 0xff); }
  static FirmwareStep second_step(std::uint32_t tag) { return static_cast<FirmwareStep>(tag >> 8); }

  /// Tells `observer` the work of each core: `what` is a tag(), the resource `first` + number of the core.
  void attach(ServiceObserver& observer, std::uint32_t first) {
    for (std::uint32_t core = 0; core < cores(); ++core) reports_[core].attach(observer, first + core);
  }

  /// Queues work that takes `duration` on the core of `step`: several steps as one, tagged so.
  Picoseconds announce_work(Job& job, FirmwareStep step, Picoseconds duration, Picoseconds arrival,
                            FirmwareStep also = FirmwareStep::Count) {
    job.tag = tag(step, also);
    job.arrival = arrival;
    job.duration = duration;
    if (ideal_) return job.end = arrival;
    return cores_[core_of(step)].announce(job, kernel_now());
  }

  /// Whether the announced `job` of `step` has ended; if not, wait again until job.end.
  bool finished(const Job& job, FirmwareStep step) {
    if (ideal_) return job.end <= kernel_now();
    return cores_[core_of(step)].finished(job, kernel_now());
  }

  /// `n` times `step`, ready now; returns the end, which is final.
  Picoseconds reserve(FirmwareStep step, std::uint32_t n = 1) {
    const Picoseconds now = kernel_now();
    return ideal_ ? now : cores_[core_of(step)].reserve(now, duration(step, n), tag(step));
  }

  /// Power cut now: all steps are dropped.
  void drop_all();

  /// Share of [0, end) that `core` was busy, end >= now.
  double utilization(std::uint32_t core, Picoseconds end);

 private:
  static std::size_t index(FirmwareStep step) { return static_cast<std::size_t>(step); }

  bool ideal_;
  std::uint64_t clock_;
  Picoseconds period_ = 0;  // of the clock, if it is a whole number of ticks
  std::array<std::uint32_t, kFirmwareSteps> cycles_;
  std::array<Picoseconds, kFirmwareSteps> once_{};
  std::array<std::uint32_t, kFirmwareSteps> core_of_{};
  std::vector<Core> cores_;
  std::vector<EnergyMeter*> meters_;
  std::deque<ServiceReport> reports_;  // by core
};

}  // namespace flashloom
