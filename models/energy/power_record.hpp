// Power drawn by all components together: over time, and its peak.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/peak_window.hpp"
#include "models/energy/power_timeline.hpp"

namespace flashloom {

/// Collects contributions of power, in any order, in a ring of steps that begins at time 0. The step width grows with
/// the run, like the bins of PowerTimeline, up to the limit set by PeakWindow; then the ring advances with time. Steps
/// that leave the ring are final, and only these reach the timeline and the peak window.
///
/// The ring spans at least kSpan, of which at least half lies before the present. A contribution within that past half,
/// or at any time in the future, counts exactly. An earlier one counts in full in the timeline only; for the peak its
/// power counts from the first step of the ring on (a component that reports an idle state when it is over was in state
/// 0 until then), and its energy not at all.
class PowerRecord {
 public:
  static constexpr Picoseconds kSpan = 64 * kMillisecond;

  /// Whether add() accepts this power; energy that would need more is booked at the start of its interval.
  static bool takes(double watts) { return std::abs(watts) < kMostWatts; }

  using Clock = Picoseconds (*)();

  /// `peak_window`: see PeakWindow. `clock`: returns the present instant. With `used` false it takes no memory, and
  /// nothing may be added.
  PowerRecord(Picoseconds peak_window, Clock clock, bool used = true);

  /// `watts` (negative to subtract) in [from, to), from <= to; requires takes(watts).
  void add(Picoseconds from, Picoseconds to, double watts) { add_quantised(from, to, PowerTimeline::quantised(watts)); }

  /// Same, for watts rounded by PowerTimeline::quantised().
  void add_quantised(Picoseconds from, Picoseconds to, double watts) {
    if (holds(from, to)) [[likely]]
      return add_inside(from, to, watts);
    change(from, watts);
    change(to, -watts);
  }

  /// Whether [from, to), from <= to, lies in the present ring, as add_inside() requires.
  bool holds(Picoseconds from, Picoseconds to) const { return from >= ring_begin_ && to < ring_end_; }
  /// add_quantised() and add_spread() for intervals that hold(); calls nothing, so that the caller needs few registers.
  [[gnu::always_inline]] void add_inside(Picoseconds from, Picoseconds to, double watts) {
    const std::uint64_t first = from >> shift_, last = to >> shift_;
    use(last);
    if (first == last) {
      ring_[last & mask_].correction += watts * signed_time(to - from);
      return;
    }
    PowerStep& begin = ring_[first & mask_];
    begin.change += watts;
    begin.correction -= watts * signed_time(from & within_);
    PowerStep& end = ring_[last & mask_];
    end.change -= watts;
    end.correction += watts * signed_time(to & within_);
  }
  void spread_inside(Picoseconds from, Picoseconds to, double energy) {
    const std::uint64_t last = to >> shift_;
    if (from >> shift_ == last) {
      ring_[last & mask_].correction += energy;
      use(last);
    } else if (const double watts = energy / signed_time(to - from); takes(watts)) [[likely]] {
      add_inside(from, to, PowerTimeline::quantised(watts));
    } else {
      add_energy(from, energy * 1e-12);
    }
  }

  /// `energy`, in W ps, drawn evenly over [from, to), from < to; booked at `from` if add() does not accept the power.
  void add_spread(Picoseconds from, Picoseconds to, double energy) {
    if (holds(from, to)) [[likely]]
      spread_inside(from, to, energy);
    else if (const double watts = energy / signed_time(to - from); takes(watts))
      add_quantised(from, to, PowerTimeline::quantised(watts));
    else
      add_energy(from, energy * 1e-12);
  }

  /// `joules` spent at the instant `at`.
  void add_energy(Picoseconds at, double joules) {
    const std::uint64_t number = at >> shift_;
    if (number - first_ > mask_) [[unlikely]]
      return elsewhere(at, 0, joules * 1e12);
    ring_[number & mask_].correction += joules * 1e12;
    use(number);
  }

  /// `watts` at all times.
  void add_background(double watts);

  /// The present instant as last read from the clock; look() reads the clock.
  Picoseconds seen() const { return seen_; }
  void look() { seen_ = clock_(); }

  /// From now on the peak counts only windows that begin at `at` or later.
  void begin(Picoseconds at) { peak_.begin(at); }

  /// The end of the run: nothing may be added afterwards.
  void finish(Picoseconds end);

  /// After finish(): mean power over [0, `end`); and the highest mean power of a window, in W, negative if there is
  /// none.
  PowerSeries series(Picoseconds end) const { return timeline_.series(end); }
  double peak_watts() const { return peak_w_; }
  Picoseconds peak_window() const { return peak_.width(); }

 private:
  static constexpr double kMostWatts = 512;

  struct Later {
    Picoseconds at;
    double watts;
    double energy;                                                      // W ps
    bool operator<(const Later& other) const { return at > other.at; }  // the heap's top is the earliest
  };

  // Signed conversion, a single machine instruction.
  static double signed_time(Picoseconds time) { return static_cast<double>(static_cast<std::int64_t>(time)); }

  // last_used_ seldom changes, so a compare costs less than an unconditional store.
  void use(std::uint64_t step) {
    if (step > last_used_) last_used_ = step;
  }
  void change(Picoseconds at, double watts) {
    const std::uint64_t number = at >> shift_;
    if (number - first_ > mask_) [[unlikely]]
      return elsewhere(at, watts, 0);
    PowerStep& step = ring_[number & mask_];
    step.change += watts;
    step.correction -= watts * signed_time(at & within_);
    use(number);
  }
  bool lies_ahead(Picoseconds at) const { return at >> shift_ > first_ + mask_; }
  void elsewhere(Picoseconds at, double watts, double energy);
  void put(Picoseconds at, double watts, double energy);
  void find_ring();
  void widen();
  void slide_to(std::uint64_t first);
  void retire(std::uint64_t end);

  unsigned shift_;      // log2 of the step width
  Picoseconds within_;  // mask: the offset of an instant within its step
  std::uint64_t mask_ = 0;
  std::uint64_t first_ = 0;      // number of the first step of the ring
  std::uint64_t last_used_ = 0;  // the last step that may be non-zero
  Picoseconds ring_begin_ = 0;   // instants covered by the ring: [ring_begin_, ring_end_)
  Picoseconds ring_end_ = 0;
  Picoseconds seen_ = 0;
  std::vector<PowerStep> ring_;
  Clock clock_;
  std::vector<Later> later_;  // heap of contributions beyond the ring
  PowerTimeline timeline_;
  PeakWindow peak_;
  double peak_w_ = 0;
};

}  // namespace flashloom
