// The shape of a device's flash.
#pragma once

#include "models/nand/nand_geometry.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

inline NandGeometry geometry_of(const DeviceConfig& config) {
  return NandGeometry(config.nand, config.ftl.mapping_unit, config.compression.on() ? config.compression.density : 1);
}

}  // namespace flashloom
