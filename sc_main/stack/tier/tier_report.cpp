#include "sc_main/stack/tier/tier_report.hpp"

#include <fmt/format.h>

#include "policies/registry.hpp"
#include "sc_main/assembly/report/counters_json.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

// Memory of the tier's software, and for comparison that of a list of all cached 4 KiB blocks.
Json memory_json(const TierController& tier, const DeviceConfig& config) {
  const auto policy = Family<TieringPolicy>::make(config.tier.policy, {tier.layout().segments, tier.layout().slots});
  constexpr std::uint64_t kMapEntry = sizeof(Segment);
  constexpr std::uint64_t kLinks = 2 * 8;  // a doubly linked list
  constexpr std::uint64_t kListed = 4096;  // bytes of cached data per list entry
  const std::uint64_t cached = std::uint64_t{tier.layout().slots} * config.tier.segment;
  return {{"map_bytes", tier.layout().slots * kMapEntry},
          {"policy_bytes", policy->metadata_bytes()},
          {"dirty_bitmap_bytes", (tier.layout().slots + 7) / 8},
          {"list_of_4k_blocks_bytes", cached / kListed * kLinks},
          {"area_bytes", tier.layout().metadata.area_bytes}};
}

}  // namespace

nlohmann::ordered_json tier_json(const TierController& tier, const DeviceConfig& config) {
  std::uint64_t dirty = 0;
  for (Slot slot = 0; slot < tier.layout().slots; ++slot) dirty += tier.tier()->dirty(slot) ? 1 : 0;
  Json json = {{"policy", config.tier.policy.name},
               {"segments", tier.layout().segments},
               {"slots", tier.layout().slots},
               {"segment_bytes", config.tier.segment},
               {"cached_segments_at_end", tier.tier()->map().used()},
               {"dirty_segments_at_end", dirty},
               {"retired", tier.tier()->retired()}};
  add_counters(json, tier.statistics());
  const TierMetadata::Layout& metadata = tier.layout().metadata;
  if ((config.nand.errors.on() || metadata.copies > 1) && metadata.journal_bytes != 0)
    json["journal"] = {{"copies", metadata.copies},
                       {"block_bytes", metadata.block_bytes},
                       {"unreadable_blocks", tier.statistics().metadata.unreadable_blocks}};
  json["memory"] = memory_json(tier, config);
  return json;
}

std::string tier_passes_csv(const TierController& tier) {
  std::string text = "begin_s,end_s,written_back_segments,filled_segments\n";
  for (const TierPass& pass : tier.statistics().passes)
    text += fmt::format("{},{},{},{}\n", seconds(pass.begin), seconds(pass.end), pass.written_back, pass.filled);
  return text;
}

std::string tier_summary(const nlohmann::ordered_json& result) {
  const Json& tier = result["tier"];
  if (tier.is_null()) return {};
  const auto number = [](const Json& value) { return value.get<std::uint64_t>(); };
  const Json& requests = tier["requests"];
  std::string text =
      fmt::format("  tier   {}: {:.2f} % of the requests from the SSD; {} of {} slots used; {} segments in, {} back\n",
                  tier["policy"].get<std::string>(), 100 * requests["hit_ratio"].get<double>(),
                  number(tier["cached_segments_at_end"]), number(tier["slots"]), number(tier["filled_segments"]),
                  number(tier["written_back_segments"]));
  if (number(tier["passes"]) != 0)
    text += fmt::format("         {} passes in {:.4g} s\n", number(tier["passes"]), tier["passes_s"].get<double>());
  if (tier["retired"].get<bool>())
    text +=
        fmt::format("         the SSD has failed; {} requests to what it alone had\n", number(tier["lost_requests"]));
  return text;
}

}  // namespace flashloom
