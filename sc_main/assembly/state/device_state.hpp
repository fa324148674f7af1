// A device file together with the saved state from which a run begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/state/state_file.hpp"

namespace flashloom {

/// load_config(find_device_file(device), overrides), with `seed` in place of the file's if it is given.
LoadedConfig load_device(const std::string& device, const std::vector<std::string>& overrides,
                         std::optional<std::uint64_t> seed);

/// The same for a run that begins from the saved state `state`, if it is not empty: [precondition] is taken from the
/// state. `note` tells the user so, and where the device file differs. Throws StateError and ConfigError.
LoadedConfig load_device(const std::string& device, const std::vector<std::string>& overrides,
                         std::optional<std::uint64_t> seed, const std::string& state, std::string& note);

/// The [precondition] of the state as overrides, in place of that of the device file. Throws ConfigError if an override
/// of the command line asks for another one.
std::vector<std::string> with_precondition_of(const StateHeader& header, const std::string& path,
                                              const LoadedConfig& config);

/// Throws StateError, naming the keys that differ with both values, unless the state fits `config`.
void require_fit(const StateHeader& header, const std::string& path, const DeviceConfig& config);

/// The header of a state that `config` makes.
StateHeader header_of(const DeviceConfig& config);

}  // namespace flashloom
