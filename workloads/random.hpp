// Random numbers with fixed algorithms: the same seed gives the same workload with every compiler and library.
#pragma once

#include <array>
#include <cstdint>

namespace flashloom {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): one step is also a good 64-bit mixing function.
constexpr std::uint64_t splitmix64(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

/// The seed of one of several independent streams under one seed.
constexpr std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed;
  state = splitmix64(state) ^ stream;
  return splitmix64(state);
}

/// xoshiro256** 1.0 (Blackman and Vigna, 2018).
class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = splitmix64(seed);
  }

  constexpr std::uint64_t next() {
    const std::uint64_t result = rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, bound), bound > 0, without bias: Lemire's method (ACM TOMACS 29(1), 2019).
  constexpr std::uint64_t below(std::uint64_t bound) {
    Product product = Product{next()} * bound;
    if (static_cast<std::uint64_t>(product) < bound) {
      const std::uint64_t threshold = (0 - bound) % bound;
      while (static_cast<std::uint64_t>(product) < threshold) product = Product{next()} * bound;
    }
    return static_cast<std::uint64_t>(product >> 64U);
  }

  /// Uniform in [0, 1): multiples of 2^-53.
  constexpr double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  /// True with the given probability; never for 0, always for 1.
  constexpr bool chance(double probability) { return unit() < probability; }

 private:
  __extension__ using Product = unsigned __int128;
  static constexpr std::uint64_t rotl(std::uint64_t x, unsigned k) { return (x << k) | (x >> (64U - k)); }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace flashloom
