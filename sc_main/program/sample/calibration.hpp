// Estimates for a whole run from its windows, with confidence intervals.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "controllers/host/latency_histogram.hpp"

namespace flashloom {

/// An estimate with its confidence interval.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  bool bounded = true;  ///< false: the windows do not suffice for an interval
};

/// Auxiliary variables of a stretch of the run: what is known of it without simulating it on the timed clock.
struct KnownWork {
  double requests = 0;
  double work = 0;   ///< seconds that flash operations keep dies busy, from the instant clock's counts
  double read = 0;   ///< bytes that the host reads; with a tier: that are read from the SSD
  double clock = 0;  ///< seconds, open loop: between first and last arrival; closed loop: 0; tier: of its hybrid pass
  double reads = 0;  ///< read requests; 0 with a tier
  // With a tier only:
  double written = 0;        ///< bytes that are written to the SSD
  double reads_waited = 0;   ///< seconds: sum of the latencies of reads in its hybrid pass
  double others_waited = 0;  ///< seconds: sum of the latencies of all other requests
  double home = 0;           ///< seconds that the HDD's arm is busy

  /// In order of importance: with few windows, calibration uses only the first variables.
  static constexpr std::array kAll{&KnownWork::requests,     &KnownWork::clock,         &KnownWork::work,
                                   &KnownWork::read,         &KnownWork::reads,         &KnownWork::written,
                                   &KnownWork::reads_waited, &KnownWork::others_waited, &KnownWork::home};

  KnownWork& operator*=(double times) {
    for (const auto of : kAll) this->*of *= times;
    return *this;
  }
  friend KnownWork operator-(const KnownWork& a, const KnownWork& b) {
    KnownWork difference;
    for (const auto of : kAll) difference.*of = a.*of - b.*of;
    return difference;
  }
};

/// The weights of windows: each window stands for that many stretches of its length. They are calibrated by raking
/// (Deville and Särndal, JASA 87, 1992; for sums it gives the generalised regression estimator): the weighted sums of
/// the windows' requests and other auxiliary variables equal those of the run. So the estimate has as much garbage
/// collection as the run had, even if the windows saw too little of it.
///
/// The variance has two parts: that of the residuals, which the auxiliary variables do not explain, and that of the
/// run's own sums of these variables, if they are known up to chance only. Successive strata have one window each, so
/// the variance is estimated from successive differences (Wolter, Introduction to Variance Estimation, 2nd ed., section
/// 8.2, estimator v2): a slow trend along the run is sampled as it is, and adds no error.
class Calibration {
 public:
  struct Window {
    KnownWork known;
    double stands_for = 0;  ///< requests of the run that it represents
  };
  /// `windows`: in the order of the run. `run`: sums over all strata. `confidence`: of the intervals, 0 .. 1. `chance`:
  /// standard deviations of the run's own sums around `run`.
  Calibration(const std::vector<Window>& windows, KnownWork run, double confidence, const KnownWork& chance = {});

  const std::vector<double>& weights() const { return weights_; }
  /// Whether the weights use more variables than the requests. False: the others do not vary between windows, or there
  /// are too few windows.
  bool calibrated() const { return known_.size() > 1; }
  /// Relative difference between the weighted sum of the windows' work and the run's work. It is not 0 if the windows
  /// are so alike that no weights give the right sum.
  double missing_work() const { return missing_work_; }

  /// Numerator and denominator of a ratio in a window, or in the part of the run that was measured whole.
  struct Sums {
    double numerator = 0;    ///< such as joules
    double denominator = 0;  ///< such as requests
  };
  /// Ratio estimator of the whole run: one estimated sum over the other.
  Interval ratio(const std::vector<Sums>& windows, const Sums& whole) const;
  /// The latency percentile for each of the `shares` (ascending, 0 .. 1), in ps, with its interval by Woodruff's method
  /// (JASA 47, 1952): the Clopper-Pearson interval of the share, for the effective number of independent latencies
  /// (Korn and Graubard, Survey Methodology 24, 1998), is looked up in the distribution. An interval is at least one
  /// histogram bucket wide; it is unbounded if too few latencies lie above the percentile.
  std::vector<Interval> percentiles(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& whole,
                                    const std::vector<double>& shares) const;

 private:
  /// An auxiliary variable, made orthogonal to those before it.
  struct Known {
    std::vector<double> windows;
    double missing = 0;  ///< the run's sum, less the windows' weighted sum
    double square = 0;   ///< weighted inner product of `windows` with itself
    double chance = 0;   ///< standard deviation of the run's sum
  };

  struct Spread {
    double variance = 0;
    double freedom = 0;  // degrees of freedom of Student's t
  };
  /// The latencies above a percentile.
  struct Above {
    bool enough = false;   // enough of them, from enough windows, for an interval
    double clustered = 1;  // design effect (Kish, 1965): so many latencies are worth one independent latency
  };

  bool rake(const std::vector<Window>& windows, KnownWork run, std::size_t most);
  bool add(std::vector<double> windows, double run, double chance);
  std::vector<double> changes() const;
  double product(const std::vector<double>& a, const std::vector<double>& b) const;
  Above above(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& all, double seen, double p) const;
  Interval percentile(const LatencyHistogram& all, double seen, double p, double clustered) const;
  std::optional<Spread> spread(const std::vector<double>& deviations) const;
  double times(double freedom) const;

  std::vector<double> weights_;
  std::vector<Known> known_;  // mutually orthogonal under weights_
  double confidence_;
  KnownWork chance_;
  double missing_work_ = 0;
};

}  // namespace flashloom
