// What a device file may say of flash dies and their bus, and of blocks in pseudo-SLC mode.
#pragma once

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/document.hpp"
#include "sc_main/config/reader.hpp"

namespace flashloom {

/// Throws ConfigError. The geometry has been checked.
void check_nand(const DeviceConfig& config, const ConfigOrigins& origins);

}  // namespace flashloom
