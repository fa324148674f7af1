#include "models/energy/power_by_kind.hpp"

#include <algorithm>

#include "models/energy/power_record.hpp"

namespace flashloom {
namespace {

// Moves the regulators' loss out of each kind's power into the kind "regulator".
void set_losses_apart(const std::deque<PowerOfKind>& kinds, PowerByKind& power) {
  const auto regulator = std::find(power.kinds.begin(), power.kinds.end(), "regulator") - power.kinds.begin();
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    for (std::size_t bin = 0; kinds[kind].share() != 1 && bin < power.watts[kind].size(); ++bin) {
      const double supplied = power.watts[kind][bin];
      power.watts[kind][bin] = supplied * kinds[kind].share();
      power.watts[static_cast<std::size_t>(regulator)][bin] += supplied - power.watts[kind][bin];
    }
}

}  // namespace

void PowerTrace::add_change(Picoseconds at, double watts, double energy) {
  if (at >= end_) return;
  if (at < window_.from) {
    at = window_.from;
    energy = 0;
  }
  const std::uint64_t number = (at - window_.from) / window_.step;
  if (number >= steps_.size()) steps_.resize(number + 1);
  PowerStep& step = steps_[number];
  step.change += watts;
  step.correction += energy - watts * static_cast<double>(at - window_.from - number * window_.step);
}

PowerSeries PowerTrace::series(Picoseconds run_end) const {
  PowerSeries result;
  const Picoseconds end = std::min(end_, run_end);
  if (end <= window_.from) return result;
  result.bins = BinCut(window_.step, end - window_.from);
  result.watts.assign(result.bins.count, 0);
  double watts = 0;
  const std::uint64_t steps = (end - window_.from + window_.step - 1) / window_.step;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const PowerStep step = i < steps_.size() ? steps_[i] : PowerStep{};
    watts += step.change;
    const Picoseconds width = std::min(window_.step, end - window_.from - i * window_.step);
    result.watts[result.bins.bin_of(i)] += watts * static_cast<double>(width) + step.correction;
  }
  for (std::size_t i = 0; i < result.watts.size(); ++i) result.watts[i] /= static_cast<double>(result.bins.width_of(i));
  return result;
}

PowerOfKind::PowerOfKind(std::string name, bool over_time, const std::optional<TraceWindow>& trace, double share)
    : name_(std::move(name)), share_(share) {
  if (over_time) timeline_.emplace();
  if (trace) trace_.emplace(*trace);
}

void PowerOfKind::add_spread(Picoseconds from, Picoseconds to, double energy) {
  const double watts = energy / static_cast<double>(to - from);
  if (PowerRecord::takes(watts))
    add(from, to, PowerTimeline::quantised(watts));
  else
    change(from, 0, energy);
}

void PowerOfKind::add_background(double watts) {
  background_ += watts;
  if (timeline_) timeline_->add_background(watts);
}

PowerSeries PowerOfKind::over_time(Picoseconds end, Picoseconds width) const {
  return timeline_ ? timeline_->series(end, width) : PowerSeries{};
}

PowerSeries PowerOfKind::trace(Picoseconds run_end) const {
  if (!trace_) return {};
  PowerSeries series = trace_->series(run_end);
  for (double& watts : series.watts) watts += background_;
  return series;
}

PowerByKind PowerByKind::coarser(std::size_t most) const {
  const std::size_t times = most == 0 ? 1 : std::max<std::size_t>(1, (bins.count + most - 1) / most);
  PowerByKind result{from, BinCut(bins.width * times, bins.end), kinds, {}, {}};
  const auto merge = [&](const std::vector<double>& fine) {
    std::vector<double> coarse(result.bins.count);
    for (std::size_t i = 0; i < fine.size(); ++i)
      coarse[result.bins.bin_of(i / times)] += fine[i] * static_cast<double>(bins.width_of(i));
    for (std::size_t i = 0; i < coarse.size(); ++i) coarse[i] /= static_cast<double>(result.bins.width_of(i));
    return coarse;
  };
  for (const std::vector<double>& fine : watts) result.watts.push_back(merge(fine));
  result.total = merge(total);
  return result;
}

PowerByKind power_by_kind(const std::deque<PowerOfKind>& kinds, const PowerSeries& total) {
  PowerByKind result{0, total.bins, {}, {}, total.watts};
  for (const PowerOfKind& kind : kinds) {
    result.kinds.push_back(kind.name());
    result.watts.push_back(kind.over_time(total.bins.end, total.bins.width).watts);
  }
  set_losses_apart(kinds, result);
  return result;
}

PowerByKind power_trace(const std::deque<PowerOfKind>& kinds, const TraceWindow& window, Picoseconds run_end) {
  PowerByKind result;
  result.from = window.from;
  for (const PowerOfKind& kind : kinds) {
    PowerSeries series = kind.trace(run_end);
    result.bins = series.bins;
    result.kinds.push_back(kind.name());
    result.total.resize(series.watts.size());
    for (std::size_t i = 0; i < series.watts.size(); ++i) result.total[i] += series.watts[i];
    result.watts.push_back(std::move(series.watts));
  }
  set_losses_apart(kinds, result);
  return result;
}

}  // namespace flashloom
