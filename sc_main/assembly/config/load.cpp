#include "sc_main/assembly/config/load.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "policies/nearest.hpp"
#include "sc_main/assembly/config/base.hpp"
#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/key_range.hpp"
#include "sc_main/assembly/config/reader.hpp"
#include "sc_main/assembly/config/schema.hpp"
#include "sc_main/assembly/config/validate.hpp"
#include "sc_main/assembly/config/verbose.hpp"
#include "workloads/byte_stream.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = std::size_t{64} << 20;  // bytes; devices and pipes may be endless

/// Adds the presets of a folder, except names that were found before.
void add_presets(const fs::path& folder, std::map<std::string, std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".toml") found.emplace(entry->path().stem().string(), entry->path().string());
}

std::vector<fs::path>& added_preset_folders() {
  static std::vector<fs::path> folders;
  return folders;
}

/// In the order of the search. The program is build/release/flashloom of a source tree, or bin/flashloom beside share/.
std::vector<fs::path> preset_folders() {
  std::vector<fs::path> folders;
  if (const char* const given = std::getenv("FLASHLOOM_CONFIGS"); given != nullptr) {
    std::istringstream names(given);
    for (std::string name; std::getline(names, name, ':');)
      if (!name.empty()) folders.emplace_back(name);
  }
  folders.emplace_back("configs");
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error).parent_path();
  if (!error)
    for (const fs::path& folder : {program / "configs", program.parent_path().parent_path() / "configs",
                                   program.parent_path() / "share" / "flashloom" / "configs"})
      folders.push_back(folder);
  for (const fs::path& folder : added_preset_folders()) folders.push_back(folder);
  return folders;
}

/// Name -> path; the nearest folder that has a name wins.
std::map<std::string, std::string> presets() {
  std::map<std::string, std::string> found;
  for (const fs::path& folder : preset_folders()) add_presets(folder, found);
  return found;
}

bool overridden(const ConfigOrigins& origins, const std::string& path) {
  return origins.written(path) && origins.where(path).starts_with("--set ");
}

/// Whether the command line has changed the key that decides the defaults of the table of `path`.
bool default_overridden(const ConfigOrigins& origins, const std::string& path) {
  if (origins.written(path)) return false;
  if (path == "nand.read_time" && (overridden(origins, "nand.sense_time") || overridden(origins, "nand.read_setup")))
    return true;
  return std::any_of(config_schema().begin(), config_schema().end(), [&](const ConfigKey& key) {
    return key.brings_any() && key.brings_path(path) && overridden(origins, key.path());
  });
}

/// Removes the sources and ranges of overridden values, to which they no longer apply.
void retire_remarks(DeviceConfig& device, const ConfigOrigins& origins) {
  std::erase_if(device.ranges, [&origins](const auto& each) {
    return (overridden(origins, each.first) || default_overridden(origins, each.first)) &&
           !overridden(origins, range_path(each.first));
  });
  for (auto& [path, source] : device.sources) {
    if (path.ends_with("ram.kind") || path == "host.driver") continue;  // a kind brings its own source
    if (overridden(origins, path)) source = "given by " + origins.where(path);
  }
}

}  // namespace

std::string read_text_file(const std::string& path, const std::string& what) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw ConfigError(path, {}, "is a directory, not a " + what);
  std::string text;
  try {
    const auto file = open_stored_bytes(path);
    std::vector<char> block(std::size_t{1} << 16);
    while (const std::size_t got = file->read(block.data(), block.size())) {
      text.append(block.data(), got);
      if (text.size() > kMostText)
        throw ConfigError(path, {}, "is longer than " + std::to_string(kMostText >> 20) + " MiB, so it is no " + what);
    }
  } catch (const StreamError& failure) {
    throw ConfigError(path, {}, failure.what());
  }
  return text;
}

LoadedConfig load_config_text(const std::string& text, const std::string& name,
                              const std::vector<std::string>& overrides) {
  auto [document, bytes, dropped] = parse_based(text, name);
  for (const std::string& assignment : overrides) apply_override(document, assignment, dropped);
  ConfigOrigins origins(name);
  DeviceConfig device = read_device(document, origins);
  LoadedConfig loaded{std::move(device),   fs::path(name).filename().string(),
                      content_hash(bytes), overrides,
                      std::move(dropped),  std::move(origins)};
  validate_device(loaded.device, loaded.origins);
  retire_remarks(loaded.device, loaded.origins);
  check_ranges(loaded.device, loaded.origins);
  return loaded;
}

LoadedConfig load_config(const std::string& path, const std::vector<std::string>& overrides) {
  const std::string text = read_text_file(path, "device file");
  tell("device file " + path);
  if (overrides.empty() && parse_document(text, path).table().empty())
    throw ConfigError(path, {},
                      "describes nothing: it sets no key; `flashloom config tiny` prints a device file to begin with");
  return load_config_text(text, path, overrides);
}

std::string find_device_file(const std::string& argument) {
  std::error_code error;
  if (argument == "-" || fs::exists(argument, error)) return argument;
  const auto known = presets();
  if (argument.find('/') == std::string::npos) {
    std::string name = argument;
    if (name.size() > 5 && name.ends_with(".toml")) name.resize(name.size() - 5);
    if (const auto found = known.find(name); found != known.end()) return found->second;
  }
  std::vector<std::string> names;
  for (const auto& [name, path] : known) names.push_back(name);
  throw ConfigError(argument, {},
                    "no such device file" + did_you_mean(fs::path(argument).stem().string(), names) +
                        (names.empty() ? std::string("; no presets were found") : "; presets: " + join_names(names)) +
                        "; looked in " + preset_folders_searched());
}

std::string preset_folders_searched() {
  std::vector<std::string> names;
  for (const fs::path& folder : preset_folders()) names.push_back(folder.string());
  return join_names(names);
}

void add_preset_folder(const std::string& folder) { added_preset_folders().emplace_back(folder); }

std::vector<std::string> preset_files() {
  std::vector<std::string> files;
  for (const auto& [name, path] : presets()) files.push_back(path);
  return files;
}

}  // namespace flashloom
