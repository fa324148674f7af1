// A core with DVFS and sleep: first come, first served, without an event of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/cpu/core_server.hpp"
#include "models/cpu/cpu_config.hpp"

namespace flashloom {

/// The configured operating points with their powers; without any, the single point of the configuration.
std::vector<OperatingPoint> operating_points(const CpuConfig& config);

/// Serves jobs in order of arrival, with the same calls as CoreServer; a job's duration is given in cycles, and a job
/// runs to its end at the clock frequency at which it began.
///
/// Governor "ondemand": at each multiple of the sampling interval the busy share of the past sample decides: at
/// up_threshold or above the core takes the fastest point, at down_threshold or below the next slower one (Pallipadi
/// and Starikovskiy, "The ondemand governor", Linux Symposium 2006, with one step down). The change waits for the end
/// of the job under way; then the core stalls for transition_latency.
///
/// Sleep: a core idle for sleep_time draws sleep_power until a job arrives, which begins wake_latency later.
///
/// None of this needs an event: idle time is worked out when a job arrives, or when the books are closed. That is
/// exact, since between two jobs only the past decides what happens, and while jobs queue the core is busy. The end of
/// a pending job (its arrival lies ahead) is not known, so announce() returns its earliest possible end, and finished()
/// sets the true one once it is known.
///
/// States of the meter, in this order: for point 0, 1, ... "pN_idle" and "pN_busy" (for a single point "idle" and
/// "busy"), then "sleep". Wake-up and clock changes count as idle.
class GovernedCore {
 public:
  using Job = CoreServer::Job;

  /// All arguments must outlive this. The meter has the states of power_figures().
  GovernedCore(const CpuConfig& config, const std::vector<OperatingPoint>& points, EnergyMeter& meter,
               const ServiceReport& report);
  static PowerFigures power_figures(const CpuConfig& config, const std::vector<OperatingPoint>& points);

  Picoseconds announce(Job& job, Picoseconds now);
  Picoseconds reserve(Picoseconds now, std::uint64_t cycles, std::uint32_t tag);
  bool finished(const Job& job, Picoseconds now);
  void settle(Picoseconds now);
  void drop_all(Picoseconds now);

  /// Power is off in [from, to): afterwards the core is awake, and idle since `to`.
  void power_off(Picoseconds from, Picoseconds to);
  /// Books everything until `end`.
  void close(Picoseconds end);

  Picoseconds free_at() const { return free_; }
  /// When all announced jobs are done at the present clock.
  Picoseconds done_at() const;
  Picoseconds busy_time() const { return busy_; }
  std::uint32_t point() const { return point_; }
  std::uint64_t transitions() const { return transitions_; }
  std::uint64_t sleeps() const { return sleeps_; }

 private:
  Picoseconds serve(Picoseconds arrival, std::uint64_t cycles, std::uint32_t tag);
  Picoseconds govern(Picoseconds start);
  void begin_gap(Picoseconds arrival);
  void idle_until(Picoseconds to);
  void book(std::uint32_t state, Picoseconds from, Picoseconds to);
  // Busy time before `at`, which must not lie before the start of the last job.
  Picoseconds busy_before(Picoseconds at) const { return busy_ - (free_ > at ? free_ - at : 0); }

  const CpuConfig& config_;
  const std::vector<OperatingPoint>& points_;
  EnergyMeter& meter_;
  const ServiceReport& report_;
  Picoseconds up_;  // busy time of a sample at up_threshold
  Picoseconds down_;
  std::uint32_t point_;
  Picoseconds free_ = 0;       // end of the last job, or of the last power-off
  Picoseconds accounted_ = 0;  // the meter is complete until then
  Picoseconds busy_ = 0;
  Picoseconds sleep_from_ = kNever;  // of the idle interval being booked
  Picoseconds sleep_to_ = kNever;
  Picoseconds next_sample_;
  Picoseconds busy_at_sample_ = 0;
  std::uint64_t transitions_ = 0;
  std::uint64_t sleeps_ = 0;
  Job* head_ = nullptr;  // pending, by arrival
};

}  // namespace flashloom
