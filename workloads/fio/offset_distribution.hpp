// random_distribution: draws the block of a random request, for the distributions that do without a random map.
#pragma once

#include <cstdint>

#include "workloads/fio/fio_job.hpp"
#include "workloads/random.hpp"

namespace flashloom {

/// Zipf, Pareto and normal, as fio 3.33 computes them (its lib/zipf.c and lib/gauss.c): a multiplicative hash scatters
/// the ranks over the region, also those of the normal distribution; a center shifts them.
class OffsetDistribution {
 public:
  OffsetDistribution() = default;
  /// `blocks` > 0; the kind is Zipf, Pareto or Normal.
  OffsetDistribution(const FioDistribution& distribution, std::uint64_t blocks, Random& random);

  /// Draws a block in [0, blocks).
  std::uint64_t next(Random& random) const;

 private:
  std::uint64_t zipf(double uniform) const;
  std::uint64_t pareto(double uniform) const;
  std::uint64_t normal(Random& random) const;

  FioDistribution::Kind kind_ = FioDistribution::Kind::Uniform;
  double parameter_ = 0;
  std::uint64_t blocks_ = 1;
  std::uint64_t shift_ = 0;  // added to each hashed rank: place of rank 0, blocks
  double zeta2_ = 0;
  double zetan_ = 0;
  double pareto_power_ = 0;
  std::uint64_t deviation_ = 0;  // blocks
};

/// Uniform in [0, 1).
double uniform_share(Random& random);

}  // namespace flashloom
