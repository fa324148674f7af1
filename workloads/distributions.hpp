// Random distributions that give the same numbers everywhere; those of the standard library differ between libraries.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "workloads/random.hpp"

namespace flashloom {

/// Exponential with the given mean.
double draw_exponential(Random& random, double mean);

/// Pareto with the given mean and shape > 1, cut off at 10,000 times the mean (an unbounded tail would exceed the range
/// of simulated time).
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
/// "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6(3), 1996). A rank
/// takes fewer than 1.2 draws on average. Up to kMostCells cubics with error bounds replace the inversion (a logarithm
/// and an exponential); the exact inversion is computed only where the error could change the rank. So the ranks are
/// exactly those of the inversion, in a sixth of the time.
class ZipfRank {
 public:
  static constexpr std::size_t kMostCells = 2048;  // 80 KiB

  ZipfRank(std::uint64_t n, double theta);

  std::uint64_t operator()(Random& random) const {
    for (;;) {
      const double u = random.unit();
      const double place = u * static_cast<double>(cells_.size());
      const auto number = static_cast<std::size_t>(place);
      const Cell& cell = cells_[number];
      const double t = place - static_cast<double>(number);
      const double x = ((cell.cubic * t + cell.square) * t + cell.linear) * t + cell.constant;
      const double k = std::floor(x + 0.5);
      const double beyond = x - k;
      if (beyond - cell.error >= -0.5 && beyond + cell.error < 0.5 && cell.error - beyond <= accept_ && k >= 1 &&
          k <= static_cast<double>(n_)) [[likely]]
        return static_cast<std::uint64_t>(k);
      if (const std::uint64_t rank = worked_out(u); rank != 0) return rank;
    }
  }

 private:
  /// Approximates integral_inverse() on one interval of the draws, by t from 0 to 1, within `error`.
  struct Cell {
    double constant, linear, square, cubic;
    double error;
  };

  double drawn(double u) const { return last_ + u * (first_ - last_); }
  double cubic_error(double x, double width) const;
  void find_cells();
  std::uint64_t worked_out(double u) const;
  double density(double x) const;
  double integral(double x) const;
  double integral_inverse(double y) const;

  std::uint64_t n_;
  double theta_;
  double first_;  // integral(1.5) - 1
  double last_;   // integral(n + 0.5)
  double accept_;
  std::vector<Cell> cells_;
};

}  // namespace flashloom
