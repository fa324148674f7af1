// Power of a device over time, in a bounded number of bins whose width doubles as the run grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "models/common/doubling_bins.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Mean power by bin.
struct PowerSeries {
  BinCut bins;
  std::vector<double> watts;

  double joules() const;
};

/// Changes of power in a step of time. Energy of step i of equal steps = width * (change(0) + ... + change(i)) +
/// correction(i): the correction accounts for changes after the step's begin.
struct PowerStep {
  double change = 0;      ///< W
  double correction = 0;  ///< W ps
};

/// Merges two neighbouring steps of one width: the changes of the second begin one old width into the result.
inline PowerStep merged(const PowerStep& first, const PowerStep& second, Picoseconds width) {
  return {first.change + second.change,
          first.correction + second.correction - static_cast<double>(width) * second.change};
}

/// Sums changes of power, each in O(1). Watts are rounded to multiples of 2^-42 W (0.2 pW), which makes their sums
/// exact below 2 kW: adding and later subtracting a power leaves no residue, however long the run.
class PowerTimeline {
 public:
  static constexpr std::size_t kBins = 10'000;
  /// log2 of the initial bin width.
  static constexpr unsigned kFinest = DoublingBins<PowerStep>::kInitialShift;

  PowerTimeline() : bins_(kBins) {}

  /// `watts` rounded as the timeline sums them; |watts| below 512.
  static double quantised(double watts) {
    constexpr double kMagic = 1.5 * 1024;  // 2^52 * 2^-42 * 1.5: one unit in the last place is the quantum
    return (watts + kMagic) - kMagic;
  }

  /// Adds steps of 2^`shift` ps from `begin` on, a multiple of that. Bins become at least as wide.
  void add(Picoseconds begin, unsigned shift, std::span<const PowerStep> steps);

  /// Adds `watts`, quantised(), from `at` on, and `energy`, in W ps, at `at`.
  void add_change(Picoseconds at, double watts, double energy) {
    PowerStep& bin = bins_.reach(at, merged);
    const Picoseconds into = at & (bins_.width() - 1);
    bin.change += watts;
    bin.correction += energy - watts * static_cast<double>(static_cast<std::int64_t>(into));
  }

  /// `watts` at all times.
  void add_background(double watts) { background_ += quantised(watts); }

  Picoseconds bin_width() const { return bins_.width(); }

  /// Mean power by bin over [0, end). Energy booked at or after `end` counts in the last bin; no power may still be
  /// drawn there. Empty for end = 0. Bins are at least `width` wide, a power of two.
  PowerSeries series(Picoseconds end, Picoseconds width = 0) const;

 private:
  DoublingBins<PowerStep> bins_;
  double background_ = 0;
};

}  // namespace flashloom
