#include "models/energy/power_timeline.hpp"

#include <algorithm>

namespace flashloom {

double PowerSeries::joules() const {
  double sum = 0;
  for (std::size_t i = 0; i < watts.size(); ++i) sum += watts[i] * static_cast<double>(bins.width_of(i));
  return sum * 1e-12;
}

void PowerTimeline::add(Picoseconds begin, unsigned shift, std::span<const PowerStep> steps) {
  if (bins_.shift() < shift) bins_.reach((Picoseconds{kBins} << shift) - 1, merged);
  bins_.reach(begin + ((steps.size() - 1) << shift), merged);
  const auto step_time = static_cast<double>(Picoseconds{1} << shift);
  while (!steps.empty()) {
    const Picoseconds into_bin = begin & (bins_.width() - 1);
    const std::span<const PowerStep> here = steps.first(std::min(steps.size(), (bins_.width() - into_bin) >> shift));
    double change = 0, correction = 0, into = static_cast<double>(into_bin);
#pragma GCC unroll 4
    for (const PowerStep& step : here) {
      change += step.change;
      correction += step.correction - step.change * into;
      into += step_time;
    }
    PowerStep& bin = bins_[begin >> bins_.shift()];
    bin.change += change;
    bin.correction += correction;
    begin += here.size() << shift;
    steps = steps.subspan(here.size());
  }
}

PowerSeries PowerTimeline::series(Picoseconds end, Picoseconds width) const {
  // An idle end of the run is reported at the bin width that activity there would have caused.
  const Picoseconds reach = std::max(end, width > bin_width() ? width * kBins - 1 : 0);
  if (!bins_.holds(reach)) {
    PowerTimeline wider = *this;
    wider.bins_.widen(reach, merged);
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
