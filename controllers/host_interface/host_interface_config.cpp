#include "controllers/host_interface/host_interface_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const HostInterfaceConfig& interface, std::uint32_t mapping_unit) {
  const std::uint32_t sector = interface.sector_size;
  require(sector == 512 || sector == 4096, "host_interface.sector_size", "is ", MessageBytes{sector},
          "; valid: 512 B or 4 KiB");
  const std::uint32_t atomic = interface.atomic_write;
  require(atomic <= mapping_unit && atomic % sector == 0, "host_interface.atomic_write", MessageBytes{atomic},
          " is not kept together; valid: sectors, up to ftl.mapping_unit, ", MessageBytes{mapping_unit});
}

}  // namespace flashloom
