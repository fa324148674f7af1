#include "sc_main/assembly/config/base.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemarks[] = {"source", "uncertainty"};

/// Whether two tables are merged key by key. Those of parts are not: parameters belong to a part's name.
bool is_laid_over(const ConfigNode& below, const ConfigNode& above) {
  return below.is_table() && above.is_table() && !below.find("name") && !above.find("name");
}

void lay_over(ConfigNode& below, ConfigNode&& above, const std::string& path, DroppedValues& dropped) {
  for (auto& [key, node] : above.table()) {
    const bool is_remark = std::find(std::begin(kRemarks), std::end(kRemarks), key) != std::end(kRemarks);
    const ConfigNode* const there = below.find(key);
    if (!is_remark && (there == nullptr || !is_laid_over(*there, node))) drop_remarks(below, key);
  }
  for (const auto& [key, node] : above.table()) give_way(below, path, key, node, dropped);
  for (auto& [key, node] : above.table()) {
    ConfigNode* const there = below.find(key);
    if (there == nullptr)
      below.table().emplace_back(key, std::move(node));
    else if (is_laid_over(*there, node))
      lay_over(*there, std::move(node), path_in(path, key), dropped);
    else
      *there = std::move(node);
  }
}

/// Removes the key `base` from the tree. Returns its value and place; empty if there is none.
std::pair<std::string, std::string> take_base(ConfigNode& document) {
  const ConfigNode* const node = document.find("base");
  if (node == nullptr) return {};
  const std::string where = node->where;
  const auto* const name = std::get_if<std::string>(&node->value);
  if (name == nullptr || name->empty())
    throw ConfigError(where, "base", "must be the name of a preset, or of a file beside this one");
  std::string base = *name;
  std::erase_if(document.table(), [](const auto& each) { return each.first == "base"; });
  return {std::move(base), where};
}

std::string file_of(const std::string& base, const std::string& upper, const std::string& where) {
  std::error_code error;
  for (const char* ending : {"", ".toml"})
    if (const fs::path beside = fs::path(upper).parent_path() / (base + ending); fs::is_regular_file(beside, error))
      return beside.string();
  try {
    return find_device_file(base);
  } catch (const ConfigError& failure) {
    throw ConfigError(where, "base", failure.what());
  }
}

BasedDocument parse_over(const std::string& text, const std::string& name, std::vector<std::string> above) {
  BasedDocument result{parse_document(text, name), text};
  const auto [base, where] = take_base(result.document);
  if (base.empty()) return result;
  const std::string file = file_of(base, name, where);
  std::error_code error;
  above.push_back(fs::weakly_canonical(name, error).string());
  if (std::find(above.begin(), above.end(), fs::weakly_canonical(file, error).string()) != above.end())
    throw ConfigError(where, "base", "is laid over itself: " + file);
  BasedDocument below = parse_over(read_text_file(file, "device file"), file, std::move(above));
  lay_over(below.document, std::move(result.document), {}, below.dropped);
  return {std::move(below.document), text + below.bytes, std::move(below.dropped)};
}

}  // namespace

BasedDocument parse_based(const std::string& text, const std::string& name) { return parse_over(text, name, {}); }

}  // namespace flashloom
