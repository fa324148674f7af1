// Checks that concern several keys at once: geometries that cannot be built, sizes that do not fit into each other.
#pragma once

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/reader.hpp"

namespace flashloom {

/// Throws ConfigError with the place and name of the key concerned, and what would be valid.
void validate_device(const DeviceConfig& config, const ConfigOrigins& origins);

}  // namespace flashloom
