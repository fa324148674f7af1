// What a device file says of its state before the run: [precondition].
#pragma once

#include <cmath>
#include <cstdint>

namespace flashloom {

/// [precondition].
struct PreconditionConfig {
  double fill = 0.0;                       ///< share of the logical space written sequentially beforehand
  std::uint64_t request_size = 128 << 10;  ///< bytes of its requests
  bool steady = false;  ///< then random overwrites until WAF settles (< 1 % from capacity write to capacity write)
  std::uint32_t max_passes = 20;  ///< give up settling after so many capacity writes
};

/// Of a device of so many mapping units, those that are filled.
inline std::uint64_t filled_units(const PreconditionConfig& config, std::uint64_t units) {
  return static_cast<std::uint64_t>(std::llround(config.fill * static_cast<double>(units)));
}

}  // namespace flashloom
