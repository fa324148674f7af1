#include "sc_main/sample/calibration.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <utility>

namespace flashloom {
namespace {

// Work that varies by less, relative to the requests, explains nothing.
constexpr double kVaries = 1e-4;
// A weight that would change by more says that the windows are too few for it.
constexpr double kMostChange = 0.5;
// So many latencies above a percentile must have been seen to tell where it is.
constexpr double kFewestAbove = 10;

// The symmetric system [a b; b c] (x, y) = (u, v).
std::pair<double, double> solve(double a, double b, double c, double u, double v) {
  const double determinant = a * c - b * b;
  return {(c * u - b * v) / determinant, (a * v - b * u) / determinant};
}

}  // namespace

Calibration::Calibration(const std::vector<Window>& windows, KnownWork run, double confidence)
    : confidence_(confidence) {
  double strata = 0;
  for (const Window& window : windows) strata += window.stratum;
  for (const Window& window : windows) {
    windows_.push_back(window.known);
    const double requests = run.requests * window.stratum / strata;  // a time may cut the last one short
    weights_.push_back(window.known.requests == 0 ? 0 : requests / window.known.requests);
  }
  double work = 0;
  double squares = 0;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    if (windows_[i].requests == 0) continue;
    const double each = windows_[i].work / windows_[i].requests;
    work += each / static_cast<double>(windows_.size());
    squares += each * each / static_cast<double>(windows_.size());
  }
  by_work_ = windows_.size() >= 8 && work > 0 && squares / (work * work) - 1 > kVaries * kVaries;
  if (!by_work_) return;
  double requests2 = 0;
  double both = 0;
  double work2 = 0;
  KnownWork estimate;
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    const KnownWork& window = windows_[i];
    estimate += {weights_[i] * window.requests, weights_[i] * window.work};
    requests2 += weights_[i] * window.requests * window.requests;
    both += weights_[i] * window.requests * window.work;
    work2 += weights_[i] * window.work * window.work;
  }
  const auto [of_requests, of_work] =
      solve(requests2, both, work2, run.requests - estimate.requests, run.work - estimate.work);
  std::vector<double> changes;
  for (const KnownWork& window : windows_) changes.push_back(of_requests * window.requests + of_work * window.work);
  by_work_ = std::all_of(changes.begin(), changes.end(), [](double change) { return std::abs(change) < kMostChange; });
  if (!by_work_) return;
  for (std::size_t i = 0; i < windows_.size(); ++i) weights_[i] *= 1 + changes[i];
}

// Of the sum of the windows' deviations, each with its weight, which are 0 in all.
double Calibration::half_width(const std::vector<double>& deviations) const {
  const std::size_t n = deviations.size();
  std::vector<double> residuals = deviations;
  if (by_work_) {
    double requests2 = 0;
    double both = 0;
    double work2 = 0;
    double with_requests = 0;
    double with_work = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const KnownWork& window = windows_[i];
      requests2 += weights_[i] * window.requests * window.requests;
      both += weights_[i] * window.requests * window.work;
      work2 += weights_[i] * window.work * window.work;
      with_requests += weights_[i] * window.requests * deviations[i];
      with_work += weights_[i] * window.work * deviations[i];
    }
    const auto [of_requests, of_work] = solve(requests2, both, work2, with_requests, with_work);
    for (std::size_t i = 0; i < n; ++i)
      residuals[i] -= of_requests * windows_[i].requests + of_work * windows_[i].work;
  }
  const std::size_t used = by_work_ ? 2 : 1;
  if (n < used + 2) return std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < n; ++i)  // what a window has not seen of its stratum
    residuals[i] *= weights_[i] * std::sqrt(std::max(0.0, 1 - 1 / weights_[i]));
  double squares = 0;
  for (std::size_t i = 1; i < n; ++i) squares += std::pow(residuals[i] - residuals[i - 1], 2);
  const double variance = squares / 2 * static_cast<double>(n) / static_cast<double>(n - used);
  // Differences overlap, so they are not independent: two thirds of the degrees of freedom.
  const boost::math::students_t distribution(std::max(1.0, 2.0 * static_cast<double>(n - used) / 3.0));
  return boost::math::quantile(distribution, 0.5 + confidence_ / 2) * std::sqrt(variance);
}

Interval Calibration::ratio(const std::vector<Sums>& windows, const Sums& whole) const {
  double over = whole.over;
  double under = whole.under;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    over += weights_[i] * windows[i].over;
    under += weights_[i] * windows[i].under;
  }
  if (under == 0) return {};
  const double estimate = over / under;
  std::vector<double> deviations;
  for (const Sums& window : windows) deviations.push_back((window.over - estimate * window.under) / under);
  const double half = half_width(deviations);
  if (!std::isfinite(half)) return {.estimate = estimate, .low = 0, .high = 0, .bounded = false};
  return {.estimate = estimate, .low = estimate - half, .high = estimate + half};
}

std::vector<Interval> Calibration::percentiles(const std::vector<LatencyHistogram>& windows,
                                               const LatencyHistogram& whole,
                                               const std::vector<double>& shares) const {
  LatencyHistogram all = whole;
  double seen = static_cast<double>(whole.count());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    LatencyHistogram many = windows[i];
    many *= weights_[i];
    all += many;
    seen += static_cast<double>(windows[i].count());
  }
  std::vector<Interval> intervals;
  for (const double share : shares)
    intervals.push_back(all.count() == 0 ? Interval{} : percentile(windows, all, seen, share));
  return intervals;
}

// `all`: what windows have seen, by their weights; `seen`: how many latencies that is without these.
Interval Calibration::percentile(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& all, double seen,
                                 double p) const {
  const auto total = static_cast<double>(all.count());
  const std::size_t bucket = all.percentile_bucket(p);
  const auto value = static_cast<double>(all.percentile(p));
  const double share = static_cast<double>(all.count_to(bucket)) / total;
  std::vector<double> deviations;
  for (const LatencyHistogram& window : windows)
    deviations.push_back(
        (static_cast<double>(window.count_to(bucket)) - share * static_cast<double>(window.count())) / total);
  const double half = half_width(deviations);
  if (!std::isfinite(half) || p + half >= 1 || (1 - p) * seen < kFewestAbove)
    return {.estimate = value, .low = 0, .high = 0, .bounded = false};
  const std::size_t lowest = all.percentile_bucket(std::max(p - half, 1 / total));
  const std::size_t highest = all.percentile_bucket(p + half);
  return {.estimate = value,
          .low = lowest == 0 ? 0 : static_cast<double>(LatencyHistogram::upper_bound(lowest - 1)),
          .high = static_cast<double>(LatencyHistogram::upper_bound(highest))};
}

}  // namespace flashloom
