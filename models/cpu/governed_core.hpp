// A core whose clock changes (DVFS) and that sleeps: first come, first served, without an event of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/cpu/core_server.hpp"
#include "models/cpu/cpu_config.hpp"

namespace flashloom {

/// The points of a configuration with their powers worked out; of one without points its only one.
std::vector<OperatingPoint> operating_points(const CpuConfig& config);

/// Serves jobs in the order of their arrivals, as CoreServer does and with the same calls; a job's duration is given in
/// cycles, and a piece of work runs to its end at the clock at which it began.
///
/// Governor "ondemand": at each multiple of the sampling interval the busy share of the sample behind decides: at
/// up_threshold or above the fastest point is taken, at down_threshold or below the next slower one (Pallipadi and
/// Starikovskiy, "The ondemand governor", Linux Symposium 2006, with one step down). The change waits for the end of
/// the work under way; then the core stands still for transition_latency.
///
/// Sleep: a core that has idled for sleep_time draws sleep_power until work arrives, which begins wake_latency later.
///
/// Nothing wakes for all this: what became of idle time is worked out when work comes, or when the books are closed.
/// That is exact, since between two pieces of work nothing happens but what the past decides, and behind a backlog the
/// core is busy. The end of work that is pending (its arrival lies ahead) is not known, so announce() tells the
/// earliest that is possible, and finished() gives the true one when it has come.
///
/// States of the meter, in this order: for point 0, 1, ... "pN_idle" and "pN_busy" (of a single point "idle" and
/// "busy"), then "sleep". Waking and changing the clock are idle.
class GovernedCore {
 public:
  using Job = CoreServer::Job;

  /// All must outlive this. The meter has the states of power_figures().
  GovernedCore(const CpuConfig& config, const std::vector<OperatingPoint>& points, EnergyMeter& meter,
               const ServiceReport& report);
  static PowerFigures power_figures(const CpuConfig& config, const std::vector<OperatingPoint>& points);

  Picoseconds announce(Job& job, Picoseconds now);
  Picoseconds reserve(Picoseconds now, std::uint64_t cycles, std::uint32_t tag);
  bool finished(const Job& job, Picoseconds now);
  void settle(Picoseconds now);
  void drop_all(Picoseconds now);

  /// The power is off in [from, to): from then on the core is awake, and has idled since `to`.
  void power_off(Picoseconds from, Picoseconds to);
  /// Books everything until `end`.
  void close(Picoseconds end);

  Picoseconds free_at() const { return free_; }
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
  // Busy before `at`, which does not lie before the last piece of work began.
  Picoseconds busy_before(Picoseconds at) const { return busy_ - (free_ > at ? free_ - at : 0); }

  const CpuConfig& config_;
  const std::vector<OperatingPoint>& points_;
  EnergyMeter& meter_;
  const ServiceReport& report_;
  Picoseconds up_;  // busy time of a sample
  Picoseconds down_;
  std::uint32_t point_;
  Picoseconds free_ = 0;       // end of the last work, or of the power being off
  Picoseconds accounted_ = 0;  // until then the meter knows all
  Picoseconds busy_ = 0;
  Picoseconds sleep_from_ = kNever;  // of the gap that is being booked
  Picoseconds sleep_to_ = kNever;
  Picoseconds next_sample_;
  Picoseconds busy_at_sample_ = 0;
  std::uint64_t transitions_ = 0;
  std::uint64_t sleeps_ = 0;
  Job* head_ = nullptr;  // pending, by arrival
};

}  // namespace flashloom
