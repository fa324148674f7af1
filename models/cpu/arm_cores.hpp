// The controller's ARM cores: firmware steps cost cycles, and queue for their core first come, first served.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "models/common/service_observer.hpp"
#include "models/common/timer_queue.hpp"
#include "models/common/types.hpp"
#include "models/cpu/core_server.hpp"
#include "models/cpu/cpu_config.hpp"
#include "models/cpu/governed_core.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Each step runs on its core, or on one of several (CpuConfig). A core serves steps exactly first come, first served,
/// by the time at which a step is ready; it needs no event. With `ideal`, steps take no time and are not accounted.
/// With operating points or sleep the cores are GovernedCores.
///
/// Energy: a component "cpu.coreN" each (kind "cpu", states idle and busy, or those of GovernedCore, row "cpu"). The
/// cores must live until the ledger is finished.
class ArmCores : public sc_core::sc_module {
 public:
  using Job = CoreServer::Job;

  /// Throws std::invalid_argument if there is no core or no clock, or a step names a missing core (unless ideal).
  ArmCores(const sc_core::sc_module_name& name, const CpuConfig& config, EnergyLedger& ledger);

  bool ideal() const { return ideal_; }
  std::uint32_t cores() const { return static_cast<std::uint32_t>(reports_.size()); }
  /// The core of a step, or the first of them.
  std::uint32_t core_of(FirmwareStep step) const { return core_of_[index(step)]; }

  /// Duration of `n` times `step` as a core takes it: cycles / clock, rounded up to a tick; with operating points or
  /// sleep it is the number of cycles.
  Picoseconds duration(FirmwareStep step, std::uint32_t n = 1) const {
    if (n == 1) return once_[index(step)];
    const std::uint64_t cycles = std::uint64_t{cycles_[index(step)]} * n;
    return period_ != 0 ? cycles * period_ : ideal_ ? 0 : transfer_time(cycles, clock_);
  }

  /// Queues `n` times `step`, ready at `arrival` >= now; returns the predicted end (see FifoServer, GovernedCore).
  Picoseconds announce(Job& job, FirmwareStep step, std::uint32_t n, Picoseconds arrival) {
    return announce_work(job, step, duration(step, n), arrival);
  }

  /// Tag of work for observers: its first step and, if it combines two steps, the second.
  static std::uint32_t tag(FirmwareStep step, FirmwareStep also = FirmwareStep::Count) {
    return static_cast<std::uint32_t>(index(step)) | static_cast<std::uint32_t>(index(also)) << 8;
  }
  static FirmwareStep first_step(std::uint32_t tag) { return static_cast<FirmwareStep>(tag & 0xff); }
  static FirmwareStep second_step(std::uint32_t tag) { return static_cast<FirmwareStep>(tag >> 8); }

  /// Reports the work of each core to `observer`: `what` is a tag(), the resource is `first` + the core's number.
  void attach(ServiceObserver& observer, std::uint32_t first) {
    for (std::uint32_t core = 0; core < cores(); ++core) reports_[core].attach(observer, first + core);
  }

  /// Queues work of `duration` on a core of `step`; `also`: second step of combined work, for the tag. `key` selects
  /// the core with cpu.spread = "affinity".
  Picoseconds announce_work(Job& job, FirmwareStep step, Picoseconds duration, Picoseconds arrival,
                            FirmwareStep also = FirmwareStep::Count, std::uint32_t key = 0) {
    job.tag = tag(step, also);
    job.arrival = arrival;
    job.duration = duration;
    if (ideal_) return job.end = arrival;
    job.server = core_for(step, key);
    if (!governed_.empty()) [[unlikely]]
      return governed_[job.server].announce(job, kernel_now());
    return cores_[job.server].announce(job, kernel_now());
  }

  /// Whether the announced `job` has ended; if not, wait again until job.end.
  bool finished(const Job& job) {
    if (ideal_) return job.end <= kernel_now();
    if (!governed_.empty()) [[unlikely]]
      return governed_[job.server].finished(job, kernel_now());
    return cores_[job.server].finished(job, kernel_now());
  }

  /// `n` times `step`, ready now; returns the end, which is final.
  Picoseconds reserve(FirmwareStep step, std::uint32_t n = 1, std::uint32_t key = 0) {
    const Picoseconds now = kernel_now();
    if (ideal_) return now;
    const std::uint32_t core = core_for(step, key);
    if (!governed_.empty()) [[unlikely]]
      return governed_[core].reserve(now, duration(step, n), tag(step));
    return cores_[core].reserve(now, duration(step, n), tag(step));
  }

  /// Power figures of one core.
  static PowerFigures power_figures(const CpuConfig& config);

  /// Power cut now: all steps are dropped.
  void drop_all();

  /// Share of [0, end) that `core` was busy, end >= now.
  double utilization(std::uint32_t core, Picoseconds end);

  bool governed() const { return !governed_.empty(); }
  const std::vector<OperatingPoint>& points() const { return points_; }
  struct Activity {
    std::uint64_t transitions = 0;  ///< changes of the operating point
    std::uint64_t sleeps = 0;
  };
  /// Activity of a governed core since reset_counters().
  Activity activity(std::uint32_t core) const;
  void reset_counters();

 private:
  static constexpr std::size_t kGroups = 3;  // host, FTL, flash
  static std::size_t index(FirmwareStep step) { return static_cast<std::size_t>(step); }
  static std::size_t group_of(FirmwareStep step);
  std::uint32_t core_for(FirmwareStep step, std::uint32_t key) {
    if (spread_) [[unlikely]]
      return core_in_group(step, key);
    return core_of_[index(step)];
  }
  std::uint32_t core_in_group(FirmwareStep step, std::uint32_t key);
  Picoseconds done_at(std::uint32_t core) const {
    return governed_.empty() ? cores_[core].done_at() : governed_[core].done_at();
  }

  bool ideal_;
  bool spread_ = false;
  bool affinity_;
  bool least_loaded_;
  std::uint64_t clock_;
  Picoseconds period_ = 0;  // of the clock, if it is a whole number of ticks, else 0
  std::array<std::uint32_t, kFirmwareSteps> cycles_;
  std::array<Picoseconds, kFirmwareSteps> once_{};
  std::array<std::uint32_t, kFirmwareSteps> core_of_{};
  std::vector<CoreServer> cores_;
  std::deque<GovernedCore> governed_;  // replace the FifoServers
  std::array<std::vector<std::uint32_t>, kGroups> groups_;
  std::array<std::uint32_t, kGroups> turn_{};
  std::vector<EnergyMeter*> meters_;
  std::deque<ServiceReport> reports_;  // by core
  CpuConfig config_;
  std::vector<OperatingPoint> points_;
  std::vector<Activity> before_;
};

}  // namespace flashloom
