// Power over time of each kind of component, on request: over the whole run, or at fine resolution in a time window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/power_timeline.hpp"
#include "models/energy/trace_window.hpp"

namespace flashloom {

/// Power in the steps of a TraceWindow. Contributions outside are dropped, except power still drawn when it begins.
class PowerTrace {
 public:
  explicit PowerTrace(const TraceWindow& window) : window_(window), end_(window.end()) {}

  /// Adds `watts`, PowerTimeline::quantised(), from `at` on, and `energy`, in W ps, at `at`.
  void add_change(Picoseconds at, double watts, double energy);

  /// Mean power by step until the end of the window or of the run, whichever is first, without background power. A
  /// remainder shorter than half a step is part of the last one. Times count from the begin of the window.
  PowerSeries series(Picoseconds run_end) const;

 private:
  TraceWindow window_;
  Picoseconds end_;
  std::vector<PowerStep> steps_;  // up to the last non-zero one
};

/// Power of all components of a kind together. Contributions come in any order.
class PowerOfKind {
 public:
  /// Records over the run, in the window, or both. `share`: of the supply's power that reaches the components.
  PowerOfKind(std::string name, bool over_time, const std::optional<TraceWindow>& trace, double share = 1);

  const std::string& name() const { return name_; }
  double share() const { return share_; }

  /// `watts`, PowerTimeline::quantised(), in [from, to), or at all times; `joules` at an instant.
  void add(Picoseconds from, Picoseconds to, double watts) {
    change(from, watts, 0);
    change(to, -watts, 0);
  }
  /// `energy`, in W ps, drawn evenly over [from, to), from < to; see PowerRecord.
  void add_spread(Picoseconds from, Picoseconds to, double energy);
  void add_energy(Picoseconds at, double joules) { change(at, 0, joules * 1e12); }
  void add_background(double watts);

  /// Mean power by bins of `width` or wider over [0, end); see PowerTimeline.
  PowerSeries over_time(Picoseconds end, Picoseconds width) const;
  PowerSeries trace(Picoseconds run_end) const;

 private:
  void change(Picoseconds at, double watts, double energy) {
    if (timeline_) timeline_->add_change(at, watts, energy);
    if (trace_) trace_->add_change(at, watts, energy);
  }

  std::string name_;
  double share_;
  std::optional<PowerTimeline> timeline_;
  std::optional<PowerTrace> trace_;
  double background_ = 0;
};

/// Mean power by bin of each kind; the kinds add up to the device's power.
struct PowerByKind {
  Picoseconds from = 0;  ///< start of the first bin
  BinCut bins;
  std::vector<std::string> kinds;
  std::vector<std::vector<double>> watts;  ///< by kind and bin
  std::vector<double> total;               ///< by bin

  Picoseconds begin_of(std::size_t bin) const { return from + bins.begin_of(bin); }
  /// Same, in bins wider by the smallest whole factor that leaves at most `most` bins.
  PowerByKind coarser(std::size_t most) const;
};

/// Power by kind in the bins of `total`, the device's power over the run.
PowerByKind power_by_kind(const std::deque<PowerOfKind>& kinds, const PowerSeries& total);

/// The total is the sum over the kinds. No bins if the run ended before the window began.
PowerByKind power_trace(const std::deque<PowerOfKind>& kinds, const TraceWindow& window, Picoseconds run_end);

}  // namespace flashloom
