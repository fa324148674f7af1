#include "sc_main/config/device_config.hpp"

#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

std::uint64_t capacity_bytes(const DeviceConfig& config) {
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  return logical_units(config.ftl, geometry) * geometry.unit_bytes;
}

}  // namespace flashloom
