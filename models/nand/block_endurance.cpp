#include "models/nand/block_endurance.hpp"

#include <algorithm>
#include <cmath>

namespace flashloom {
namespace {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) as numbers of [0, 1).
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

constexpr std::uint64_t kBlockStep = 0xD1B54A32D192ED03;  // seeds of neighbours lie far apart

}  // namespace

std::uint32_t BlockEndurance::least(const NandConfig& config) {
  return static_cast<std::uint32_t>(std::max(1.0, std::floor(config.endurance * (1 - 6 * config.endurance_deviation))));
}

std::uint32_t BlockEndurance::limit(std::uint32_t block) const {
  if (deviation_ == 0) return cycles_;
  // The sum of twelve uniform numbers is nearly normal, of variance 1, and has no tails beyond 6 deviations.
  Uniform uniform(seed_ + (std::uint64_t{block} + 1) * kBlockStep);
  double normal = -6;
  for (int i = 0; i < 12; ++i) normal += uniform.next();
  return static_cast<std::uint32_t>(std::max(1.0, std::round(cycles_ * (1 + deviation_ * normal))));
}

bool BlockEndurance::fails_in_program(std::uint32_t block) const {
  return program_failures_ != 0 && Uniform(~seed_ + (std::uint64_t{block} + 1) * kBlockStep).next() < program_failures_;
}

}  // namespace flashloom
