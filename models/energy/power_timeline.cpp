#include "models/energy/power_timeline.hpp"

namespace flashloom {

double PowerSeries::joules() const {
  double sum = 0;
  for (std::size_t i = 0; i < watts.size(); ++i) sum += watts[i] * static_cast<double>(bins.width_of(i));
  return sum * 1e-12;
}

PowerSeries PowerTimeline::series(Picoseconds end) const {
  if (!bins_.holds(end)) {  // nothing happened near the end: reported at the width that it would have had
    PowerTimeline wider = *this;
    wider.bins_.widen(end, merge);
    return wider.series(end);
  }
  PowerSeries result;
  result.bins = BinCut(bin_width(), end);
  if (end == 0) return result;
  result.watts.assign(result.bins.count, 0);

  double watts = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    watts += bins_[i].change;
    result.watts[result.bins.bin_of(i)] += watts * static_cast<double>(bin_width()) + bins_[i].correction;
  }
  for (std::size_t i = 0; i < result.watts.size(); ++i) {
    result.watts[i] = background_ + result.watts[i] / static_cast<double>(result.bins.width_of(i));
  }
  return result;
}

}  // namespace flashloom
