// Check of the spare room that FTLs with block-by-block garbage collection need.
#pragma once

#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Throws ConfigProblem, whose message shows the arithmetic.
void check_room_for_gc(const DeviceConfig& config, const NandGeometry& geometry);

}  // namespace flashloom
