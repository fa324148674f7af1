#include "sc_main/assembly/config/document.hpp"

#include <toml++/toml.h>

#include <algorithm>

#include "sc_main/assembly/config/give_way.hpp"

namespace flashloom {
namespace {

std::string line_of(const std::string& name, const toml::source_region& region) {
  return name + ":" + std::to_string(region.begin.line);
}

ConfigNode convert(const toml::node& node, const std::string& name, const std::string& set);

ConfigNode::Table convert_table(const toml::table& table, const std::string& name, const std::string& set) {
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [key, value] : table) entries.emplace_back(&key, &value);
  // toml++ sorts tables by key; restore the order of the file, so that its first error is reported first.
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const auto& x = a.first->source().begin;
    const auto& y = b.first->source().begin;
    return x.line != y.line ? x.line < y.line : x.column < y.column;
  });
  ConfigNode::Table result;
  for (const auto& [key, value] : entries) {
    ConfigNode node = convert(*value, name, set);
    if (set.empty() && !node.is_table()) node.where = line_of(name, key->source());
    result.emplace_back(std::string(key->str()), std::move(node));
  }
  return result;
}

/// Converts a TOML node. If `set` is empty, places are lines of the file `name`; else every place is `set`.
ConfigNode convert(const toml::node& node, const std::string& name, const std::string& set) {
  ConfigNode result{ConfigNode::Foreign{}, set.empty() ? line_of(name, node.source()) : set};
  if (const auto* boolean = node.as_boolean()) {
    result.value = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    result.value = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    result.value = real->get();
  } else if (const auto* text = node.as_string()) {
    result.value = text->get();
  } else if (const auto* array = node.as_array()) {
    ConfigNode::Array elements;
    for (const toml::node& element : *array) elements.push_back(convert(element, name, set));
    result.value = std::move(elements);
  } else if (const auto* table = node.as_table()) {
    result.value = convert_table(*table, name, set);
  }
  return result;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return std::string(text);
}

/// "[25 us, 30 us]" without quotes: an array of strings.
ConfigNode bare_value(const std::string& text, const std::string& where) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {text, where};
  ConfigNode::Array elements;
  const std::string_view inside = std::string_view(text).substr(1, text.size() - 2);
  for (std::size_t begin = 0; begin <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', begin), inside.size());
    elements.push_back({trimmed(inside.substr(begin, end - begin)), where});
    begin = end + 1;
  }
  return {std::move(elements), where};
}

}  // namespace

ConfigError::ConfigError(const std::string& where, const std::string& key, const std::string& message)
    : std::runtime_error(where + ": " + (key.empty() || where == key || where == "--set " + key ? "" : key + ": ") +
                         message) {}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  for (const auto& [name, node] : table())
    if (name == key) return &node;
  return nullptr;
}

ConfigNode* ConfigNode::find(std::string_view key) {
  for (auto& [name, node] : table())
    if (name == key) return &node;
  return nullptr;
}

const char* ConfigNode::type_name() const {
  static constexpr const char* kNames[] = {"a boolean", "an integer", "a number",      "a string",
                                           "an array",  "a table",    "a date or time"};
  return kNames[value.index()];
}

ConfigNode parse_document(const std::string& text, const std::string& name) {
  try {
    const toml::table parsed = toml::parse(text);
    return {convert_table(parsed, name, {}), name + ":1"};
  } catch (const toml::parse_error& error) {
    throw ConfigError(line_of(name, error.source()), {}, "not valid TOML: " + std::string(error.description()));
  }
}

ConfigNode parse_value(const std::string& text, const std::string& where) {
  try {
    const toml::table parsed = toml::parse("value = " + text);
    if (parsed.size() == 1) return convert(*parsed.get("value"), {}, where);
  } catch (const toml::parse_error&) {  // no TOML value: a bare string
  }
  return bare_value(text, where);
}

void apply_override(ConfigNode& document, const std::string& assignment, DroppedValues& dropped) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos)
    throw ConfigError("--set " + assignment, {}, "an override is written path=value, as in nand.channels=8");
  const std::string path = trimmed(std::string_view(assignment).substr(0, equals));
  const std::string where = "--set " + path;
  const std::string text = trimmed(std::string_view(assignment).substr(equals + 1));
  if (text.empty()) throw ConfigError(where, {}, "no value after '='");
  ConfigNode* node = &document;
  ConfigNode value = parse_value(text, where);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string key = path.substr(begin, end - begin);
    if (key.empty()) throw ConfigError(where, {}, "\"" + path + "\" is no path: write table.key=value");
    // `ftl.garbage_collection.d=3` after `garbage_collection = "d_choices"`: the name becomes the table's.
    if (std::holds_alternative<std::string>(node->value)) {
      ConfigNode name{std::get<std::string>(node->value), node->where};
      node->value = ConfigNode::Table{{"name", std::move(name)}};
    }
    if (!node->is_table())
      throw ConfigError(where, path.substr(0, begin - 1), "is " + std::string(node->type_name()) + ", not a table");
    if (end == path.size() && begin != 0) give_way(*node, path.substr(0, begin - 1), key, value, dropped);
    ConfigNode* child = node->find(key);
    if (child == nullptr) {
      node->table().emplace_back(key, ConfigNode{ConfigNode::Table{}, where});
      child = &node->table().back().second;
    }
    node = child;
    begin = end + 1;
  }
  *node = std::move(value);
}

}  // namespace flashloom
