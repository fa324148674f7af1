// What a device file may say of flash dies and their bus, and of blocks in pseudo-SLC mode.
#pragma once

#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem. The geometry has been checked.
void check_nand(const DeviceConfig& config);

}  // namespace flashloom
