// Checks of a device file's [nand] with what other tables say.
#pragma once

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem. The geometry has been checked.
void check_nand(const DeviceConfig& config);

}  // namespace flashloom
