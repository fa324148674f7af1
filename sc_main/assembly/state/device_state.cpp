#include "sc_main/assembly/state/device_state.hpp"

#include <algorithm>

#include "sc_main/assembly/config/verbose.hpp"

namespace flashloom {
namespace {

/// Whether an assignment overrides `path` or its whole table: "precondition.fill=1", "precondition={fill=1}".
bool overrides_key(const std::string& assignment, const std::string& path) {
  std::string name = assignment.substr(0, assignment.find('='));
  std::erase_if(name, [](char c) { return c == ' ' || c == '\t'; });
  return name == path || path.starts_with(name + ".");
}

}  // namespace

LoadedConfig load_device(const std::string& device, const std::vector<std::string>& overrides,
                         std::optional<std::uint64_t> seed) {
  LoadedConfig config = load_config(find_device_file(device), overrides);
  if (seed) config.device.seed = *seed;
  return config;
}

LoadedConfig load_device(const std::string& device, const std::vector<std::string>& overrides,
                         std::optional<std::uint64_t> seed, const std::string& state, std::string& note) {
  LoadedConfig config = load_device(device, overrides, seed);
  if (state.empty()) return config;
  const StateHeader header = read_state_header(state);
  tell("state " + state + ", of device " + header.device + ", seed " + std::to_string(header.seed));
  const StateKeys own = precondition_keys(config.device);
  config = load_device(device, with_precondition_of(header, state, config), seed);
  require_fit(header, state, config.device);
  note = "  state  " + state + ", seed " + std::to_string(header.seed);
  if (const std::string differs = difference(header.precondition, own); !differs.empty())
    note += "; the device file's [precondition] is not used: " + differs;
  note += "\n";
  return config;
}

std::vector<std::string> with_precondition_of(const StateHeader& header, const std::string& path,
                                              const LoadedConfig& config) {
  const StateKeys asked = precondition_keys(config.device);
  std::vector<std::string> overrides = config.overrides;
  for (const auto& [key, value] : header.precondition) {
    const auto found = std::find_if(asked.begin(), asked.end(), [&k = key](const auto& a) { return a.first == k; });
    const bool differs = found == asked.end() || found->second != value;
    for (const std::string& assignment : config.overrides)
      if (differs && overrides_key(assignment, key))
        throw ConfigError("--set " + key, {}, "the state " + path + " was made with " + value);
    overrides.push_back(key + "=" + value);
  }
  return overrides;
}

void require_fit(const StateHeader& header, const std::string& path, const DeviceConfig& config) {
  const std::string wrong = difference(header.keys, state_keys(config));
  if (!wrong.empty()) throw StateError(path + ": the state is of another device (" + header.device + "): " + wrong);
}

StateHeader header_of(const DeviceConfig& config) {
  return {.device = config.name,
          .keys = state_keys(config),
          .precondition = precondition_keys(config),
          .seed = config.seed};
}

}  // namespace flashloom
