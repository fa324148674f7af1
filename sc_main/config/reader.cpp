#include "sc_main/config/reader.hpp"

#include <algorithm>

#include "models/hdd/hdd_config.hpp"
#include "models/memory/dram_kinds.hpp"
#include "models/memory/nvram_kinds.hpp"
#include "models/nand/onfi_timing_modes.hpp"
#include "policies/nearest.hpp"
#include "policies/registry.hpp"
#include "sc_main/config/part_choice.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {
namespace {

constexpr const char* kSource = "source";

[[noreturn]] void wrong_type(const ConfigNode& node, const ConfigKey& key) {
  const std::string range = config_range(key);
  std::string message = "must be of type " + config_type(key) + (range.empty() ? "" : ", " + range);
  if (!units_of(key.quantity).empty())
    message += ", as text with one of the units " + join_names(units_of(key.quantity));
  throw ConfigError(node.where, key.path(), message + "; it is " + node.type_name());
}

[[noreturn]] void out_of_range(const ConfigNode& node, const ConfigKey& key, const std::string& value) {
  throw ConfigError(node.where, key.path(), value + " is out of range; valid: " + config_range(key));
}

/// Runs a parser of quantities; its errors get the place and the key.
template <class Parse>
auto located(const ConfigNode& node, const ConfigKey& key, Parse parse) {
  try {
    return parse();
  } catch (const QuantityError& error) {
    throw ConfigError(node.where, key.path(), error.what());
  }
}

/// The integer that the node says, in the key's smallest unit, in range.
std::uint64_t read_integer(const ConfigNode& node, const ConfigKey& key) {
  std::uint64_t value = 0;
  if (is_exact(key.quantity)) {
    const auto* text = std::get_if<std::string>(&node.value);
    if (text == nullptr) wrong_type(node, key);
    value = located(node, key, [&] { return parse_exact(key.quantity, *text); });
    if (static_cast<double>(value) < key.minimum || static_cast<double>(value) > key.maximum)
      out_of_range(node, key, *text);
  } else {
    const auto* integer = std::get_if<std::int64_t>(&node.value);
    if (integer == nullptr) wrong_type(node, key);
    if (*integer < 0) out_of_range(node, key, std::to_string(*integer));
    value = static_cast<std::uint64_t>(*integer);
    if (static_cast<double>(value) < key.minimum || static_cast<double>(value) > key.maximum)
      out_of_range(node, key, std::to_string(value));
  }
  return value;
}

double read_real(const ConfigNode& node, const ConfigKey& key) {
  double value = 0;
  const bool plain = key.quantity == Quantity::None || key.quantity == Quantity::Ratio;
  if (const auto* text = std::get_if<std::string>(&node.value); text != nullptr && key.quantity != Quantity::None) {
    value = located(node, key, [&] { return parse_real(key.quantity, *text); });
  } else if (const auto* real = std::get_if<double>(&node.value); real != nullptr && plain) {
    value = *real;
  } else if (const auto* integer = std::get_if<std::int64_t>(&node.value); integer != nullptr && plain) {
    value = static_cast<double>(*integer);
  } else {
    wrong_type(node, key);
  }
  if (!(value >= key.minimum && value <= key.maximum)) out_of_range(node, key, quantity_text(key.quantity, value));
  return value;
}

std::string read_text(const ConfigNode& node, const ConfigKey& key) {
  const auto* text = std::get_if<std::string>(&node.value);
  if (text == nullptr) wrong_type(node, key);
  if (!key.choices.empty() && std::find(key.choices.begin(), key.choices.end(), *text) == key.choices.end()) {
    throw ConfigError(node.where, key.path(),
                      "\"" + *text + "\" is none of " + config_range(key) + did_you_mean(*text, key.choices));
  }
  return *text;
}

std::vector<std::string> read_texts(const ConfigNode& node, const ConfigKey& key) {
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) wrong_type(node, key);
  std::vector<std::string> texts;
  for (const ConfigNode& element : *array) texts.push_back(read_text(element, key));
  return texts;
}

