// Power over time of each kind of components, where somebody asks for it: over the whole run, or finely in a stretch.
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

/// Power in the steps of a TraceWindow. What lies outside is forgotten, but for what is still drawn when it begins.
class PowerTrace {
 public:
  explicit PowerTrace(const TraceWindow& window) : window_(window), end_(window.end()) {}

  /// `watts` more, PowerTimeline::quantised(), from `at` on; `energy`, in W ps, spent at `at` beside.
  void add_change(Picoseconds at, double watts, double energy);

  /// Mean power by step until the end of the window or of the run, whichever is first, without what is drawn at all
  /// times. A remainder shorter than half a step belongs to the last one. Times count from the begin of the window.
  PowerSeries series(Picoseconds run_end) const;

 private:
  TraceWindow window_;
  Picoseconds end_;
  std::vector<PowerStep> steps_;  // up to the last one that has something
};

/// What all components of a kind draw together. Contributions come in any order.
class PowerOfKind {
 public:
  /// Over the run, in the stretch, or both. `share`: what reaches the components of what the supply gives for them.
  PowerOfKind(std::string name, bool over_time, const std::optional<TraceWindow>& trace, double share = 1);

  const std::string& name() const { return name_; }
  double share() const { return share_; }

  /// `watts`, PowerTimeline::quantised(), in [from, to), or at all times; `joules` at an instant.
  void add(Picoseconds from, Picoseconds to, double watts) {
    change(from, watts, 0);
    change(to, -watts, 0);
  }
  /// `energy`, in W ps, drawn evenly in [from, to), from < to; see PowerRecord.
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

/// Mean power by bin of each kind, which add to that of the device.
struct PowerByKind {
  Picoseconds from = 0;  ///< bins begin there
  BinCut bins;
  std::vector<std::string> kinds;
  std::vector<std::vector<double>> watts;  ///< by kind and bin
  std::vector<double> total;               ///< by bin

  Picoseconds begin_of(std::size_t bin) const { return from + bins.begin_of(bin); }
  /// The same in bins that are so many times as wide that there are at most `most` of them.
  PowerByKind coarser(std::size_t most) const;
};

/// In the bins of `total`, the device's power over the run.
PowerByKind power_by_kind(const std::deque<PowerOfKind>& kinds, const PowerSeries& total);

/// The total is the sum over the kinds. No bins where the run ended before the window began.
PowerByKind power_trace(const std::deque<PowerOfKind>& kinds, const TraceWindow& window, Picoseconds run_end);

}  // namespace flashloom
