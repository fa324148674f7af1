// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): seeded choices of models.
#pragma once

#include <cstdint>

namespace flashloom {

/// The `n`-th number of the sequence with this seed.
constexpr std::uint64_t split_mix(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t x = seed + (n + 1) * 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace flashloom
