// Checks of a device file's flash dies, their bus, and blocks in pseudo-SLC mode.
#pragma once

#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem. The geometry has been checked.
void check_nand(const DeviceConfig& config);

}  // namespace flashloom
