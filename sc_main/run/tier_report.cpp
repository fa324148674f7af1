#include "sc_main/run/tier_report.hpp"

#include <fmt/format.h>

#include "policies/registry.hpp"
#include "sc_main/run/report.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json requests_json(const TierRequests& requests) {
  return {{"reads", requests.reads},
          {"read_hits", requests.read_hits},
          {"writes", requests.writes},
          {"write_hits", requests.write_hits},
          {"hit_ratio", share(requests.read_hits + requests.write_hits, requests.reads + requests.writes)},
          {"read_bytes", requests.read_bytes},
          {"read_hit_bytes", requests.read_hit_bytes},
          {"write_bytes", requests.write_bytes},
          {"write_hit_bytes", requests.write_hit_bytes}};
}

Json traffic_json(const TierTraffic& traffic) {
  return {{"reads", traffic.reads},
          {"read_bytes", traffic.read_bytes},
          {"writes", traffic.writes},
          {"write_bytes", traffic.write_bytes}};
}

// The memory that the tier's software needs, beside what a list of all cached units would.
Json memory_json(const TierController& tier, const DeviceConfig& config) {
  const auto policy = Family<TieringPolicy>::make(config.tier.policy, {tier.layout().segments, tier.layout().slots});
  constexpr std::uint64_t kMapEntry = sizeof(Segment);
  constexpr std::uint64_t kLinks = 2 * 8;  // a doubly linked list
  constexpr std::uint64_t kListed = 4096;  // bytes of what a list of cached blocks has an entry for
  const std::uint64_t cached = std::uint64_t{tier.layout().slots} * config.tier.segment;
  return {{"map_bytes", tier.layout().slots * kMapEntry},
          {"policy_bytes", policy->metadata_bytes()},
          {"dirty_bitmap_bytes", (tier.layout().slots + 7) / 8},
          {"list_of_4k_blocks_bytes", cached / kListed * kLinks},
          {"area_bytes", tier.layout().metadata.area_bytes}};
}

}  // namespace

std::uint64_t ssd_written_bytes(const Simulation& simulation) {
  if (simulation.tier() != nullptr) return simulation.tier()->statistics().cache.write_bytes;
  return simulation.totals_in_window().bytes_of(IoOperation::Write);
}

nlohmann::ordered_json tier_json(const Simulation& simulation, const DeviceConfig& config) {
  if (simulation.tier() == nullptr) return nullptr;
  const TierController& tier = *simulation.tier();
  const TierStatistics& statistics = tier.statistics();
  Picoseconds in_passes = 0;
  for (const TierPass& pass : statistics.passes) in_passes += pass.end - pass.begin;
  std::uint64_t dirty = 0;
  for (Slot slot = 0; slot < tier.layout().slots; ++slot) dirty += tier.tier()->dirty(slot) ? 1 : 0;
  Json json = {{"policy", config.tier.policy.name},
               {"segments", tier.layout().segments},
               {"slots", tier.layout().slots},
               {"segment_bytes", config.tier.segment},
               {"cached_segments_at_end", tier.tier()->map().used()},
               {"dirty_segments_at_end", dirty},
               {"retired", tier.tier()->retired()}};
  json["requests"] = requests_json(statistics.total());
  Json& streams = json["streams"] = Json::array();
  for (const TierRequests& stream : statistics.streams) streams.push_back(requests_json(stream));
  json["filled_segments"] = statistics.filled;
  json["written_back_segments"] = statistics.written_back;
  json["evicted_segments"] = statistics.evicted;
  json["invalidated_segments"] = statistics.invalidated;
  json["not_admitted"] = statistics.not_admitted;
  json["dual_writes"] = statistics.dual_writes;
  json["lost_requests"] = statistics.lost_requests;
  json["passes"] = statistics.passes.size();
  json["passes_s"] = seconds(in_passes);
  json["metadata"] = {{"images", statistics.metadata.images},
                      {"image_bytes", statistics.metadata.image_bytes},
                      {"journal_blocks", statistics.metadata.journal_blocks},
                      {"bytes_read", statistics.metadata.bytes_read}};
  json["ssd"] = traffic_json(statistics.cache);
  json["hdd"] = traffic_json(statistics.home);
  json["memory"] = memory_json(tier, config);
  return json;
}

nlohmann::ordered_json hdd_json(const Simulation& simulation) {
  if (simulation.hdd() == nullptr) return nullptr;
  const HddStatistics& statistics = simulation.hdd()->statistics();
  const auto operation = [&](IoOperation which) {
    const HddStatistics::Operation& done = statistics.operations[static_cast<std::size_t>(which)];
    return Json{{"ios", done.ios}, {"bytes", done.bytes}};
  };
  return {{"read", operation(IoOperation::Read)},
          {"write", operation(IoOperation::Write)},
          {"flush", operation(IoOperation::Flush)},
          {"read_hits", statistics.read_hits},
          {"reads_continued", statistics.reads_continued},
          {"cached_writes", statistics.cached_writes},
          {"throttled_writes", statistics.throttled_writes},
          {"media",
           {{"reads", statistics.media_reads},
            {"read_bytes", statistics.media_read_bytes},
            {"read_ahead_bytes", statistics.read_ahead_bytes},
            {"writes", statistics.media_writes},
            {"write_bytes", statistics.media_write_bytes},
            {"read_modify_writes", statistics.read_modify_writes}}},
          {"seeks", statistics.seeks},
          {"seek_cylinders", statistics.seek_cylinders},
          {"seek_s", seconds(statistics.seek_time)},
          {"rotation_s", seconds(statistics.rotation_time)},
          {"transfer_s", seconds(statistics.transfer_time)},
          {"spin_ups", statistics.spin_ups},
          {"spin_up_s", seconds(statistics.spin_up_time)}};
}

std::string tier_passes_csv(const Simulation& simulation) {
  if (simulation.tier() == nullptr) return {};
  std::string text = "begin_s,end_s,written_back_segments,filled_segments\n";
  for (const TierPass& pass : simulation.tier()->statistics().passes)
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
