// What a device file says of its state before the run: [precondition].
#pragma once

#include <cmath>
#include <cstdint>

#include "models/common/quantity.hpp"

namespace flashloom {

/// [precondition].
struct PreconditionConfig {
  double fill = 0.0;                       ///< share of the logical space written sequentially beforehand
  std::uint64_t request_size = 128 << 10;  ///< bytes of its requests
  bool steady = false;  ///< then random overwrites until WAF settles (< 1 % from capacity write to capacity write)
  bool drawn = false;   ///< the steady state is drawn from theory, where theory is of the device
  std::uint32_t max_passes = 20;  ///< give up settling after so many capacity writes

  /// The keys of [precondition].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .key("fill", &PreconditionConfig::fill, Quantity::Ratio, {0, 1},
             "share of the logical space written sequentially beforehand")
        .key("request_size", &PreconditionConfig::request_size, Quantity::Bytes, {512, 1 << 24},
             "of that sequential write; what a write buffer takes for belonging together may depend on it")
        .key("steady", &PreconditionConfig::steady, "then random overwrites until write amplification settles")
        .key("drawn", &PreconditionConfig::drawn,
             "that state drawn from theory; where theory is not of the device, as without this key (precondition.drawn "
             "of a "
             "result says which)")
        .count("max_passes", &PreconditionConfig::max_passes, 1, 1000,
               "give up settling after so many capacity writes");
  }
};

/// Of a device of so many mapping units, those that are filled.
inline std::uint64_t filled_units(const PreconditionConfig& config, std::uint64_t units) {
  return static_cast<std::uint64_t>(std::llround(config.fill * static_cast<double>(units)));
}

}  // namespace flashloom
