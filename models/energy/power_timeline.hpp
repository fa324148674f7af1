// Power of a device over time, in a bounded number of bins whose width doubles as the run grows.
#pragma once

#include <cstddef>
#include <cstdint>
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

/// Sums contributions of power. Each costs O(1): a bin holds the change of power in it and the correction for that
/// change not being at the bin's start, so energy(i) = width * (change(0) + ... + change(i)) + correction(i).
/// Watts are rounded to multiples of 2^-42 W (0.2 pW), which makes their sums exact below 2 kW: power that came goes
/// again without a trace, however long the run.
class PowerTimeline {
 public:
  static constexpr std::size_t kBins = 10'000;

  PowerTimeline() : bins_(kBins) {}

  /// `watts` rounded as the timeline sums them; |watts| below 512.
  static double quantised(double watts) {
    constexpr double kMagic = 1.5 * 1024;  // 2^52 * 2^-42 * 1.5: one unit in the last place is the quantum
    return (watts + kMagic) - kMagic;
  }

  /// `watts` (negative to take away) in [from, to), from <= to.
  void add(Picoseconds from, Picoseconds to, double watts) { add_quantised(from, to, quantised(watts)); }

  /// The same for watts that are quantised().
  void add_quantised(Picoseconds from, Picoseconds to, double w) {
    Bin& last = bins_.reach(to, merge);
    Bin& first = bins_[from >> bins_.shift()];
    first.change += w;
    first.correction -= w * into_bin(from);
    last.change -= w;
    last.correction += w * into_bin(to);
  }

  /// `joules` spent at the instant `at`.
  void add_energy(Picoseconds at, double joules) { bins_.reach(at, merge).correction += joules * 1e12; }

  /// `watts` at all times.
  void add_background(double watts) { background_ += quantised(watts); }

  Picoseconds bin_width() const { return bins_.width(); }

  /// Mean power by bin over [0, end). Energy booked at or after `end` counts in the last bin; no power may still be
  /// drawn there. Empty for end = 0.
  PowerSeries series(Picoseconds end) const;

 private:
  struct Bin {
    double change = 0;      // W
    double correction = 0;  // W ps
  };

  // Time since the bin's begin; signed, since that is what the processor converts.
  double into_bin(Picoseconds at) const {
    return static_cast<double>(static_cast<std::int64_t>(at & (bins_.width() - 1)));
  }

  // b's changes now begin one old width into the merged bin.
  static Bin merge(const Bin& a, const Bin& b, Picoseconds width) {
    return {a.change + b.change, a.correction + b.correction - static_cast<double>(width) * b.change};
  }

  DoublingBins<Bin> bins_;
  double background_ = 0;
};

}  // namespace flashloom
