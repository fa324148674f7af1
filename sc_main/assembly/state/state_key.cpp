#include "sc_main/assembly/state/state_key.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ssd/firmware.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/quantity.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/toml_text.hpp"
#include "sc_main/assembly/config/writer.hpp"

namespace flashloom {
namespace {

/// Keys that shape a state in another key's name: capacity_bytes() is in ftl.logical_size.
bool is_state_key(const ConfigKey& key) {
  return key.role == StateRole::Shapes && key.path() != "ftl.over_provisioning";
}

/// "8 in the state", or "not in the state".
std::string value_in(const StateKeys& keys, const std::string& path, const std::string& where) {
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& key) { return key.first == path; });
  return (found == keys.end() ? "unknown" : found->second) + " " + where;
}

/// Whether dies differ by their numbers alone, so that drives of as many dies have the same states whatever their channels
/// and ways: dies are numbered channel first, then by way. The sets of dies of zones and of reclaim groups, other orders of
/// placement, and placements of others see more.
bool dies_are_numbers(const DeviceConfig& config) {
  const PolicyChoice& placement = config.ftl.placement;
  constexpr std::array<std::string_view, 6> known = {"cold",       "cold_least_loaded", "least_loaded",
                                                     "least_worn", "static_order",      "superblock"};
  const PartInfo* const part = PartCatalog::instance().find(PlacementPolicy::kFamily, placement.name);
  if (part == nullptr || std::ranges::find(known, part->name) == known.end()) return false;
  if (is_zoned(config.ftl) || config.ftl.fdp.on()) return false;
  const auto order = placement.parameters.all().find("order");
  if (order == placement.parameters.all().end()) return true;  // CWDP
  const auto& text = std::get<std::string>(order->second);
  return text == "CWDP" || text == "PCWD";
}

bool is_number_of_dies(const ConfigKey& key) {
  return key.table == "nand" && (key.name == "channels" || key.name == "ways" || key.name == "dies");
}

}  // namespace

// The NVRAM does not affect a state, but a configuration that keeps data in NVRAM is invalid without one.
bool shapes_state(const ConfigKey& key) {
  return key.role == StateRole::Shapes || key.path() == "nvram.kind" || key.path() == "nvram.size";
}

StateKeys state_keys(const DeviceConfig& config) {
  StateKeys keys;
  const bool numbers = dies_are_numbers(config);
  if (numbers)
    keys.emplace_back("nand.channels x ways x dies",
                      std::to_string(config.nand.channels * config.nand.ways * config.nand.dies));
  for (const ConfigKey& key : config_schema()) {
    if ((numbers && is_number_of_dies(key)) || !is_state_key(key) || (key.table == "array" && !config.array.present()))
      continue;
    keys.emplace_back(key.path(), key.path() == "ftl.logical_size"
                                      ? toml_string(format_exact(Quantity::Bytes, capacity_bytes(config)))
                                      : toml_value(key, config));
  }
  if (config.verify) keys.emplace_back("power.cut_at", config.power.cut_count() != 0 ? "a cut" : "none");
  return keys;
}

StateKeys precondition_keys(const DeviceConfig& config) {
  StateKeys keys;
  for (const ConfigKey& key : config_schema())
    if (key.table == "precondition") keys.emplace_back(key.path(), toml_value(key, config));
  return keys;
}

std::string hash_of(const StateKeys& keys) {
  ContentHash hash;
  for (const auto& [path, value] : keys) hash.add(path + " = " + value + "\n");
  return hash.text();
}

std::string difference(const StateKeys& state, const StateKeys& here, const std::string& where) {
  std::string text;
  const auto compare = [&](const StateKeys& keys, const StateKeys& others, bool only_missing) {
    for (const auto& [path, value] : keys) {
      const auto other =
          std::find_if(others.begin(), others.end(), [&p = path](const auto& k) { return k.first == p; });
      if (other != others.end() && (only_missing || other->second == value)) continue;
      text += (text.empty() ? "" : "; ") + path + " is " + value_in(state, path, where) + " and " +
              value_in(here, path, "here");
    }
  };
  compare(state, here, false);
  compare(here, state, true);
  return text;
}

}  // namespace flashloom
