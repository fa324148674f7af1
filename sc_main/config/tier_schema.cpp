// The table [tier] of a device file.
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_tier(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "tier")
      .part("policy", FLASHLOOM_MEMBER(tier.policy), "tiering",
            "which segments of the HDD the SSD holds; an HDD (hdd.capacity) makes the tier")
      .key("segment", FLASHLOOM_MEMBER(tier.segment), Quantity::Bytes, {4096, 1 << 30}, "unit of caching")
      .key("cache_size", FLASHLOOM_MEMBER(tier.cache_size), Quantity::Bytes, {0, kMaxBytes},
           "of the SSD, for segments; 0 B: all that fit")
      .key("journal", FLASHLOOM_MEMBER(tier.journal), Quantity::Bytes, {4096, 1 << 30},
           "each of the two journals on the SSD, where the policy keeps its map by one")
      .count("journal_copies", FLASHLOOM_MEMBER(tier.journal_copies), 0, 2,
             "of each block of the journals; 0: two with a nand.errors.model, else one")
      .time("latency", FLASHLOOM_MEMBER(tier.latency), 0, "the tier's software, each request")
      .count("exchanges", FLASHLOOM_MEMBER(tier.exchanges), 1, 4096,
             "segments on their way in at once; a miss beyond that brings nothing in")
      .choice("pass", FLASHLOOM_MEMBER(tier.pass), {"idle", "daily", "command"},
              "when a maintenance pass begins: after idling, at a time of day, or when it is asked for")
      .time("pass_idle", FLASHLOOM_MEMBER(tier.pass_idle), 0, "idle: without a request so long", 24 * kHour)
      .time("pass_interval", FLASHLOOM_MEMBER(tier.pass_interval), 0, "idle: no sooner after the end of the last pass",
            kMaxTime)
      .time("day", FLASHLOOM_MEMBER(tier.day), 1e6, "daily: length of a day", kMaxTime)
      .time("pass_at", FLASHLOOM_MEMBER(tier.pass_at), 0, "daily: time of day", kMaxTime)
      .time("patience", FLASHLOOM_MEMBER(tier.patience), 0,
            "each step of a pass waits for the host to have no request under way, but no longer than this")
      .key("shutdown", FLASHLOOM_MEMBER(tier.shutdown), "the cuts of [power] are orderly: the tier stops first")
      .time("ssd_fails_at", FLASHLOOM_MEMBER(tier.ssd_fails_at), 0, "the whole SSD fails at this instant; 0 s: never",
            kMaxTime);
}

}  // namespace flashloom
