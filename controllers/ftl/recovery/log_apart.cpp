#include "controllers/ftl/recovery/log_apart.hpp"

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/program/word_lines.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {
namespace {

constexpr std::uint32_t kLeastForData = 3;  // erase units of a die: one free, one open, one to collect from

}  // namespace

bool may_keep_log_apart(const FtlConfig& config, const NandGeometry& geometry, bool fails) {
  return one_open_block(config, geometry) && open_blocks(config, geometry) == 1 && config.gc_low <= kGcReserve &&
         geometry.units_per_program() == 1 && WordLines(geometry).independent() && !fails;
}

std::uint64_t most_log_blocks(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units) {
  return MapKeeper::most_blocks(geometry, logical_units, recovery_of(config),
                                ftl_map_units(config, geometry, logical_units));
}

std::uint64_t most_units_of_die(const NandGeometry& geometry, std::uint64_t blocks) {
  return (blocks - 1) * geometry.whole_units_per_block() - 1;
}

std::uint64_t most_units_beside(const NandGeometry& geometry, std::uint64_t log_blocks) {
  const std::uint64_t of_a_die = (log_blocks + geometry.dies - 1) / geometry.dies;
  if (of_a_die + kLeastForData > geometry.blocks) return 0;
  return geometry.dies * most_units_of_die(geometry, geometry.blocks) - log_blocks * geometry.whole_units_per_block();
}

std::uint32_t log_blocks_apart(const FtlConfig& config, const NandGeometry& geometry, std::uint64_t logical_units,
                               bool fails) {
  if (!may_keep_log_apart(config, geometry, fails)) return 0;
  const std::uint64_t log = most_log_blocks(config, geometry, logical_units);
  const std::uint64_t reserve = reserved_blocks(config, geometry, fails) + (log + geometry.dies - 1) / geometry.dies;
  const std::uint64_t usable =
      reserve < geometry.blocks ? geometry.dies * (geometry.blocks - reserve) * geometry.whole_units_per_block() : 0;
  return logical_units <= usable ? 0 : static_cast<std::uint32_t>(log);
}

}  // namespace flashloom
