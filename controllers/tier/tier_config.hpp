// [tier]: an SSD as a cache in front of an HDD.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/types.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

struct TierConfig {
  PolicyChoice policy{"pwc", {}};
  std::uint64_t segment = 1 << 20;             ///< bytes: unit of caching
  std::uint64_t cache_size = 0;                ///< bytes of the SSD that hold segments; 0: all that fit
  std::uint64_t journal = 1 << 20;             ///< bytes of the SSD for each of two journals, where the policy has them
  std::uint32_t journal_copies = 0;            ///< of each block of them; 0: two with bit errors of the SSD, else one
  Picoseconds latency = kMicrosecond;          ///< of the tier's software, each request
  std::uint32_t exchanges = 4;                 ///< fills at once; a miss beyond that fills nothing
  std::string pass = "idle";                   ///< when a pass begins: "idle", "daily" or "command"
  Picoseconds pass_idle = 600 * kSecond;       ///< idle: without a request
  Picoseconds pass_interval = 3600 * kSecond;  ///< idle: no sooner after the pass before
  Picoseconds day = 86'400 * kSecond;          ///< daily: length of a day
  Picoseconds pass_at = 3 * 3600 * kSecond;    ///< daily: time of day
  Picoseconds patience = 10 * kSecond;  ///< a pass waits so long for the host to be idle before each of its steps
  bool shutdown = false;                ///< the power cuts of [power] are orderly: the tier stops first
  Picoseconds ssd_fails_at = 0;         ///< the whole SSD fails; 0: never
};

/// Throws ConfigProblem for sizes and times that no tier can have.
void check_config(const TierConfig& tier);

}  // namespace flashloom
