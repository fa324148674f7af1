// [tier]: an SSD as a cache in front of an HDD.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

struct TierConfig {
  PolicyChoice policy{"pwc", {}};
  std::uint64_t segment = 1 << 20;             ///< bytes: unit of caching
  std::uint64_t cache_size = 0;                ///< bytes of the SSD that hold segments; 0: all that fit
  std::uint64_t journal = 1 << 20;             ///< bytes of the SSD for each of two journals, where the policy has them
  std::uint32_t journal_copies = 0;            ///< of each block of them; 0: two if the SSD may lose places, else one
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

  /// The keys of [tier].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .part("policy", &TierConfig::policy, "tiering",
              "which segments of the HDD the SSD holds; an HDD (hdd.capacity) makes the tier")
        .key("segment", &TierConfig::segment, Quantity::Bytes, {4096, 1 << 30}, "unit of caching")
        .key("cache_size", &TierConfig::cache_size, Quantity::Bytes, {0, kMaxBytes},
             "of the SSD, for segments; 0 B: all that fit")
        .rare()
        .key("journal", &TierConfig::journal, Quantity::Bytes, {4096, 1 << 30},
             "each of the two journals on the SSD, where the policy keeps its map by one")
        .count("journal_copies", &TierConfig::journal_copies, 0, 2,
               "of each block of the journals; 0: two where the SSD may lose single places, else one")
        .time("latency", &TierConfig::latency, 0, "the tier's software, each request")
        .common()
        .count("exchanges", &TierConfig::exchanges, 1, 4096,
               "segments on their way in at once; a miss beyond that brings nothing in")
        .choice("pass", &TierConfig::pass, {"idle", "daily", "command"},
                "when a maintenance pass begins: after idling, at a time of day, or when it is asked for")
        .time("pass_idle", &TierConfig::pass_idle, 0, "idle: without a request so long", 24 * kHour)
        .time("pass_interval", &TierConfig::pass_interval, 0, "idle: no sooner after the end of the last pass",
              kMaxTime)
        .time("day", &TierConfig::day, 1e6, "daily: length of a day", kMaxTime)
        .time("pass_at", &TierConfig::pass_at, 0, "daily: time of day", kMaxTime)
        .time("patience", &TierConfig::patience, 0,
              "each step of a pass waits for the host to have no request under way, but no longer than this")
        .rare()
        .key("shutdown", &TierConfig::shutdown, "the cuts of [power] are orderly: the tier stops first")
        .common()
        .time("ssd_fails_at", &TierConfig::ssd_fails_at, 0, "the whole SSD fails at this instant; 0 s: never",
              kMaxTime);
  }
};

/// Throws ConfigProblem for sizes and times that no tier can have.
void check_config(const TierConfig& tier);

}  // namespace flashloom
