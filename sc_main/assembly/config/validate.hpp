// Checks of combinations of keys: impossible geometries, sizes that do not fit into each other.
#pragma once

#include <string>

#include "models/common/config_problem.hpp"
#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/reader.hpp"

namespace flashloom {

/// Throws ConfigError with the place and name of the key concerned, and what would be valid.
void validate_device(const DeviceConfig& config, const ConfigOrigins& origins);

/// Throws ConfigProblem. The geometry has been checked.
void check_compression(const DeviceConfig& config);
void check_fdp(const DeviceConfig& config);
void check_host_placement(const DeviceConfig& config);

/// The message of a problem, with units for its sizes and times.
std::string message_of(const ConfigProblem& problem);
/// The problem as an error with the place where its key was written.
ConfigError worded(const ConfigProblem& problem, const ConfigOrigins& origins);

}  // namespace flashloom
