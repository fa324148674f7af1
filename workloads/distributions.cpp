#include "workloads/distributions.hpp"

#include <algorithm>
#include <stdexcept>

#include "workloads/portable_math.hpp"

namespace flashloom {
namespace {

constexpr double kParetoCut = 1e4;
constexpr double kTiny = 1e-12;

}  // namespace

double draw_exponential(Random& random, double mean) { return -mean * portable_log1p(-random.unit()); }

double draw_pareto(Random& random, double mean, double shape) {
  const double scale = mean * (shape - 1) / shape;
  return std::min(scale * portable_exp(-portable_log1p(-random.unit()) / shape), kParetoCut * mean);
}

WeightedIndex::WeightedIndex(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight >= 0)) throw std::invalid_argument("WeightedIndex: negative weight");
    sum += weight;
  }
  if (!(sum > 0)) throw std::invalid_argument("WeightedIndex: no weight");
  double below = 0;
  for (const double weight : weights) cumulative_.push_back((below += weight) / sum);
  cumulative_.back() = 1;
}

std::size_t WeightedIndex::operator()(Random& random) const {
  const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), random.unit());
  return static_cast<std::size_t>(found - cumulative_.begin());
}

ZipfRank::ZipfRank(std::uint64_t n, double theta) : n_(n), theta_(theta), first_(0), last_(0), accept_(0) {
  if (n == 0 || !(theta >= 0)) throw std::invalid_argument("ZipfRank: no ranks, or a negative exponent");
  first_ = integral(1.5) - 1;
  last_ = integral(static_cast<double>(n) + 0.5);
  accept_ = 2 - integral_inverse(integral(2.5) - density(2));
}

double ZipfRank::density(double x) const { return portable_pow(x, -theta_); }

double ZipfRank::integral(double x) const {
  const double log = portable_log(x);
  const double t = (1 - theta_) * log;
  return (t > -kTiny && t < kTiny ? 1 : portable_expm1(t) / t) * log;
}

double ZipfRank::integral_inverse(double y) const {
  const double t = std::max((1 - theta_) * y, -1 + kTiny);  // rounding must not carry it to -1
  return portable_exp((t > -kTiny && t < kTiny ? 1 : portable_log1p(t) / t) * y);
}

std::uint64_t ZipfRank::operator()(Random& random) const {
  for (;;) {
    const double y = last_ + random.unit() * (first_ - last_);
    const double x = integral_inverse(y);
    const double nearest = std::min(std::max(x + 0.5, 1.0), static_cast<double>(n_));
    const std::uint64_t rank = std::min(static_cast<std::uint64_t>(nearest), n_);
    const auto k = static_cast<double>(rank);
    if (k - x <= accept_ || y >= integral(k + 0.5) - density(k)) return rank;
  }
}

}  // namespace flashloom
