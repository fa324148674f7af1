// Requirements of [fdp] on the device.
#include <fmt/format.h>

#include <algorithm>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "models/nand/nand_geometry.hpp"
#include "policies/host_placement/host_placement.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"
#include "sc_main/assembly/config/validate.hpp"

namespace flashloom {
namespace {

// A reclaim unit is a superblock of all dies of its group.
void check_reclaim_unit(const DeviceConfig& config, const NandGeometry& geometry) {
  const FtlConfig& ftl = config.ftl;
  const std::uint32_t groups = ftl.fdp.groups;
  require(geometry.dies % groups == 0, "fdp.groups",
          fmt::format("{} do not divide {} dies; valid: 0, or a divisor", groups, geometry.dies));
  const std::uint32_t dies = geometry.dies / groups;
  if (collects_superblocks(ftl)) {
    require(superblock_dies(ftl, geometry) == dies, "ftl.superblock_dies",
            fmt::format("a reclaim unit is a superblock of all dies of its group, {}, and these have {}; valid: {}",
                        dies, superblock_dies(ftl, geometry), dies));
    return;
  }
  require(dies == 1, "ftl.gc_unit",
          fmt::format("a reclaim unit is a superblock of all dies of its group, {}; valid with fdp.groups = {}: "
                      "superblock",
                      dies, groups));
  require(geometry.planes_apart() == 1, "ftl.gc_unit",
          "the planes of a die are programmed apart, and a reclaim unit is a block of each; valid with fdp.groups: "
          "superblock");
}

// Each handle must be able to fill a reclaim unit at the same time as the others, in its group's blocks for data.
void check_unit_superblocks(const FtlConfig& ftl, const NandGeometry& geometry) {
  const FdpConfig& fdp = ftl.fdp;
  if (fdp.unit_superblocks == 1) return;
  const std::uint32_t planes = geometry.planes_apart();
  const std::uint32_t of_group = geometry.blocks / planes;
  const std::uint32_t reserved = (reserved_blocks(ftl, geometry, false) + planes - 1) / planes;
  const std::uint32_t most = std::max((of_group - std::min(reserved, of_group)) / fdp.handles, 1U);
  require(
      fdp.unit_superblocks <= most, "fdp.unit_superblocks",
      fmt::format("{} superblocks for each of {} handles are {}, and a reclaim group has {}, {} of them for garbage "
                  "collection and open blocks; valid: 1 to {}",
                  fdp.unit_superblocks, fdp.handles, std::uint64_t{fdp.unit_superblocks} * fdp.handles, of_group,
                  reserved, most));
}

void check_handles(const FtlConfig& ftl) {
  const FdpConfig& fdp = ftl.fdp;
  require(fdp.groups * fdp.handles <= kMaxStreams, "fdp.handles",
          fmt::format("{} in each of {} reclaim groups are {} open reclaim units; valid: at most {} in all",
                      fdp.handles, fdp.groups, fdp.groups * fdp.handles, kMaxStreams));
  require(fdp.default_handle < fdp.handles, "fdp.default_handle",
          fmt::format("{} is none of fdp.handles; valid: 0 to {}", fdp.default_handle, fdp.handles - 1));
  for (std::size_t i = 0; i < fdp.persistent.size(); ++i) {
    require(fdp.persistent[i] < fdp.handles, "fdp.persistent",
            fmt::format("{} is none of fdp.handles; valid: 0 to {}", fdp.persistent[i], fdp.handles - 1));
    require(i == 0 || fdp.persistent[i - 1] < fdp.persistent[i], "fdp.persistent",
            fmt::format("{} behind {}; valid: in rising order, each once", fdp.persistent[i],
                        i == 0 ? 0 : fdp.persistent[i - 1]));
  }
  const bool moves = Family<WearLevelingPolicy>::make(ftl.wear_leveling, {.blocks = 1})->moves();
  require(fdp.persistent.empty() || (!moves && !ftl.scrubs()), "fdp.persistent",
          "keeps the data of a handle apart for good, and wear levelling and scrubbing put all data that they move "
          "together; valid: [], or an ftl.wear_leveling that moves none, and no ftl.scrub_reads and ftl.scrub_level");
}

}  // namespace

void check_host_placement(const DeviceConfig& config) {
  if (!Family<HostPlacementPolicy>::make(config.host.placement, {})->active()) return;
  const auto needs = [&](bool is, const char* what) {
    require(
        is, "host.placement",
        fmt::format("\"{}\" gives writes placement identifiers, {}; valid: none", config.host.placement.name, what));
  };
  needs(config.ftl.fdp.on() || config.ftl.streams.name == "host",
        "and the device has neither fdp.groups nor ftl.streams = \"host\"");
  needs(config.host.cache.size == 0, "which the host's page cache (host.cache.size) does not pass on");
  needs(config.hdd.capacity == 0, "which a device that caches a disk (hdd.capacity) does not pass on");
  needs(!config.array.present(), "which an array (array.level) does not pass on");
  needs(!config.heap.present(), "and an object heap sends requests of its own");
}

void check_fdp(const DeviceConfig& config) {
  const FtlConfig& ftl = config.ftl;
  if (!ftl.fdp.on()) return;
  const auto alone = [](bool is, const char* what) {
    require(is, "fdp.groups", fmt::format("{}, which passes no placement identifiers on; valid: 0, or without", what));
  };
  alone(config.host.cache.size == 0, "the host's page cache (host.cache.size) stands before the device");
  alone(config.hdd.capacity == 0, "the device caches a disk (hdd.capacity)");
  alone(!config.array.present(), "the device is one of an array (array.level)");
  require(
      maps_pages(ftl), "fdp.groups",
      fmt::format("ftl.kind \"{}\" maps no pages: which data share a block follows from their addresses; valid: 0, or "
                  "an FTL that maps pages",
                  ftl.kind.name));
  require(ftl.streams.name == FtlConfig{}.streams.name, "ftl.streams",
          fmt::format("reclaim unit handles say which data share blocks; valid with fdp.groups: {}",
                      FtlConfig{}.streams.name));
  require(!Family<PlacementPolicy>::make(ftl.placement, {})->sets_apart(), "ftl.placement",
          fmt::format("\"{}\" gives sets blocks of their own, and reclaim unit handles say which data share blocks; "
                      "valid with fdp.groups: one that does not",
                      ftl.placement.name));
  const NandGeometry geometry = geometry_of(config);
  require(!geometry.any_slc(), "nand.slc_blocks",
          "an SLC write cache puts data of all handles together when it is folded; valid with fdp.groups: 0, with "
          "nand.slc_dynamic 0");
  check_reclaim_unit(config, geometry);
  check_handles(ftl);
  check_unit_superblocks(ftl, geometry);
}

}  // namespace flashloom
