#include <iostream>
#include <nlohmann/json.hpp>

#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/state/state_key.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/help_options.hpp"
#include "sc_main/program/options/option_values.hpp"

namespace flashloom {
namespace {

/// What a preconditioned state depends on, as 16 hexadecimal digits: devices of which it is the same have the same states.
std::string state_of(const DeviceConfig& config) {
  StateKeys keys = state_keys(config);
  const StateKeys precondition = precondition_keys(config);
  keys.insert(keys.end(), precondition.begin(), precondition.end());
  keys.emplace_back("seed", std::to_string(config.seed));
  return hash_of(keys);
}

int check_command(const CheckDevicesOptions&, std::ostream& out) {
  for (std::string line; std::getline(std::cin, line);) {
    const nlohmann::json given = nlohmann::json::parse(line, nullptr, false);
    if (!given.is_array() || given.empty())
      throw UsageError(std::string(kCheckCommand.name) + ": a line is no [\"DEVICE\", \"PATH=VALUE\", ...]: " + line);
    std::string why, state;
    try {
      const auto words = given.get<std::vector<std::string>>();
      state = state_of(load_config(find_device_file(words.front()), {words.begin() + 1, words.end()}).device);
    } catch (const std::exception& error) {
      why = error.what();
    }
    out << nlohmann::json({why, state}).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  }
  return 0;
}

const RegisterCommand registered_check(kCheckCommand, check_command);

}  // namespace
}  // namespace flashloom