std::vector<std::uint64_t> read_sizes(const ConfigNode& node, const ConfigKey& key) {
  constexpr std::size_t kMost = 1024;
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) wrong_type(node, key);
  if (array->size() > kMost) throw ConfigError(node.where, key.path(), "has more than 1024 sizes");
  std::vector<std::uint64_t> sizes;
  for (const ConfigNode& element : *array) sizes.push_back(read_integer(element, key));
  return sizes;
}

std::vector<Picoseconds> read_times(const ConfigNode& node, const ConfigKey& key) {
  constexpr std::size_t kMaxPageTypes = 16;
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) return {read_integer(node, key)};
  if (array->empty() || array->size() > kMaxPageTypes)
    throw ConfigError(node.where, key.path(), "must have 1 .. 16 values, one a page type");
  std::vector<Picoseconds> times;
  for (const ConfigNode& element : *array) times.push_back(read_integer(element, key));
  return times;
}

std::vector<double> read_reals(const ConfigNode& node, const ConfigKey& key) {
  constexpr std::size_t kMost = 16;
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) return {read_real(node, key)};
  if (array->size() > kMost) throw ConfigError(node.where, key.path(), "has more than 16 values");
  std::vector<double> values;
  for (const ConfigNode& element : *array) values.push_back(read_real(element, key));
  return values;
}

void read_value(const ConfigNode& node, const ConfigKey& key, DeviceConfig& config);

/// An array of tables whose elements have the keys of `schema`; `list` gives the configuration's.
template <class Element, class List>
std::vector<Element> read_tables(const ConfigNode& node, const ConfigKey& key, const std::vector<ConfigKey>& schema,
                                 List list) {
  constexpr std::size_t kMost = 32;  // power states of NVMe
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) wrong_type(node, key);
  if (array->size() > kMost) throw ConfigError(node.where, key.path(), "has more than 32 elements");
  std::vector<Element> elements;
  for (const ConfigNode& element : *array) {
    if (!element.is_table())
      throw ConfigError(element.where, key.path(), "each element is a table, [[" + key.path() + "]]");
    DeviceConfig one;
    list(one).resize(1);
    for (const auto& [name, value] : element.table()) {
      const auto found =
          std::find_if(schema.begin(), schema.end(), [&n = name](const ConfigKey& k) { return k.name == n; });
      if (found == schema.end()) {
        std::vector<std::string> valid;
        for (const ConfigKey& each : schema) valid.push_back(each.name);
        throw ConfigError(value.where, key.path() + "." + name, "no such key; valid: " + join_names(valid));
      }
      read_value(value, *found, one);
    }
    elements.push_back(list(one).front());
  }
  return elements;
}

std::vector<std::uint32_t> read_integers(const ConfigNode& node, const ConfigKey& key) {
  const auto* array = std::get_if<ConfigNode::Array>(&node.value);
  if (array == nullptr) return {static_cast<std::uint32_t>(read_integer(node, key))};
  std::vector<std::uint32_t> values;
  for (const ConfigNode& element : *array) values.push_back(static_cast<std::uint32_t>(read_integer(element, key)));
  return values;
}

void read_value(const ConfigNode& node, const ConfigKey& key, DeviceConfig& config) {
  const ConfigMember member = key.member(config);
  if (auto* const* boolean = std::get_if<bool*>(&member)) {
    if (!key.choices.empty()) {
      **boolean = read_text(node, key) == key.choices.back();
    } else if (const auto* value = std::get_if<bool>(&node.value)) {
      **boolean = *value;
    } else {
      wrong_type(node, key);
    }
  } else if (auto* const* small = std::get_if<std::uint32_t*>(&member)) {
    **small = static_cast<std::uint32_t>(read_integer(node, key));
  } else if (auto* const* large = std::get_if<std::uint64_t*>(&member)) {
    **large = read_integer(node, key);
  } else if (auto* const* real = std::get_if<double*>(&member)) {
    **real = read_real(node, key);
  } else if (auto* const* text = std::get_if<std::string*>(&member)) {
    **text = read_text(node, key);
  } else if (auto* const* times = std::get_if<std::vector<Picoseconds>*>(&member)) {
    **times = key.quantity == Quantity::Bytes ? read_sizes(node, key) : read_times(node, key);
  } else if (auto* const* texts = std::get_if<std::vector<std::string>*>(&member)) {
    **texts = read_texts(node, key);
  } else if (auto* const* reals = std::get_if<std::vector<double>*>(&member)) {
    **reals = read_reals(node, key);
  } else if (auto* const* states = std::get_if<std::vector<PowerStateConfig>*>(&member)) {
    **states = read_tables<PowerStateConfig>(
        node, key, power_state_schema(), [](DeviceConfig & c) -> auto& { return c.power.states; });
  } else if (auto* const* points = std::get_if<std::vector<OperatingPoint>*>(&member)) {
    **points = read_tables<OperatingPoint>(
        node, key, operating_point_schema(), [](DeviceConfig & c) -> auto& { return c.cpu.points; });
  } else if (auto* const* integers = std::get_if<std::vector<std::uint32_t>*>(&member)) {
    **integers = read_integers(node, key);
  } else {
    PolicyChoice& part = *std::get<PolicyChoice*>(member);
    part = read_part(node, key.path(), key.family, part.name);
  }
}

