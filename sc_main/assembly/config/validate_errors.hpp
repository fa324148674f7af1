// Checks of a device file's flash errors: nand.errors, nand.ecc, failing blocks, scrubbing.
#pragma once

#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem. The geometry has been checked.
void check_flash_errors(const DeviceConfig& config);

/// Erase units of the device that can hold live data if each die keeps `reserve` others; factory-bad blocks excluded.
std::uint64_t usable_blocks(const DeviceConfig& config, const NandGeometry& geometry, std::uint64_t reserve);

}  // namespace flashloom
