#include "sc_main/assembly/config/device_config.hpp"

#include "controllers/ftl/ftl_rules.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"

namespace flashloom {

std::uint64_t capacity_bytes(const DeviceConfig& config) {
  const NandGeometry geometry = geometry_of(config);
  return logical_units(config.ftl, geometry) * geometry.unit_bytes;
}

}  // namespace flashloom
