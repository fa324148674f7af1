#include "sc_main/assembly/config/reader.hpp"

#include <algorithm>
#include <functional>

#include "controllers/host/host_drivers.hpp"
#include "models/hdd/hdd_config.hpp"
#include "models/memory/dram_kinds.hpp"
#include "models/memory/nvram_kinds.hpp"
#include "models/nand/onfi_timing_modes.hpp"
#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/codec.hpp"
#include "sc_main/assembly/config/key_range.hpp"
#include "sc_main/assembly/config/part_choice.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {
namespace {

constexpr const char* kSource = "source";
constexpr const char* kUncertainty = "uncertainty";
constexpr const char* kNoRange = "none";

/// Valid names in a table: its keys and sub-tables.
std::vector<std::string> names_in(const std::string& table) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_schema())
    if (key.table == table) names.push_back(key.name);
  for (const std::string& other : config_tables()) {
    const std::size_t dot = other.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : other.substr(0, dot);
    if (parent == table) names.push_back(dot == std::string::npos ? other : other.substr(dot + 1));
  }
  return names;
}

[[noreturn]] void unknown_key(const ConfigNode& node, const std::string& table, const std::string& name) {
  const auto valid = names_in(table);
  std::string message = node.is_table() && table.empty() ? "no such table" : "no such key";
  const std::string meant = did_you_mean(name, valid);
  message += meant;
  if (meant.empty()) {
    for (const ConfigKey& key : config_schema()) {  // right name, wrong table
      if (key.name != name) continue;
      message += " (did you mean \"" + key.path() + "\"?)";
      break;
    }
  }
  throw ConfigError(node.where, table.empty() ? name : table + "." + name,
                    message + "; valid" + (table.empty() ? "" : " in [" + table + "]") + ": " +
                        join_nearest(name, valid, "`flashloom list config`"));
}

/// Reads a table of remarks (sources, ranges) on the keys of its parent table; `what`: an example of a remark.
void read_remarks(
    const ConfigNode& node, const std::string& path, const std::string& table, const std::string& what,
    const std::function<void(const std::string& name, const ConfigNode& node, const std::string& text)>& take) {
  if (!node.is_table())
    throw ConfigError(node.where, path,
                      "must be a table { key = \"" + what + "\" }; it is " + std::string(node.type_name()));
  const auto valid = names_in(table);
  for (const auto& [name, text] : node.table()) {
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) unknown_key(text, table, name);
    if (!std::holds_alternative<std::string>(text.value))
      throw ConfigError(text.where, path + "." + name, "must be a string; it is " + std::string(text.type_name()));
    take(name, text, std::get<std::string>(text.value));
  }
}

void read_sources(const ConfigNode& node, const std::string& table, DeviceConfig& config) {
  read_remarks(node, path_in(table, kSource), table, "where its figure comes from",
               [&](const std::string& name, const ConfigNode&, const std::string& text) {
                 config.sources[path_in(table, name)] = text;
               });
}

void read_ranges(const ConfigNode& node, const std::string& table, DeviceConfig& config, ConfigOrigins& origins) {
  const auto is_none = [](const ConfigNode& value) {
    const auto* const word = std::get_if<std::string>(&value.value);
    return word != nullptr && *word == kNoRange;
  };
  if (is_none(node)) return;  // --set nand.uncertainty=none: no ranges in the whole table
  const std::string path = path_in(table, kUncertainty);
  ConfigNode ranges = node;
  // If --set nand.uncertainty.KEY=... follows "none", apply_override() has made that word the `name` of a table.
  if (ranges.is_table() && !table.empty())
    std::erase_if(ranges.table(), [&](const auto& each) { return each.first == "name" && is_none(each.second); });
  read_remarks(ranges, path, table, "17 mA to 35 mA",
               [&](const std::string& name, const ConfigNode& place, const std::string& text) {
                 const std::string of = path_in(table, name);
                 const ConfigKey* const key = find_config_key(of);
                 if (key == nullptr)
                   throw ConfigError(place.where, path_in(path, name), "is a table; ranges are of keys");
                 config.ranges.erase(of);
                 if (text == kNoRange) return;
                 try {
                   config.ranges[of] = parse_range(*key, text);
                 } catch (const QuantityError& error) {
                   throw ConfigError(place.where, path_in(path, name), error.what());
                 }
                 origins.note(path_in(path, name), place.where);
               });
}

void read_table(const ConfigNode& node, const std::string& table, DeviceConfig& config, ConfigOrigins& origins) {
  for (const auto& [name, value] : node.table()) {
    const std::string path = path_in(table, name);
    origins.note(path, value.where);
    const auto& tables = config_tables();
    if (name == kSource) {
      read_sources(value, table, config);
    } else if (name == kUncertainty) {
      read_ranges(value, table, config, origins);
    } else if (const ConfigKey* key = find_config_key(path)) {
      read_value(value, *key, config);
    } else if (std::find(tables.begin(), tables.end(), path) != tables.end()) {
      if (path == "cpu" && std::holds_alternative<std::string>(value.value)) {  // cpu = "ideal"
        read_value(value, *find_config_key("cpu.model"), config);
        continue;
      }
      if (!value.is_table())
        throw ConfigError(value.where, path, "must be a table; it is " + std::string(value.type_name()));
      read_table(value, path, config, origins);
    } else {
      unknown_key(value, table, name);
    }
  }
}

