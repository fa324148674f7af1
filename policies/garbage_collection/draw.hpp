// Random numbers of a policy: seeded, the same on every computer (SplitMix64; Steele, Lea, Flood, OOPSLA 2014), 8 bytes
// of state.
#pragma once

#include <cstdint>

#include "policies/state_archive.hpp"

namespace flashloom {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// 0 ... n - 1, uniform (to n / 2^32).
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(((next() >> 32) * n) >> 32); }

  void state(StateArchive& archive) { archive(state_); }

 private:
  std::uint64_t state_;
};

}  // namespace flashloom
