#include "sc_main/program/sample/calibration.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <utility>

namespace flashloom {
namespace {

// An auxiliary variable whose orthogonal part is smaller than this, relative to the variable, is left out: following it
// would scatter the weights more than it explains.
constexpr double kVaries = 0.01;
// If a weight would have to change by more than this factor, there are too few windows for so many variables.
constexpr double kMostChange = 3;
constexpr double kRakingStep = 0.5;  // largest change of a weight's logarithm in one iteration
constexpr int kRakings = 50;
constexpr double kRaked = 1e-9;
// Fewest windows for each auxiliary variable.
constexpr std::size_t kWindowsEach = 4;
// Lower bound of 1 - leverage, by which HC3 divides a residual.
constexpr double kLeastFree = 0.1;
// Fewest measured latencies above a percentile for its interval to be bounded.
constexpr double kFewestAbove = 10;
// Fewest windows with such latencies (effective number): if fewer have most of them, the windows may have missed
// others.
constexpr double kFewestWindowsAbove = 2;
// Fewest independent latencies above the upper end of a percentile's interval.
constexpr double kFewestBeyond = 1;

}  // namespace

Calibration::Calibration(const std::vector<Window>& windows, KnownWork run, double confidence, const KnownWork& chance)
    : confidence_(confidence), chance_(chance) {
  for (std::size_t most = KnownWork::kAll.size(); !rake(windows, run, most); --most) {
  }
  double work = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) work += weights_[i] * windows[i].known.work;
  if (run.work > 0) missing_work_ = std::abs(work / run.work - 1);
}

// Calibrates with at most `most` auxiliary variables. False: the weights would have to change too much, or do not
// converge.
bool Calibration::rake(const std::vector<Window>& windows, KnownWork run, std::size_t most) {
  double strata = 0;
  for (const Window& window : windows) strata += window.stands_for;
  weights_.clear();
  for (const auto& [known, stands_for] : windows) {
    const double of_run = run.requests * stands_for / strata;  // a runtime may cut the last stratum short
    weights_.push_back(known.requests == 0 ? 0 : of_run / known.requests);
  }
  const std::vector<double> before = weights_;
  for (int step = 0; step < kRakings; ++step) {
    known_.clear();
    for (const auto known : KnownWork::kAll) {
      std::vector<double> of_windows;
      for (const Window& window : windows) of_windows.push_back(window.known.*known);
      if (known_.size() < most) add(std::move(of_windows), run.*known, chance_.*known);
    }
    double largest = 0;
    const std::vector<double> change = changes();
    for (std::size_t i = 0; i < change.size(); ++i) {
      largest = std::max(largest, std::abs(change[i]));
      weights_[i] *= std::exp(std::clamp(change[i], -kRakingStep, kRakingStep));
    }
    if (largest > kRaked) continue;
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (most > 1 && (weights_[i] > before[i] * kMostChange || weights_[i] * kMostChange < before[i])) return false;
    return true;
  }
  return most == 1;
}

// Weighted inner product over all windows.
double Calibration::product(const std::vector<double>& a, const std::vector<double>& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += weights_[i] * a[i] * b[i];
  return sum;
}

// Adds an auxiliary variable (Gram-Schmidt), unless it is nearly collinear with those before or windows are too few.
bool Calibration::add(std::vector<double> windows, double run, double chance) {
  if (!known_.empty() && windows.size() < kWindowsEach * (known_.size() + 1)) return false;
  const double square = product(windows, windows);
  double missing = run;
  for (std::size_t i = 0; i < windows.size(); ++i) missing -= weights_[i] * windows[i];
  for (const Known& before : known_) {
    const double share = product(windows, before.windows) / before.square;
    for (std::size_t i = 0; i < windows.size(); ++i) windows[i] -= share * before.windows[i];
    missing -= share * before.missing;
  }
  const double left = product(windows, windows);
  if (left <= square * kVaries * kVaries) return false;
  known_.push_back({std::move(windows), missing, left, chance});
  return true;
}

// Relative changes of the weights that make the weighted sums of the auxiliary variables those of the run.
std::vector<double> Calibration::changes() const {
  std::vector<double> changes(weights_.size());
  for (const Known& known : known_)
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i] += known.windows[i] * known.missing / known.square;
  return changes;
}

// Variance of the weighted sum of the windows' deviations, a sum whose expectation is 0. None: windows are too few.
std::optional<Calibration::Spread> Calibration::spread(const std::vector<double>& deviations) const {
  const std::size_t n = deviations.size();
  std::vector<double> residuals = deviations;
  std::vector<double> leverage(n);  // diagonal of the hat matrix
  double of_known = 0;              // variance due to `chance`
  for (const Known& known : known_) {
    const double share = product(deviations, known.windows) / known.square;
    of_known += std::pow(share * known.chance, 2);
    for (std::size_t i = 0; i < n; ++i) {
      residuals[i] -= share * known.windows[i];
      leverage[i] += weights_[i] * known.windows[i] * known.windows[i] / known.square;
    }
  }
  const std::size_t used = std::max<std::size_t>(known_.size(), 1);
  if (n < used + 2) return std::nullopt;
  for (std::size_t i = 0; i < n; ++i) {
    residuals[i] *= weights_[i] * std::sqrt(std::max(0.0, 1 - 1 / weights_[i]));  // finite population correction
    // A window unlike the others has a high leverage, which makes its residual too small: HC3 corrects for that
    // (MacKinnon and White, Journal of Econometrics 29, 1985).
    residuals[i] /= std::max(kLeastFree, 1 - leverage[i]);
  }
  double squares = 0;
  double fourth_powers = 0;
  for (std::size_t i = 1; i < n; ++i) {
    const double square = std::pow(residuals[i] - residuals[i - 1], 2);
    squares += square;
    fourth_powers += square * square;
  }
  const double variance = squares / 2;
  // If a few windows have most of the squares, the variance estimate has only as many degrees of freedom
  // (Satterthwaite, Biometrics Bulletin 2, 1946, with the measured fourth moment; of normal residuals it is three times
  // the square of the second one).
  const double many = fourth_powers == 0 ? static_cast<double>(n) : 3 * squares * squares / fourth_powers;
  // Successive differences overlap, so they are not independent: this leaves two thirds of the degrees of freedom.
  const double of_all = 2.0 / 3.0 * static_cast<double>(n - used);
  const double of_few = std::min(of_all, 2.0 / 3.0 * many);
  const double all = variance + of_known;
  const double freedom = all == 0 ? of_all : all * all / (variance * variance / of_few + of_known * of_known / of_all);
  return Spread{all, std::max(1.0, freedom)};
}

