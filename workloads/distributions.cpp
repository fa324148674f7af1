#include "workloads/distributions.hpp"

#include <algorithm>
#include <cmath>
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
  find_cells();
}

double ZipfRank::density(double x) const { return portable_pow(x, -theta_); }

double ZipfRank::integral(double x) const {
  const double log = portable_log(x);
  const double t = (1 - theta_) * log;
  return (t > -kTiny && t < kTiny ? 1 : portable_expm1(t) / t) * log;
}

double ZipfRank::integral_inverse(double y) const {
  const double t = std::max((1 - theta_) * y, -1 + kTiny);  // rounding could give -1, whose log1p is infinite
  return portable_exp((t > -kTiny && t < kTiny ? 1 : portable_log1p(t) / t) * y);
}

/// Error bound of the cubic that matches values and slopes of integral_inverse() at both ends of an interval of `width`
/// (cubic Hermite interpolation): width^4 / 384 times the fourth derivative, taken at rank `x`.
double ZipfRank::cubic_error(double x, double width) const {
  const double factor = std::abs(theta_ * (2 * theta_ - 1) * (3 * theta_ - 2));
  return factor * portable_pow(x, 4 * theta_ - 3) * (width * width) * (width * width) / 384;
}

/// Takes enough cells to keep the error small, so that few draws lie too near to a boundary between ranks.
void ZipfRank::find_cells() {
  constexpr std::size_t kFewestCells = 64;
  constexpr double kSmall = 1.0 / 128;
  constexpr double kRounding = 1e-12, kRoundingOfDraw = 1e-14;  // relative; over ten times the actual rounding errors
  std::size_t count = kFewestCells;
  const auto width = [&] { return (first_ - last_) / static_cast<double>(count); };
  const auto most = [&] { return std::max(cubic_error(1, width()), cubic_error(static_cast<double>(n_), width())); };
  while (count < kMostCells && most() > kSmall) count *= 2;
  const double draws = std::max({1.0, std::abs(first_), std::abs(last_)});
  struct End {
    double rank, slope, error;
  };
  const auto end_at = [&](std::size_t number) {
    const double rank = integral_inverse(drawn(static_cast<double>(number) / static_cast<double>(count)));
    return End{rank, portable_pow(rank, theta_), cubic_error(rank, width())};
  };
  cells_.reserve(count);
  End begin = end_at(0);
  for (std::size_t i = 0; i < count; ++i) {
    const End end = end_at(i + 1);
    const double from = width() * begin.slope, to = width() * end.slope, rise = end.rank - begin.rank;
    // The fourth derivative is a power of the rank, hence monotone: its maximum lies at one of the ends.
    const double error =
        2 * std::max(begin.error, end.error) + kRounding * begin.rank + kRoundingOfDraw * begin.slope * draws;
    cells_.push_back({begin.rank, from, 3 * rise - 2 * from - to, from + to - 2 * rise, error});
    begin = end;
  }
}

/// The rank of the draw `u`, by exact inversion; 0: the draw is rejected.
std::uint64_t ZipfRank::worked_out(double u) const {
  const double y = drawn(u);
  const double x = integral_inverse(y);
  const double nearest = std::min(std::max(x + 0.5, 1.0), static_cast<double>(n_));
  const std::uint64_t rank = std::min(static_cast<std::uint64_t>(nearest), n_);
  const auto k = static_cast<double>(rank);
  return k - x <= accept_ || y >= integral(k + 0.5) - density(k) ? rank : 0;
}

}  // namespace flashloom
