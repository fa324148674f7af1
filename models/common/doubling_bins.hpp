// Time in a bounded number of bins of equal width, which doubles as time goes on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Cuts a run of length `end` into bins: bin i covers [i * width, (i + 1) * width); the last one also takes the
/// remainder up to `end` (it is half a width to one and a half wide, or the whole run if that is shorter), so that no
/// sliver shows a false peak.
struct BinCut {
  Picoseconds width = 0;
  Picoseconds end = 0;
  std::size_t count = 0;

  BinCut() = default;
  /// `bin_width` is a power of two. No bins for end = 0.
  BinCut(Picoseconds bin_width, Picoseconds run_end) : width(bin_width), end(run_end) {
    const std::size_t whole = end / width;
    count = end == 0 ? 0 : whole + (whole == 0 || (end % width) * 2 >= width ? 1 : 0);
  }
  Picoseconds begin_of(std::size_t i) const { return i * width; }
  Picoseconds width_of(std::size_t i) const { return i + 1 < count ? width : end - i * width; }
  /// The bin that contains raw bin `i`.
  std::size_t bin_of(std::size_t i) const { return std::min(i, count - 1); }
};

/// At most `bins` bins, initially 2^20 ps (about 1 us) wide; a time past the last one doubles the width. `Bin` is
/// default-constructible; merge(first, second, old width) merges two neighbours.
template <class Bin>
class DoublingBins {
 public:
  static constexpr unsigned kInitialShift = 20;

  /// `bins` is even.
  explicit DoublingBins(std::size_t bins) : bins_(bins), end_(Picoseconds{bins} << kInitialShift) {}

  /// The bin of `at`; widens the bins if needed.
  template <class Merge>
  Bin& reach(Picoseconds at, Merge&& merge) {
    if (at >= end_) [[unlikely]]
      widen(at, merge);
    return bins_[at >> shift_];
  }

  /// Doubles the width until `at` has a bin. Rare, so not inlined, to keep callers of reach() small.
  template <class Merge>
  [[gnu::noinline]] void widen(Picoseconds at, Merge&& merge) {
    while ((at >> shift_) >= bins_.size()) {
      for (std::size_t i = 0; i < bins_.size() / 2; ++i) bins_[i] = merge(bins_[2 * i], bins_[2 * i + 1], width());
      std::fill(bins_.begin() + static_cast<std::ptrdiff_t>(bins_.size() / 2), bins_.end(), Bin{});
      ++shift_;
      end_ = end_ > kNever / 2 ? kNever : end_ * 2;  // saturates at the end of time, where each call may widen again
    }
  }

  bool holds(Picoseconds at) const { return (at >> shift_) < bins_.size(); }
  Picoseconds width() const { return Picoseconds{1} << shift_; }
  unsigned shift() const { return shift_; }
  Bin& operator[](std::size_t i) { return bins_[i]; }
  const Bin& operator[](std::size_t i) const { return bins_[i]; }
  std::size_t size() const { return bins_.size(); }

 private:
  std::vector<Bin> bins_;
  unsigned shift_ = kInitialShift;
  Picoseconds end_;  // end of the last bin
};

}  // namespace flashloom
