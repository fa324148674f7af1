// What windows of a run say of the whole of it, and how sure that is.
#pragma once

#include <cstddef>
#include <vector>

#include "controllers/host/latency_histogram.hpp"

namespace flashloom {

/// An estimate with its confidence interval.
struct Interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
  bool bounded = true;  ///< false: the windows do not bound it
};

/// What is known of a stretch of the run without simulating it in time.
struct KnownWork {
  double requests = 0;
  double work = 0;  ///< time that flash operations keep dies busy, by the instant clock's counts

  KnownWork& operator+=(const KnownWork& other) {
    requests += other.requests;
    work += other.work;
    return *this;
  }
  KnownWork& operator*=(double times) {
    requests *= times;
    work *= times;
    return *this;
  }
  friend KnownWork operator-(const KnownWork& a, const KnownWork& b) {
    return {a.requests - b.requests, a.work - b.work};
  }
};

/// The weights of windows: of how many stretches like itself each one stands for. They are those with which the windows'
/// own requests and work sum up to those of the run (calibration: Deville and Särndal, JASA 87, 1992, which makes of sums
/// the generalised regression estimator), so that a run of which the windows have seen too little garbage collection is
/// estimated with as much of it as there was.
///
/// The error is that of the residuals: what requests and work do not explain. Windows lie one in each of successive
/// strata, so it goes by successive differences (Wolter, Introduction to Variance Estimation, 2nd ed., section 8.2,
/// estimator v2): what changes slowly along the run is in the sample as it is in the run, and no error.
class Calibration {
 public:
  /// A window, and the requests of the stratum that it stands for.
  struct Window {
    KnownWork known;
    double stratum = 0;
  };
  /// Windows in the order of the run, and all strata together.
  Calibration(const std::vector<Window>& windows, KnownWork run, double confidence);

  const std::vector<double>& weights() const { return weights_; }
  /// Weights follow the work, too; else it is the same for all requests, or windows are too few.
  bool by_work() const { return by_work_; }

  /// Sums of a window, or of the part of the run that was measured whole.
  struct Sums {
    double over = 0;   ///< as joules
    double under = 0;  ///< as requests
  };
  /// Of the whole run, one sum over the other.
  Interval ratio(const std::vector<Sums>& windows, const Sums& whole) const;
  /// For each share: the latency that so many of all do not exceed, in ps, and those between which it lies (Woodruff,
  /// JASA 47, 1952): the share up to the estimate is a ratio with an interval, whose ends are looked up. As wide as a bucket at
  /// least. Unbounded where too few latencies lie above to tell.
  std::vector<Interval> percentiles(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& whole,
                                    const std::vector<double>& shares) const;

 private:
  Interval percentile(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& all, double seen,
                      double p) const;
  double half_width(const std::vector<double>& deviations) const;

  std::vector<KnownWork> windows_;
  std::vector<double> weights_;
  bool by_work_ = false;  // work varies: it explains something
  double confidence_;
};

}  // namespace flashloom
