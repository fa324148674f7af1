// The shape of a device's flash.
#pragma once

#include <optional>

#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/zones/zone_layout.hpp"
#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

inline NandGeometry geometry_of(const DeviceConfig& config) {
  return NandGeometry(config.nand, config.ftl.mapping_unit, config.compression.on() ? config.compression.density : 1);
}

/// The layout of the device's zones; none if it has no zones.
inline std::optional<ZoneLayout> zones_of(const DeviceConfig& config) {
  if (!is_zoned(config.ftl)) return std::nullopt;
  return ZoneLayout(config.ftl, geometry_of(config));
}

}  // namespace flashloom
