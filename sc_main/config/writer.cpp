#include "sc_main/config/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "policies/registry.hpp"
#include "sc_main/config/part_choice.hpp"
#include "sc_main/config/toml_text.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

/// Members are reached through a mutable configuration; nothing is written.
ConfigMember member_of(const ConfigKey& key, const DeviceConfig& config) {
  return key.member(const_cast<DeviceConfig&>(config));
}

Json part_json(const PolicyChoice& part, const std::string& family) {
  const PartInfo* info = PartCatalog::instance().find(family, part.name);
  if (info == nullptr) throw UnknownPart(family, part.name);
  if (info->parameters.empty()) return part.name;
  Json json{{"name", part.name}};
  for (const ParameterSpec& spec : info->parameters) {
    const ParameterValue& value = part.parameters.all().at(spec.name);
    const Quantity quantity = quantity_of(spec.dimension);
    if (const auto* integer = std::get_if<std::int64_t>(&value); integer != nullptr && is_exact(quantity)) {
      json[spec.name] = format_exact(quantity, static_cast<std::uint64_t>(*integer));
    } else {
      std::visit([&](const auto& v) { json[spec.name] = v; }, value);
    }
  }
  return json;
}

struct JsonOf {
  const ConfigKey& key;
  Json exact(std::uint64_t value) const {
    if (is_exact(key.quantity)) return format_exact(key.quantity, value);
    return value;
  }
  Json operator()(const bool* value) const {
    if (!key.choices.empty()) return *value ? key.choices.back() : key.choices.front();
    return *value;
  }
  Json operator()(const std::uint32_t* value) const { return exact(*value); }
  Json operator()(const std::uint64_t* value) const { return exact(*value); }
  Json operator()(const double* value) const {
    if (key.quantity == Quantity::None || key.quantity == Quantity::Ratio) return *value;
    return format_real(key.quantity, *value);
  }
  Json operator()(const std::string* value) const { return *value; }
  Json operator()(const std::vector<Picoseconds>* values) const {
    Json array = Json::array();
    for (const Picoseconds value : *values) array.push_back(exact(value));
    return array;
  }
  Json operator()(const std::vector<std::string>* texts) const { return *texts; }
  Json operator()(const std::vector<double>* values) const { return *values; }
  Json operator()(const std::vector<PowerStateConfig>* states) const {
    return tables(
        *states, power_state_schema(), [](DeviceConfig & config) -> auto& { return config.power.states; });
  }
  Json operator()(const std::vector<OperatingPoint>* points) const {
    return tables(
        *points, operating_point_schema(), [](DeviceConfig & config) -> auto& { return config.cpu.points; });
  }
  Json operator()(const std::vector<std::uint32_t>* values) const { return *values; }
  Json operator()(const PolicyChoice* part) const { return part_json(*part, key.family); }

 private:
  /// An array of tables; `list` gives the configuration's.
  template <class Element, class List>
  static Json tables(const std::vector<Element>& elements, const std::vector<ConfigKey>& schema, List list);
};

template <class Element, class List>
Json JsonOf::tables(const std::vector<Element>& elements, const std::vector<ConfigKey>& schema, List list) {
  Json array = Json::array();
  DeviceConfig one;
  for (const Element& element : elements) {
    list(one) = {element};
    Json& json = array.emplace_back(Json::object());
    for (const ConfigKey& each : schema) json[each.name] = std::visit(JsonOf{each}, each.member(one));
  }
  return array;
}

/// Text of a JSON value where TOML writes the same thing.
std::string toml_of(const Json& json) {
  if (json.is_object()) {
    std::string text;
    for (const auto& [name, value] : json.items()) text += (text.empty() ? "" : ", ") + name + " = " + toml_of(value);
    return "{ " + text + " }";
  }
  if (json.is_string()) return toml_string(json.get<std::string>());
  if (json.is_number_float()) return toml_number(json.get<double>());
  if (!json.is_array()) return json.dump();
  std::string text;
  for (const Json& element : json) text += (text.empty() ? "" : ", ") + toml_of(element);
  return "[" + text + "]";
}

std::string comment_of(const ConfigKey& key) {
  const std::string range = config_range(key);
  return "  # " + key.help + (range.empty() ? "" : " [" + range + "]") + "\n";
}

/// Paths that have a source, in the order of the schema; a table comes before its keys.
std::vector<std::string> source_paths(const DeviceConfig& config) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (config.sources.count(path) != 0 && std::find(paths.begin(), paths.end(), path) == paths.end())
      paths.push_back(path);
  };
  for (const ConfigKey& key : config_schema()) {
    add(key.table.substr(0, key.table.find('.')));
    add(key.table);
    add(key.path());
  }
  return paths;
}

/// `source` of a table: what the configuration says of the keys that stand directly in it.
std::string sources_toml(const std::string& table, const DeviceConfig& config) {
  std::string text;
  for (const std::string& path : source_paths(config)) {
    const std::size_t dot = path.rfind('.');
    if ((dot == std::string::npos ? "" : path.substr(0, dot)) != table) continue;
    text += path.substr(dot == std::string::npos ? 0 : dot + 1) + " = " + toml_string(config.sources.at(path)) + "\n";
  }
  if (text.empty()) return {};
  return "\n[" + (table.empty() ? "" : table + ".") + "source]\n" + text;
}

}  // namespace

std::string toml_value(const ConfigKey& key, const DeviceConfig& config) {
  const ConfigMember member = member_of(key, config);
  if (auto* const* part = std::get_if<PolicyChoice*>(&member)) return part_toml(**part, key.family);
  return toml_of(std::visit(JsonOf{key}, member));
}

std::string effective_toml(const DeviceConfig& config) {
  std::string text;
  const auto print_keys = [&](const std::string& table) {
    for (const ConfigKey& key : config_schema())
      if (key.table == table) text += key.name + " = " + toml_value(key, config) + comment_of(key);
  };
  print_keys("");
  text += sources_toml("", config);
  for (const std::string& table : config_tables()) {
    text += "\n[" + table + "]\n";
    print_keys(table);
    text += sources_toml(table, config);
  }
  return text;
}

Json effective_json(const DeviceConfig& config) {
  Json json = Json::object();
  for (const ConfigKey& key : config_schema()) {
    Json* place = &json;
    for (std::size_t begin = 0; begin < key.table.size();) {
      const std::size_t end = std::min(key.table.find('.', begin), key.table.size());
      place = &(*place)[key.table.substr(begin, end - begin)];
      begin = end + 1;
    }
    (*place)[key.name] = std::visit(JsonOf{key}, member_of(key, config));
  }
  json["sources"] = Json::object();
  for (const std::string& path : source_paths(config)) json["sources"][path] = config.sources.at(path);
  return json;
}

std::string default_toml(const ConfigKey& key) {
  static const DeviceConfig defaults = [] {
    DeviceConfig config;
    for (const ConfigKey& each : config_schema()) {
      if (each.family.empty()) continue;
      PolicyChoice& part = *std::get<PolicyChoice*>(each.member(config));
      part = complete_part(part, each.family);
    }
    return config;
  }();
  return toml_value(key, defaults);
}

}  // namespace flashloom
