#include "controllers/buffer/buffer_config.hpp"

#include <algorithm>

#include "models/common/config_problem.hpp"

namespace flashloom {

void check_config(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint64_t least, std::uint32_t streams) {
  require(buffer.mode != "write_back" || buffer.size >= least, "buffer.size", MessageBytes{buffer.size},
          " does not hold one program unit", streams == 1 ? "" : " a stream", "; valid with write_back: at least ",
          MessageBytes{least});
  require(buffer.size == 0 || buffer.size >= mapping_unit, "buffer.size", MessageBytes{buffer.size},
          " does not hold one mapping unit of ", MessageBytes{mapping_unit});
  require(buffer.read_ahead == 0 || buffer.read_cache > 0, "buffer.read_ahead",
          "needs room for what is read ahead; set buffer.read_cache");
  require(buffer.read_ahead == 0 || buffer.read_ahead >= mapping_unit, "buffer.read_ahead",
          MessageBytes{buffer.read_ahead}, " is less than one mapping unit of ", MessageBytes{mapping_unit});
  require(!buffer.coalesce || buffer.evict == "pages", "buffer.coalesce",
          "is for pages; with buffer.evict = \"blocks\" whole blocks leave together as it is");
}

std::uint32_t buffer_slots(const BufferConfig& buffer, std::uint32_t mapping_unit, std::uint32_t units_per_program,
                           std::uint32_t waiting) {
  const auto units = static_cast<std::uint32_t>(buffer.size / mapping_unit);
  return std::max({units, waiting + std::max(units_per_program, buffer.split), 2 * buffer.split});
}

}  // namespace flashloom