/// Reads one key before the others, since it decides the defaults of its table.
void read_early(const ConfigNode& document, const std::string& table, const std::string& name, DeviceConfig& config) {
  const std::size_t dot = table.find('.');
  const ConfigNode* node = document.find(table.substr(0, dot));
  if (node != nullptr && node->is_table() && dot != std::string::npos) node = node->find(table.substr(dot + 1));
  if (node == nullptr || !node->is_table()) return;
  if (const ConfigNode* value = node->find(name)) read_value(*value, *find_config_key(table + "." + name), config);
}

void set_nvram_by_kind(const ConfigNode& document, const std::string& table, NvramConfig& nvram, DeviceConfig& config) {
  read_early(document, table, "kind", config);
  if (const NvramKind* kind = find_nvram_kind(nvram.kind)) {
    nvram = kind->defaults;
    config.sources[table + ".kind"] = std::string(kind->source);
  }
}

/// Sets the bus timing by interface and mode. An invalid mode leaves the defaults; validate_device() refuses it.
void set_bus_by_interface(const ConfigNode& document, DeviceConfig& config) {
  read_early(document, "nand", "interface", config);
  read_early(document, "nand", "timing_mode", config);
  const OnfiInterface* const interface = find_onfi_interface(config.nand.interface);
  if (interface == nullptr || config.nand.timing_mode >= interface->cycle_ps.size()) return;
  apply_onfi_timing(config.nand);
  config.sources["nand.interface"] = interface->source;
}

void set_read_times_by_senses(const ConfigNode& document, DeviceConfig& config) {
  for (const char* const key : {"senses", "sense_time", "read_setup"}) read_early(document, "nand", key, config);
  if (config.nand.senses.empty()) return;
  config.nand.read_time = config.nand.times_by_senses();
  config.sources["nand.read_time"] = "nand.read_setup + nand.senses x nand.sense_time";
}

void set_dram_by_kind(const ConfigNode& document, DeviceConfig& config) {
  read_early(document, "dram", "kind", config);
  if (const DramKind* kind = find_dram_kind(config.dram.kind)) {
    config.dram = kind->defaults;
    config.sources["dram.kind"] = std::string(kind->source);
  }
}

void set_host_by_driver(const ConfigNode& document, DeviceConfig& config) {
  read_early(document, "host", "driver", config);
  if (const HostDriverKind* kind = find_host_driver(config.host.driver)) {
    config.host.submit_cost = kind->submit_cost;
    config.host.complete_cost = kind->complete_cost;
    config.host.complete_latency = kind->complete_latency;
    config.sources["host.driver"] = std::string(kind->source);
  }
}

void set_defaults_by_kind(const ConfigNode& document, DeviceConfig& config) {
  set_host_by_driver(document, config);
  set_bus_by_interface(document, config);
  set_read_times_by_senses(document, config);
  set_dram_by_kind(document, config);
  set_nvram_by_kind(document, "nvram", config.nvram, config);
  set_nvram_by_kind(document, "heap.nvram", config.heap.nvram, config);
  set_nvram_by_kind(document, "array.nvram", config.array.nvram, config);
  read_early(document, "link", "kind", config);
  constexpr std::uint32_t kSataDataFis = 8192;  // bytes of data a SATA Data FIS carries
  if (config.link.kind == "sata") config.link.max_payload = kSataDataFis;
  read_early(document, "host_interface", "kind", config);
  constexpr std::uint32_t kSataTags = 32;
  if (config.host_interface.kind.name == "sata")
    config.host_interface.queue_depth = config.host_interface.commands = kSataTags;
}

/// Adds the sources of the default values of the HDD that the file does not override.
void add_hdd_sources(const ConfigOrigins& origins, DeviceConfig& config) {
  if (config.hdd.capacity == 0) return;
  for (const HddSource& source : hdd_sources()) {
    const std::string path = "hdd." + std::string(source.key);
    if (!origins.written(path)) config.sources.try_emplace(path, source.source);
  }
}

}  // namespace

std::string ConfigOrigins::where(const std::string& path) const {
  const auto found = places_.find(path);
  if (found != places_.end()) return found->second;
  const std::size_t dot = path.rfind('.');
  if (dot != std::string::npos) {
    const auto table = places_.find(path.substr(0, dot));
    if (table != places_.end()) return table->second + " (default)";
  }
  return file_ + " (default)";
}

DeviceConfig read_device(const ConfigNode& document, ConfigOrigins& origins) {
  DeviceConfig config;
  set_defaults_by_kind(document, config);
  read_table(document, "", config, origins);
  add_hdd_sources(origins, config);
  for (const ConfigKey& key : config_schema()) {
    if (key.family.empty()) continue;
    PolicyChoice& part = *std::get<PolicyChoice*>(key.member(config));
    try {
      part = complete_part(part, key.family);  // default parts get all their parameters, too
    } catch (const UnknownPart& error) {
      throw ConfigError(origins.where(key.path()), key.path(), error.what());
    }
  }
  return config;
}

}  // namespace flashloom
