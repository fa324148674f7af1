#include "sc_main/assembly/config/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sc_main/assembly/config/codec.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/part_choice.hpp"
#include "sc_main/assembly/config/toml_text.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

/// A JSON value as TOML.
std::string toml_of(const Json& json) {
  if (json.is_object()) {
    std::string text;
    for (const auto& [name, value] : json.items()) text += (text.empty() ? "" : ", ") + name + " = " + toml_of(value);
    return "{ " + text + " }";
  }
  if (json.is_string()) return toml_string(json.get<std::string>());
  if (json.is_number_float()) return toml_number(json.get<double>());
  if (!json.is_array()) return json_text(json);
  std::string text;
  for (const Json& element : json) text += (text.empty() ? "" : ", ") + toml_of(element);
  return "[" + text + "]";
}

std::string comment_of(const ConfigKey& key) {
  const std::string range = config_range(key);
  return "  # " + key.help + (range.empty() ? "" : " [" + range + "]") + "\n";
}

/// The paths in a map of remarks, in the order of the schema; a table comes before its keys.
template <class Remarks>
std::vector<std::string> remarked_paths(const Remarks& remarks) {
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (remarks.count(path) != 0 && std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  for (const ConfigKey& key : config_schema()) {
    add(key.table.substr(0, key.table.find('.')));
    add(key.table);
    add(key.path());
  }
  return paths;
}

const std::string& text_of(const std::string& source) { return source; }
const std::string& text_of(const KeyRange& range) { return range.text; }

/// The table [TABLE.NAME] with the configuration's remarks on the keys directly in TABLE.
template <class Remarks>
std::string remarks_toml(const std::string& table, const char* name, const Remarks& remarks) {
  std::string text;
  for (const std::string& path : remarked_paths(remarks)) {
    const std::size_t dot = path.rfind('.');
    if ((dot == std::string::npos ? "" : path.substr(0, dot)) != table) continue;
    text += path.substr(dot == std::string::npos ? 0 : dot + 1) + " = " + toml_string(text_of(remarks.at(path))) + "\n";
  }
  if (text.empty()) return {};
  return "\n[" + (table.empty() ? "" : table + ".") + name + "]\n" + text;
}

std::string remarks_toml(const std::string& table, const DeviceConfig& config) {
  return remarks_toml(table, "source", config.sources) + remarks_toml(table, "uncertainty", config.ranges);
}

/// "nand.errors": the objects nand and errors.
std::vector<std::string> tables_above(const std::string& table) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < table.size();) {
    const std::size_t end = std::min(table.find('.', begin), table.size());
    names.push_back(table.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

template <class Remarks>
Json remarks_json(const Remarks& remarks) {
  Json json = Json::object();
  for (const std::string& path : remarked_paths(remarks)) json[path] = text_of(remarks.at(path));
  return json;
}

}  // namespace

std::string toml_value(const ConfigKey& key, const DeviceConfig& config) {
  const ConfigMember member = key.member(const_cast<DeviceConfig&>(config));  // nothing is written
  if (auto* const* part = std::get_if<PolicyChoice*>(&member)) return part_toml(**part, key.family);
  return toml_of(json_value(key, config));
}

std::string effective_toml(const DeviceConfig& config) {
  std::string text;
  const auto print_keys = [&](const std::string& table) {
    for (const ConfigKey& key : config_schema())
      if (key.table == table) text += key.name + " = " + toml_value(key, config) + comment_of(key);
  };
  print_keys("");
  text += remarks_toml("", config);
  for (const std::string& table : config_tables()) {
    text += "\n[" + table + "]\n";
    print_keys(table);
    text += remarks_toml(table, config);
  }
  return text;
}

Json effective_json(const DeviceConfig& config) {
  Json json = Json::object();
  for (const ConfigKey& key : config_schema()) {
    Json* place = &json;
    for (const std::string& table : tables_above(key.table)) place = &(*place)[table];
    (*place)[key.name] = json_value(key, config);
  }
  json["sources"] = remarks_json(config.sources);
  if (!config.ranges.empty()) json["uncertainty"] = remarks_json(config.ranges);
  return json;
}

Json config_json_schema() {
  const auto keys_of = [](const std::string& table) {
    std::vector<ConfigKey> keys;
    for (const ConfigKey& key : config_schema())
      if (key.table == table) keys.push_back(key);
    return keys;
  };
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"$id", "config.schema.json"},
                 {"title", "`flashloom config --json`, and `config` of result.json"},
                 {"description", "Every key of a device file; written by `flashloom list config --schema`."}};
  schema.update(object_schema(keys_of("")));
  for (const std::string& table : config_tables()) {
    Json* place = &schema;
    for (const std::string& name : tables_above(table)) {
      if (!(*place)["properties"].contains(name)) (*place)["required"].push_back(name);
      place = &(*place)["properties"][name];
    }
    *place = object_schema(keys_of(table));
  }
  const Json texts = {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}};
  for (const char* const remarks : {"sources", "uncertainty"}) schema["properties"][remarks] = texts;
  const Json parameters = {{"type", {"string", "number", "boolean"}}};
  const Json with_parameters = {{"type", "object"},
                                {"properties", {{"name", {{"type", "string"}}}}},
                                {"required", {"name"}},
                                {"additionalProperties", parameters}};
  schema["$defs"] = {{"part", {{"anyOf", {{{"type", "string"}}, with_parameters}}}}};
  return schema;
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