// Half the width of an interval, in standard deviations.
double Calibration::times(double freedom) const {
  return boost::math::quantile(boost::math::students_t(freedom), 0.5 + confidence_ / 2);
}

Interval Calibration::ratio(const std::vector<Sums>& windows, const Sums& whole) const {
  double numerator = whole.numerator;
  double denominator = whole.denominator;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    numerator += weights_[i] * windows[i].numerator;
    denominator += weights_[i] * windows[i].denominator;
  }
  if (denominator == 0) return {};
  const double estimate = numerator / denominator;
  std::vector<double> deviations;
  for (const Sums& window : windows)
    deviations.push_back((window.numerator - estimate * window.denominator) / denominator);
  const std::optional<Spread> spread = this->spread(deviations);
  if (!spread) return {.estimate = estimate, .low = 0, .high = 0, .bounded = false};
  const double half = times(spread->freedom) * std::sqrt(spread->variance);
  return {.estimate = estimate, .low = estimate - half, .high = estimate + half};
}

std::vector<Interval> Calibration::percentiles(const std::vector<LatencyHistogram>& windows,
                                               const LatencyHistogram& whole, const std::vector<double>& shares) const {
  LatencyHistogram all = whole;
  double seen = static_cast<double>(whole.count());
  for (std::size_t i = 0; i < windows.size(); ++i) {
    LatencyHistogram many = windows[i];
    many *= weights_[i];
    all += many;
    seen += static_cast<double>(windows[i].count());
  }
  if (all.count() == 0) return std::vector<Interval>(shares.size());
  std::vector<Interval> intervals;
  double clustered = 1;
  for (const double share : shares) {
    const Above above = this->above(windows, all, seen, share);
    // The few latencies above a high percentile give a poor estimate of the design effect: it is taken to be at least
    // that of the percentile before.
    intervals.push_back(above.enough
                            ? percentile(all, seen, share, std::max(clustered, above.clustered))
                            : Interval{.estimate = static_cast<double>(all.percentile(share)), .bounded = false});
    clustered = std::max(1.0, above.clustered);
  }
  return intervals;
}

// `all`: the weighted latencies of all windows; `seen`: their number without weights.
Calibration::Above Calibration::above(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& all,
                                      double seen, double p) const {
  const auto total = static_cast<double>(all.count());
  const std::size_t bucket = all.percentile_bucket(p);
  const double share = static_cast<double>(all.count_to(bucket)) / total;
  std::vector<double> deviations;
  double above = 0, squares = 0;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto count = static_cast<double>(windows[i].count());
    const auto below = static_cast<double>(windows[i].count_to(bucket));
    deviations.push_back((below - share * count) / total);
    above += weights_[i] * (count - below);
    squares += std::pow(weights_[i] * (count - below), 2);
  }
  // Effective number of windows with latencies above: sum squared over sum of squares (Kish, Survey Sampling, 1965).
  const bool few_windows = above * above < kFewestWindowsAbove * squares;
  const std::optional<Spread> spread = this->spread(deviations);
  if (!spread || (1 - p) * seen < kFewestAbove || few_windows) return {};
  return {true, spread->variance * seen / (p * (1 - p)) * std::pow(times(spread->freedom) / times(seen - 1), 2)};
}

Interval Calibration::percentile(const LatencyHistogram& all, double seen, double p, double clustered) const {
  const Interval unbounded{.estimate = static_cast<double>(all.percentile(p)), .bounded = false};
  const double independent = seen / clustered;
  if ((1 - p) * independent < kFewestBeyond) return unbounded;
  const double below = independent * p;
  const double tail = (1 - confidence_) / 2;
  const double low = boost::math::ibeta_inv(below, independent - below + 1, tail);
  const double high = boost::math::ibeta_inv(below + 1, independent - below, 1 - tail);
  if ((1 - high) * independent < kFewestBeyond) return unbounded;
  const std::size_t lowest = all.percentile_bucket(std::max(low, 1 / static_cast<double>(all.count())));
  const std::size_t highest = all.percentile_bucket(high);
  return {.estimate = unbounded.estimate,
          .low = lowest == 0 ? 0 : static_cast<double>(LatencyHistogram::upper_bound(lowest - 1)),
          .high = static_cast<double>(LatencyHistogram::upper_bound(highest))};
}

}  // namespace flashloom
