// What windows of a run say of the whole of it, and how sure that is.
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
  bool bounded = true;  ///< false: the windows do not bound it
};

/// What is known of a stretch of the run without simulating it in time.
struct KnownWork {
  double requests = 0;
  double work = 0;  ///< time that flash operations keep dies busy, by the instant clock's counts
  double read = 0;   ///< bytes that the host reads; of a tier: that are read from the SSD
  double clock = 0;  ///< seconds between the arrivals of an open loop; 0: of a closed one. Of a tier: of its hybrid pass
  double reads = 0;  ///< requests that read; not of a tier
  // Of a tier alone:
  double written = 0;        ///< bytes that are written to the SSD
  double reads_waited = 0;   ///< seconds: the latencies of all reads in its hybrid pass
  double others_waited = 0;  ///< and of all other requests
  double home = 0;           ///< seconds that keep the HDD's arm busy

  /// What matters most comes first: few windows can follow but the first ones.
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

/// The weights of windows: of how many stretches like itself each one stands for. They are those with which the windows'
/// own requests and what else is known of them sum up to those of the run (calibration by raking: Deville and Särndal, JASA 87,
/// 1992; of sums it makes the generalised regression estimator), so that a run of which the windows have seen too little
/// garbage collection is estimated with as much of it as there was.
///
/// The error is that of the residuals: what these do not explain; and of what is known, as far as the run itself differs from
/// it by chance. Windows lie one in each of successive
/// strata, so it goes by successive differences (Wolter, Introduction to Variance Estimation, 2nd ed., section 8.2,
/// estimator v2): what changes slowly along the run is in the sample as it is in the run, and no error.
class Calibration {
 public:
  struct Window {
    KnownWork known;
    double stands_for = 0;  ///< requests of the run
  };
  /// Windows in the order of the run, and all strata together. `chance`: standard deviation of the run's own sums around
  /// those that are known.
  Calibration(const std::vector<Window>& windows, KnownWork run, double confidence, const KnownWork& chance = {});

  const std::vector<double>& weights() const { return weights_; }
  /// Weights follow more than the requests; else these are all alike, or windows are too few.
  bool by_work() const { return known_.size() > 1; }
  /// By how much the windows' work, by their weights, differs from the run's, relative to it: where windows are so much
  /// alike that no weights make it right.
  double missing_work() const { return missing_work_; }

  /// Sums of a window, or of the part of the run that was measured whole.
  struct Sums {
    double over = 0;   ///< as joules
    double under = 0;  ///< as requests
  };
  /// Of the whole run, one sum over the other.
  Interval ratio(const std::vector<Sums>& windows, const Sums& whole) const;
  /// For each share, ascending: the latency that so many of all do not exceed, in ps, and those between which it lies
  /// (Woodruff, JASA 47, 1952): the ends of the share's interval are looked up, which is that of Clopper and Pearson for as
  /// many independent latencies as scatter as much (Korn and Graubard, Survey Methodology 24, 1998). As wide as a bucket at
  /// least. Unbounded where too few latencies lie above to tell.
  std::vector<Interval> percentiles(const std::vector<LatencyHistogram>& windows, const LatencyHistogram& whole,
                                    const std::vector<double>& shares) const;

 private:
  /// Something known of all windows, less what those before it explain.
  struct Known {
    std::vector<double> windows;
    double missing = 0;  ///< in the run, beyond what the windows stand for
    double square = 0;   ///< of it with itself
    double chance = 0;   ///< standard deviation of the run's sum
  };

  struct Spread {
    double variance = 0;
    double freedom = 0;  // degrees, of Student's t
  };
  /// Of the latencies above a percentile.
  struct Above {
    bool enough = false;   // of them, from enough windows, to tell where it is
    double clustered = 1;  // so many latencies tell as much as an independent one (the design effect: Kish, 1965)
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
  std::vector<Known> known_;  // orthogonal to each other, under weights_
  double confidence_;
  KnownWork chance_;
  double missing_work_ = 0;
};

}  // namespace flashloom
