#include "sc_main/assembly/config/validate_room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/recovery/log_apart.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/validate_errors.hpp"

namespace flashloom {
namespace {

// Superblocks of the log in each group of dies, rounded up.
std::uint64_t log_superblocks(const FtlConfig& ftl, const NandGeometry& geometry, std::uint64_t blocks) {
  const std::uint64_t dies = superblock_dies(ftl, geometry);
  const std::uint64_t members = dies * geometry.planes_apart();
  const std::uint64_t groups = geometry.dies / dies;
  return ((blocks + members - 1) / members + groups - 1) / groups;
}

// Text about the blocks that a die must keep free. `apart`: blocks reserved for the log, if any.
std::string kept_free(const DeviceConfig& config, const NandGeometry& geometry, std::uint64_t reserve,
                      std::uint64_t log, std::uint64_t apart) {
  const FtlConfig& ftl = config.ftl;
  if (apart != 0) return fmt::format("1 free, and a page that is not valid, the device {} for metadata", apart);
  const std::uint64_t free = reserve - geometry.slc_blocks;
  if (free - log == blocks_for_open_stripes(ftl, geometry, config.nand.blocks_fail()))
    return fmt::format("{} free ({} so that a victim gives a stripe, {} for metadata)", free, free - log, log);
  const bool tight = one_open_block(ftl, geometry);
  const std::uint32_t second = blocks_for_second_passes(ftl, geometry);
  return fmt::format("{} free ({} {}, {} open{}{}, {} for metadata)", free, tight ? "gc_low" : "gc_high",
                     tight ? ftl.gc_low : ftl.gc_high, open_blocks(ftl, geometry), tight ? "" : ", 1 to collect from",
                     second == 0 ? "" : fmt::format(", {} for padding behind second passes", second), log);
}

struct Room {
  std::uint64_t log;       // erase units of a die for metadata
  std::uint64_t most_log;  // those of all dies
  std::uint64_t reserve;   // erase units of a die that are kept free
  bool apart;              // the log has blocks of its own
  std::uint64_t usable;    // mapping units that fit
  std::uint64_t logical;   // mapping units that are mapped
};

Room room_of(const DeviceConfig& config, const NandGeometry& geometry) {
  const FtlConfig& ftl = config.ftl;
  const std::uint64_t host = logical_units(ftl, geometry);
  Room room{};
  room.most_log = most_log_blocks(ftl, geometry, host);
  room.log = collects_superblocks(ftl) ? log_superblocks(ftl, geometry, room.most_log) * geometry.planes_apart()
                                       : (room.most_log + geometry.dies - 1) / geometry.dies;
  room.reserve = reserved_blocks(ftl, geometry, config.nand.blocks_fail()) + room.log;
  room.apart = may_keep_log_apart(ftl, geometry, config.nand.blocks_fail() || config.nand.factory_bad_blocks != 0);
  const std::uint64_t dies = superblock_dies(ftl, geometry);
  const std::uint64_t with_parity = usable_blocks(config, geometry, room.reserve) * geometry.whole_units_per_block();
  room.usable = std::max(with_parity * (dies - ftl.rain) / dies,
                         room.apart ? most_units_beside(geometry, room.most_log) : std::uint64_t{0});
  room.logical = host + ftl_map_units(ftl, geometry, host);
  return room;
}

// The largest ftl.logical_size, in bytes, that finds room: less data need fewer blocks for metadata, too.
std::uint64_t largest(DeviceConfig config, const NandGeometry& geometry) {
  const std::uint64_t unit = config.ftl.mapping_unit;
  std::uint64_t fits = 0;
  for (std::uint64_t beyond = std::min(config.ftl.logical_size / unit, geometry.total_units()) + 1;
       beyond - fits > 1;) {
    const std::uint64_t middle = fits + (beyond - fits) / 2;
    config.ftl.logical_size = middle * unit;
    const Room room = room_of(config, geometry);
    (room.logical <= room.usable ? fits : beyond) = middle;
  }
  return fits * unit;
}

}  // namespace

void check_room_for_gc(const DeviceConfig& config, const NandGeometry& geometry) {
  const FtlConfig& ftl = config.ftl;
  const std::uint32_t units = geometry.two_passes ? 2 : 1;  // program units that the copy of a single unit takes
  require(geometry.pages > units * geometry.program_pages, "nand.pages",
          fmt::format("a block is {}, which the copies of a single unit take, too{}: collecting it gains nothing; "
                      "valid: at least {} x nand.pages_per_program, {}",
                      units == 2 ? "two program units" : "one program unit",
                      units == 2 ? " (one, and another for its second pass)" : "", units + 1,
                      (units + 1) * config.nand.pages_per_program));
  const Room room = room_of(config, geometry);
  if (room.logical > room.usable) {
    const bool sized = ftl.logical_size != 0;
    const double needed =
        room.usable == 0 ? 0 : static_cast<double>(geometry.total_units()) / static_cast<double>(room.usable) - 1;
    // Rounded up, so that the advised value suffices.
    const std::string least = room.usable == 0 ? "impossible with so few blocks; raise nand.blocks"
                                               : fmt::format("{:.4f}", std::ceil(needed * 10000) / 10000);
    require(false, sized ? "ftl.logical_size" : "ftl.over_provisioning",
            fmt::format("{} for the host out of {} of flash leaves no room: each die of {} erase units must keep {}{}; "
                        "valid: {}",
                        bytes(room.logical * ftl.mapping_unit), bytes(geometry.raw_bytes()),
                        geometry.blocks - geometry.slc_blocks,
                        kept_free(config, geometry, room.reserve, room.log, room.apart ? room.most_log : 0),
                        ftl.rain == 0 ? ""
                                      : fmt::format(", and parity takes {} of {} of the rest", ftl.rain,
                                                    superblock_dies(ftl, geometry)),
                        sized ? "at most " + bytes(largest(config, geometry)) : "at least " + least));
  }
}

}  // namespace flashloom
