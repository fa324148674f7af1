// Distributions of our own, since those of the standard library differ between libraries.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom {

/// Exponential with the given mean.
double draw_exponential(Random& random, double mean);

/// Pareto with the given mean and shape > 1, cut off at 10,000 times the mean (a tail without end would not fit into
/// simulated time).
double draw_pareto(Random& random, double mean, double shape);

/// Index i with probability weights[i] / sum.
class WeightedIndex {
 public:
  /// Weights >= 0, at least one > 0. Throws std::invalid_argument.
  explicit WeightedIndex(const std::vector<double>& weights);
  std::size_t operator()(Random& random) const;

 private:
  std::vector<double> cumulative_;  // the last is 1
};

/// Rank k of 1 .. n with probability k^-theta / sum of all, theta >= 0: rejection-inversion (W. Hörmann, G. Derflinger,
/// "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996). Constant
/// memory, less than 1.2 draws a rank.
class ZipfRank {
 public:
  ZipfRank(std::uint64_t n, double theta);
  std::uint64_t operator()(Random& random) const;

 private:
  double density(double x) const;
  double integral(double x) const;
  double integral_inverse(double y) const;

  std::uint64_t n_;
  double theta_;
  double first_;  // integral(1.5) - 1
  double last_;   // integral(n + 0.5)
  double accept_;
};

}  // namespace flashloom
