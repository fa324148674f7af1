#include "models/energy/power_timeline.hpp"

#include <algorithm>

namespace flashloom {

double PowerSeries::joules() const {
  double sum = 0;
  for (std::size_t i = 0; i < watts.size(); ++i) sum += watts[i] * static_cast<double>(width_of(i));
  return sum * 1e-12;
}

double PowerSeries::peak_watts(Picoseconds from) const {
  if (watts.empty()) return 0;
  const std::size_t first = std::min<std::size_t>(from / bin_width, watts.size() - 1);
  return *std::max_element(watts.begin() + static_cast<std::ptrdiff_t>(first), watts.end());
}

void PowerTimeline::widen(Picoseconds at) {
  while ((at >> shift_) >= kBins) {
    const auto width = static_cast<double>(bin_width());
    for (std::size_t i = 0; i < kBins / 2; ++i) {
      const Bin a = bins_[2 * i];
      const Bin b = bins_[2 * i + 1];
      // b's changes now begin one old width into the merged bin.
      bins_[i] = {a.change + b.change, a.correction + b.correction - width * b.change};
    }
    std::fill(bins_.begin() + kBins / 2, bins_.end(), Bin{});
    ++shift_;
    mask_ = bin_width() - 1;
  }
}

PowerSeries PowerTimeline::series(Picoseconds end) const {
  PowerSeries result;
  result.end = end;
  if (end == 0) {
    result.bin_width = bin_width();
    return result;
  }
  if ((end >> shift_) >= kBins) {  // nothing happened near the end: reported at the width that it would have had
    PowerTimeline wider = *this;
    wider.widen(end);
    return wider.series(end);
  }
  result.bin_width = bin_width();
  const std::size_t whole = end >> shift_;
  const bool own_bin = whole == 0 || (end & mask_) * 2 >= bin_width();
  const std::size_t count = whole + (own_bin ? 1 : 0);
  result.watts.assign(count, 0);

  double watts = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    watts += bins_[i].change;
    result.watts[std::min(i, count - 1)] += watts * static_cast<double>(bin_width()) + bins_[i].correction;
  }
  for (std::size_t i = 0; i < count; ++i) {
    result.watts[i] = background_ + result.watts[i] / static_cast<double>(result.width_of(i));
  }
  return result;
}

}  // namespace flashloom
