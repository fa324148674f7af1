#include "sc_main/assembly/config/validate_nand.hpp"

#include <fmt/format.h>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "models/channel/bus_energy.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_geometry.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/requirements.hpp"

namespace flashloom {
namespace {

void check_network(const DeviceConfig& config) {
  require(!config.nand.network.on() || (!config.power.is_limited() && config.power.cap_dies == 0),
          config.power.cap_dies != 0 ? "power.cap_dies" : "power.cap",
          "(also max_power of a power state) asks when a channel's wires are free, which needs a bus for each channel; "
          "valid: without it, or nand.network.topology = \"bus\"");
}

void check_bus(const NandConfig& nand) {
  if (nand.bus_energy_model != "capacitance") return;
  const double watts = bus_watts(nand);
  require(watts <= kMostDieWatts, "nand.bus_capacitance", "with ", nand.ways * nand.dies,
          " dies a channel makes its wires draw ", MessagePower{watts}, " at nand.transfer_rate; valid: at most ",
          MessagePower{kMostDieWatts});
}

void check_slc_cache(const DeviceConfig& config) {
  const NandConfig& nand = config.nand;
  if (!nand.any_slc()) return;
  const char* const key = nand.slc_blocks != 0 ? "nand.slc_blocks" : "nand.slc_dynamic";
  require(geometry_of(config).slc_pages != 0, key, "a block of ", nand.pages,
          " pages holds no whole program unit in SLC mode; valid: 0, or more nand.pages");
  require(maps_pages(config.ftl), key,
          "makes a write cache, which is for FTLs that map pages, and ftl.kind is \"" + config.ftl.kind.name +
              "\"; valid: 0");
  require(!collects_superblocks(config.ftl), "ftl.gc_unit", "\"superblock\" does not fold a write cache; valid with ",
          std::string(key), ": block");
}

}  // namespace

void check_nand(const DeviceConfig& config) {
  const NandConfig& nand = config.nand;
  const FtlConfig& ftl = config.ftl;
  check_config(nand);
  require(nand.page_size % (std::uint64_t{nand.partial_programs} * ftl.mapping_unit) == 0, "nand.partial_programs",
          nand.partial_programs, " parts of a page of ", MessageBytes{nand.page_size},
          " are no multiple of ftl.mapping_unit, ", MessageBytes{ftl.mapping_unit});
  require(nand.program_passes == 1 || maps_pages(ftl), "nand.program_passes",
          "2 keeps data of open blocks in memory, and an FTL that maps blocks merges out of these; valid with ftl.kind "
          "= " +
              ftl.kind.name + ": 1");
  require(ftl.superblock_by == "position" || nand.variation.block_times(), "ftl.superblock_by",
          "\"speed\" ranks blocks, which are all alike without nand.variation.program_block or erase_block; valid: "
          "position");
  check_network(config);
  check_bus(nand);
  check_slc_cache(config);
}

}  // namespace flashloom
