#include "controllers/hardware/fault_config.hpp"

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const FaultConfig& faults, std::uint32_t unit_bytes, std::uint32_t sector_bytes) {
  require(faults.torn_writes == 0 || unit_bytes >= 2 * sector_bytes, "faults.torn_writes",
          "tears sectors of a mapping unit apart, and ftl.mapping_unit, ", MessageBytes{unit_bytes},
          ", is one sector of ", MessageBytes{sector_bytes}, "; valid: 0, or an ftl.mapping_unit of at least ",
          MessageBytes{2 * std::uint64_t{sector_bytes}});
}

}  // namespace flashloom
