#include "workloads/fio/offset_distribution.hpp"

#include <algorithm>
#include <cmath>

namespace flashloom {
namespace {

constexpr std::uint64_t kZetaTerms = 10'000'000;  // fio's cap: more terms change little and cost time
constexpr std::uint64_t kGoldenRatio = 0x61C8864680B583EBU;
constexpr int kNormalDraws = 12;

std::uint64_t hashed(std::uint64_t value) { return value * kGoldenRatio; }

double as_double(std::uint64_t value) { return static_cast<double>(value); }

}  // namespace

double uniform_share(Random& random) { return as_double(random.next() >> 11U) * 0x1p-53; }

OffsetDistribution::OffsetDistribution(const FioDistribution& distribution, std::uint64_t blocks, Random& random)
    : kind_(distribution.kind), parameter_(distribution.parameter), blocks_(blocks) {
  const double n = as_double(blocks);
  if (kind_ == FioDistribution::Kind::Normal) {
    deviation_ = std::min(static_cast<std::uint64_t>(std::ceil(n * parameter_ / 100.0)), blocks / 2);
    // fio's offset is unsigned and taken modulo the region, so a center below a half shifts backwards.
    if (distribution.center) {
      const double shift = n * (*distribution.center - 0.5);
      shift_ = static_cast<std::uint64_t>(shift < 0 ? n + shift : shift);
    }
    return;
  }
  shift_ = distribution.center ? static_cast<std::uint64_t>(n * *distribution.center) : random.below(blocks);
  if (kind_ == FioDistribution::Kind::Zipf) {
    zeta2_ = 1.0 + std::pow(0.5, parameter_);
    for (std::uint64_t i = 1; i <= std::min(blocks, kZetaTerms); ++i)
      zetan_ += std::pow(1.0 / as_double(i), parameter_);
  } else {
    pareto_power_ = std::log(parameter_) / std::log(1.0 - parameter_);
  }
}

std::uint64_t OffsetDistribution::zipf(double uniform) const {
  const double z = uniform * zetan_;
  if (z < 1.0) return 0;
  if (z < zeta2_) return 1;
  const double n = as_double(blocks_);
  const double eta = (1.0 - std::pow(2.0 / n, 1.0 - parameter_)) / (1.0 - zeta2_ / zetan_);
  const double rank = n * std::pow(eta * uniform - eta + 1.0, 1.0 / (1.0 - parameter_));
  return std::min(static_cast<std::uint64_t>(rank), blocks_ - 1);
}

std::uint64_t OffsetDistribution::pareto(double uniform) const {
  return static_cast<std::uint64_t>(as_double(blocks_ - 1) * std::pow(uniform, pareto_power_));
}

// The mean of twelve uniform draws plus a uniform deviation.
std::uint64_t OffsetDistribution::normal(Random& random) const {
  std::uint64_t sum = 0;
  for (int i = 0; i < kNormalDraws; ++i) sum += random.below(blocks_ + 1);
  auto block = static_cast<std::int64_t>((sum + kNormalDraws - 1) / kNormalDraws);
  if (deviation_ != 0) {
    auto by = static_cast<std::int64_t>(random.below(deviation_)) - static_cast<std::int64_t>(deviation_ / 2);
    // The mean can be `blocks_`, one beyond the last block, and stay there when the deviation shrinks to 0; next()
    // takes it modulo the region, as fio does.
    while (by != 0 && (block + by >= static_cast<std::int64_t>(blocks_) || block + by < 0)) by /= 2;
    block += by;
  }
  return static_cast<std::uint64_t>(block);
}

std::uint64_t OffsetDistribution::next(Random& random) const {
  const std::uint64_t rank = kind_ == FioDistribution::Kind::Normal ? normal(random)
                             : kind_ == FioDistribution::Kind::Zipf ? zipf(uniform_share(random))
                                                                    : pareto(uniform_share(random));
  return (hashed(rank) + shift_) % blocks_;
}

}  // namespace flashloom
