#include "sc_main/assembly/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "sc_main/assembly/config/table_builder.hpp"

namespace flashloom {
namespace {

using Keys = std::vector<ConfigKey>;

/// Adds the keys of a table that are told beside the struct that holds their values.
template <class Config>
void add_table(Keys& keys, const char* table, Config& (*config_of)(DeviceConfig&)) {
  TableBuilder<Config> builder(keys, table, config_of);
  Config::describe(builder);
}

#define FLASHLOOM_TABLE(name, path)                                                             \
  [](Keys& keys) {                                                                              \
    using Config = std::remove_cvref_t<decltype(std::declval<DeviceConfig>().path)>;            \
    add_table<Config>(keys, name, [](DeviceConfig& config) -> Config& { return config.path; }); \
  }

// In the order in which a device file is printed.
constexpr void (*kTables[])(Keys&) = {
    [](Keys& keys) { add_table<DeviceConfig>(keys, "", [](DeviceConfig& config) -> DeviceConfig& { return config; }); },
    FLASHLOOM_TABLE("host", host),
    FLASHLOOM_TABLE("host.cache", host.cache),
    FLASHLOOM_TABLE("link", link),
    FLASHLOOM_TABLE("host_interface", host_interface),
    FLASHLOOM_TABLE("nvme", nvme),
    FLASHLOOM_TABLE("cpu", cpu),
    [](Keys& keys) {
      TableBuilder<CpuConfig> builder(
          keys, "cpu.cycles", [](DeviceConfig & config) -> auto& { return config.cpu; });
      CpuConfig::describe_cycles(builder);
    },
    FLASHLOOM_TABLE("controller", controller),
    FLASHLOOM_TABLE("dram", dram),
    FLASHLOOM_TABLE("dram.timing", dram.timing),
    FLASHLOOM_TABLE("sram", sram),
    FLASHLOOM_TABLE("hmb", hmb),
    FLASHLOOM_TABLE("nvram", nvram),
    FLASHLOOM_TABLE("compression", compression),
    FLASHLOOM_TABLE("buffer", buffer),
    FLASHLOOM_TABLE("ftl", ftl),
    FLASHLOOM_TABLE("fdp", ftl.fdp),
    FLASHLOOM_TABLE("nand", nand),
    FLASHLOOM_TABLE("nand.errors", nand.errors),
    FLASHLOOM_TABLE("nand.ecc", nand.ecc),
    FLASHLOOM_TABLE("nand.variation", nand.variation),
    FLASHLOOM_TABLE("nand.network", nand.network),
    FLASHLOOM_TABLE("precondition", precondition),
    FLASHLOOM_TABLE("power", power),
    FLASHLOOM_TABLE("faults", faults),
    FLASHLOOM_TABLE("thermal", thermal),
    FLASHLOOM_TABLE("hdd", hdd),
    FLASHLOOM_TABLE("tier", tier),
    FLASHLOOM_TABLE("array", array),
    FLASHLOOM_TABLE("array.nvram", array.nvram),
    FLASHLOOM_TABLE("heap", heap),
    FLASHLOOM_TABLE("heap.nvram", heap.nvram),
};

/// Keys of one element of an array of tables.
template <class Element>
Keys element_schema(const char* table, Element& (*first)(DeviceConfig&)) {
  Keys keys;
  add_table(keys, table, first);
  return keys;
}

}  // namespace

std::string path_in(const std::string& table, const std::string& name) {
  return table.empty() ? name : table + "." + name;
}

std::string ConfigKey::path() const { return path_in(table, name); }

bool ConfigKey::brings(const std::string& other) const {
  if (other == name || other == "source" || other == "uncertainty") return false;
  return (std::find(brought.begin(), brought.end(), other) != brought.end()) != brings_the_rest;
}

bool ConfigKey::brings_path(const std::string& path) const {
  if (!path.starts_with(table + ".")) return false;
  const std::string inside = path.substr(table.size() + 1);
  return brings(inside.substr(0, inside.find('.')));
}

const std::vector<ConfigKey>& config_schema() {
  static const Keys schema = [] {
    Keys keys;
    for (const auto describe : kTables) describe(keys);
    return keys;
  }();
  return schema;
}

const std::vector<ConfigKey>& power_state_schema() {
  static const Keys schema = element_schema<PowerStateConfig>(
      "power.states", [](DeviceConfig & config) -> auto& { return config.power.states.front(); });
  return schema;
}

const std::vector<ConfigKey>& operating_point_schema() {
  static const Keys schema = element_schema<OperatingPoint>(
      "cpu.points", [](DeviceConfig & config) -> auto& { return config.cpu.points.front(); });
  return schema;
}

const std::vector<std::string>& config_tables() {
  static const std::vector<std::string> tables = [] {
    std::vector<std::string> names;
    for (const ConfigKey& key : config_schema())
      if (!key.table.empty() && (names.empty() || names.back() != key.table)) names.push_back(key.table);
    return names;
  }();
  return tables;
}

const ConfigKey* find_config_key(const std::string& path) {
  static const auto by_path = [] {
    std::unordered_map<std::string, const ConfigKey*> keys;
    for (const ConfigKey& key : config_schema()) keys.emplace(key.path(), &key);
    return keys;
  }();
  const auto found = by_path.find(path);
  return found == by_path.end() ? nullptr : found->second;
}

std::string quantity_text(Quantity quantity, double value) {
  if (is_exact(quantity)) return format_exact(quantity, static_cast<std::uint64_t>(value));
  if (quantity == Quantity::None || quantity == Quantity::Ratio) return fmt::format("{}", value);
  return format_real(quantity, value);
}

std::string config_range(const ConfigKey& key) {
  if (!key.choices.empty()) {
    std::string text;
    for (const std::string& choice : key.choices) text += (text.empty() ? "" : " | ") + choice;
    return text;
  }
  if (key.minimum == key.maximum) return {};
  const std::string type = config_type(key);
  const bool integer = key.quantity == Quantity::None && (type == "integer" || type == "array of integers");
  const auto bound = [&](double value) {
    return integer ? fmt::format("{:.0f}", value) : quantity_text(key.quantity, value);
  };
  // The key has no upper bound other than that of its type.
  if (key.maximum >= kMaxCount) return "at least " + bound(key.minimum);
  return bound(key.minimum) + " .. " + bound(key.maximum);
}

}  // namespace flashloom