/// Names that may stand in a table: its keys and sub-tables.
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
                    message + "; valid" + (table.empty() ? "" : " in [" + table + "]") + ": " + join_names(valid));
}

void read_sources(const ConfigNode& node, const std::string& table, DeviceConfig& config) {
  const std::string path = table.empty() ? kSource : table + "." + kSource;
  if (!node.is_table())
    throw ConfigError(
        node.where, path,
        "must be a table { key = \"where its figure comes from\" }; it is " + std::string(node.type_name()));
  for (const auto& [name, text] : node.table()) {
    const auto valid = names_in(table);
    if (std::find(valid.begin(), valid.end(), name) == valid.end()) unknown_key(text, table, name);
    if (!std::holds_alternative<std::string>(text.value))
      throw ConfigError(text.where, path + "." + name, "must be a string; it is " + std::string(text.type_name()));
    config.sources[table.empty() ? name : table + "." + name] = std::get<std::string>(text.value);
  }
}

void read_table(const ConfigNode& node, const std::string& table, DeviceConfig& config, ConfigOrigins& origins) {
  for (const auto& [name, value] : node.table()) {
    const std::string path = table.empty() ? name : table + "." + name;
    origins.note(path, value.where);
    const auto& tables = config_tables();
    if (name == kSource) {
      read_sources(value, table, config);
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

/// Reads one key before the rest, since it decides the defaults of its table.
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

/// A mode that the interface does not have leaves the defaults; validate_device() refuses it.
void set_bus_by_interface(const ConfigNode& document, DeviceConfig& config) {
  read_early(document, "nand", "interface", config);
  read_early(document, "nand", "timing_mode", config);
  const OnfiInterface* const interface = find_onfi_interface(config.nand.interface);
  if (interface == nullptr || config.nand.timing_mode >= interface->cycle_ps.size()) return;
  apply_onfi_timing(config.nand);
  config.sources["nand.interface"] = interface->source;
}

void set_dram_by_kind(const ConfigNode& document, DeviceConfig& config) {
  read_early(document, "dram", "kind", config);
  if (const DramKind* kind = find_dram_kind(config.dram.kind)) {
    config.dram = kind->defaults;
    config.sources["dram.kind"] = std::string(kind->source);
  }
}

void set_defaults_by_kind(const ConfigNode& document, DeviceConfig& config) {
  set_bus_by_interface(document, config);
  set_dram_by_kind(document, config);
  set_nvram_by_kind(document, "nvram", config.nvram, config);
  set_nvram_by_kind(document, "heap.nvram", config.heap.nvram, config);
  read_early(document, "link", "kind", config);
  constexpr std::uint32_t kSataDataFis = 8192;  // bytes of data a SATA Data FIS carries
  if (config.link.kind == "sata") config.link.max_payload = kSataDataFis;
  read_early(document, "host_interface", "kind", config);
  constexpr std::uint32_t kSataTags = 32;
  if (config.host_interface.kind.name == "sata")
    config.host_interface.queue_depth = config.host_interface.commands = kSataTags;
}

/// Figures of the disk that the file leaves as they are.
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
      part = complete_part(part, key.family);  // defaults, too, carry all their parameters
    } catch (const UnknownPart& error) {
      throw ConfigError(origins.where(key.path()), key.path(), error.what());
    }
  }
  return config;
}

}  // namespace flashloom
