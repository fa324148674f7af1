// Checks that a zoned device has no features that zones exclude.
#pragma once

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem. A device without zones passes.
void check_zones(const DeviceConfig& config);

}  // namespace flashloom
