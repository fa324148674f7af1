// Room that FTLs which collect garbage block by block must have to spare.
#pragma once

#include "models/nand/nand_geometry.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem, with the arithmetic.
void check_room_for_gc(const DeviceConfig& config, const NandGeometry& geometry);

}  // namespace flashloom
