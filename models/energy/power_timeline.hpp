// Power of a device over time, in a bounded number of bins whose width doubles as the run grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Mean power by bin. Bin i covers [i * bin_width, (i + 1) * bin_width); the last one takes the remainder up to `end`
/// (half a width to one and a half, or the whole run when that is shorter), so that no sliver makes a false peak.
struct PowerSeries {
  Picoseconds bin_width = 0;
  Picoseconds end = 0;
  std::vector<double> watts;

  /// Time that bin `i` covers.
  Picoseconds width_of(std::size_t i) const { return i + 1 < watts.size() ? bin_width : end - i * bin_width; }
  double joules() const;
  /// Of the bins that end after `from`.
  double peak_watts(Picoseconds from = 0) const;
};

/// Sums contributions of power. Each costs O(1): a bin holds the change of power in it and the correction for that
/// change not being at the bin's start, so energy(i) = width * (change(0) + ... + change(i)) + correction(i).
/// Watts are rounded to multiples of 2^-42 W (0.2 pW), which makes their sums exact below 2 kW: power that came goes
/// again without a trace, however long the run.
class PowerTimeline {
 public:
  static constexpr std::size_t kBins = 10'000;
  static constexpr unsigned kInitialShift = 20;  ///< first bin width: 2^20 ps, about 1 us

  PowerTimeline() : bins_(kBins) {}

  /// `watts` rounded as the timeline sums them; |watts| below 512.
  static double quantised(double watts) {
    constexpr double kMagic = 1.5 * 1024;  // 2^52 * 2^-42 * 1.5: one unit in the last place is the quantum
    return (watts + kMagic) - kMagic;
  }

  /// `watts` (negative to take away) in [from, to), from <= to.
  void add(Picoseconds from, Picoseconds to, double watts) {
    if ((to >> shift_) >= kBins) [[unlikely]]
      widen(to);
    const double w = quantised(watts);
    Bin& first = bins_[from >> shift_];
    first.change += w;
    first.correction -= w * static_cast<double>(from & mask_);
    Bin& last = bins_[to >> shift_];
    last.change -= w;
    last.correction += w * static_cast<double>(to & mask_);
  }

  /// `joules` spent at the instant `at`.
  void add_energy(Picoseconds at, double joules) {
    if ((at >> shift_) >= kBins) [[unlikely]]
      widen(at);
    bins_[at >> shift_].correction += joules * 1e12;
  }

  /// `watts` at all times.
  void add_background(double watts) { background_ += quantised(watts); }

  Picoseconds bin_width() const { return Picoseconds{1} << shift_; }

  /// Mean power by bin over [0, end). Energy booked at or after `end` counts in the last bin; no power may still be
  /// drawn there. Empty for end = 0.
  PowerSeries series(Picoseconds end) const;

  /// Highest mean of a bin over [0, end).
  double peak_watts(Picoseconds end) const { return series(end).peak_watts(); }

 private:
  struct Bin {
    double change = 0;      // W
    double correction = 0;  // W ps
  };

  void widen(Picoseconds at);

  std::vector<Bin> bins_;
  unsigned shift_ = kInitialShift;
  Picoseconds mask_ = (Picoseconds{1} << kInitialShift) - 1;
  double background_ = 0;
};

}  // namespace flashloom
