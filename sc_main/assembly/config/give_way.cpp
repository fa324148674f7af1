#include "sc_main/assembly/config/give_way.hpp"

#include "policies/nearest.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/writer.hpp"

namespace flashloom {
namespace {

/// The word or number of a choice; of a part its name. Empty for other values.
std::string word_of(const ConfigNode& node) {
  if (node.is_table()) {
    const ConfigNode* const name = node.find("name");
    return name == nullptr ? "" : word_of(*name);
  }
  if (const auto* const number = std::get_if<std::int64_t>(&node.value)) return std::to_string(*number);
  const auto* const word = std::get_if<std::string>(&node.value);
  return word == nullptr ? "" : *word;
}

bool brings_nothing(const ConfigNode& value) {
  if (const auto* const array = std::get_if<ConfigNode::Array>(&value.value)) return array->empty();
  const std::string text = word_of(value);
  return text == "custom" || text == "none";
}

bool is_kept(const ConfigNode& node) { return node.where.starts_with("--set "); }

/// Removes the node of that name, or those of its values that the command line does not say. `path`: its own.
void drop(ConfigNode& from, const std::string& name, const std::string& path, std::vector<std::string>& dropped) {
  ConfigNode* const node = from.find(name);
  if (node == nullptr) return;
  if (node->is_table() && node->find("name") == nullptr) {
    std::vector<std::string> inner;
    for (const auto& [key, value] : node->table()) inner.push_back(key);
    for (const std::string& key : inner) drop(*node, key, path_in(path, key), dropped);
    if (!node->table().empty()) return;
  } else {
    if (is_kept(*node)) return;
    dropped.push_back(path);
  }
  std::erase_if(from.table(), [&name](const auto& each) { return each.first == name; });
}

}  // namespace

void drop_remarks(ConfigNode& table, const std::string& key) {
  std::vector<std::string> dropped;
  for (const char* const remarks : {"source", "uncertainty"})
    if (ConfigNode* const of_keys = table.find(remarks); of_keys != nullptr && of_keys->is_table())
      drop(*of_keys, key, {}, dropped);
}

void give_way(ConfigNode& table, const std::string& table_path, const std::string& key, const ConfigNode& value,
              DroppedValues& dropped) {
  const ConfigKey* const choice = find_config_key(path_in(table_path, key));
  if (choice == nullptr || !choice->brings_any() || brings_nothing(value)) return;
  if (!choice->partner.empty()) {
    const ConfigNode* const partner = table.find(choice->partner);
    if (partner == nullptr || brings_nothing(*partner)) return;
  }
  const ConfigNode* const below = table.find(key);
  const std::string text = word_of(value);
  if (!text.empty() && text == word_of(below != nullptr ? *below : parse_value(default_toml(*choice), {}))) return;
  std::vector<std::string> names;
  for (const auto& [name, node] : table.table())
    if (choice->brings(name)) names.push_back(name);
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    drop(table, name, path_in(table_path, name), paths);
    if (table.find(name) != nullptr) continue;
    drop_remarks(table, name);
  }
  // Of senses and tR one gives the other: nothing is lost.
  if (choice->choices.empty() && choice->family.empty() && choice->partner.empty()) return;
  std::vector<std::string>& all = dropped[choice->path()];
  all.insert(all.end(), paths.begin(), paths.end());
  if (all.empty()) dropped.erase(choice->path());
}

std::string dropped_text(const std::string& choice, const std::vector<std::string>& keys) {
  return choice + " brings its own figures: dropped " + join_names(keys);
}

}  // namespace flashloom
