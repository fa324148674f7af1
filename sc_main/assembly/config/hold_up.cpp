#include "sc_main/assembly/config/hold_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/ftl_rules.hpp"
#include "controllers/ftl/program/word_lines.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "models/nand/nand_energy.hpp"
#include "models/nand/nand_timing.hpp"
#include "models/nand/nand_variation.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/power_split.hpp"
#include "sc_main/assembly/config/requirements.hpp"

namespace flashloom {
namespace {

// Maximum power in W of every part of the drive except the arrays of its dies, which are in standby.
double watts_beside_arrays(const DeviceConfig& config, const NandGeometry& geometry) {
  double watts = geometry.dies * NandEnergy::power_figures(config.nand).states.front().watts;
  for (const PartPower& part : states_beside_arrays(config)) watts += part.watts;
  return watts;
}

struct ArrayCost {
  double seconds = 0;
  double joules = 0;
};

// Maximum time and energy of an operation of an array, above standby.
ArrayCost cost_of(const NandConfig& nand, FlashOperation operation, Picoseconds longest) {
  ArrayCost cost{.seconds = static_cast<double>(longest) * 1e-12};
  for (const NandEnergy::Most& most : NandEnergy::most(nand))
    if (most.operation == operation)
      cost.joules = std::max(cost.joules, most.watts * static_cast<double>(most.time) * 1e-12);
  return cost;
}

// Energy in J/B of data that is written to a memory and read from it twice for each program.
double joules_per_byte(const MemoryConfig& memory) { return 2 * (memory.read_energy + memory.write_energy); }

}  // namespace

HoldUpNeed hold_up_need(const DeviceConfig& config) {
  const NandConfig& nand = config.nand;
  const NandGeometry geometry = geometry_of(config);
  const std::uint32_t unit = geometry.whole_units_per_program();
  const std::uint64_t logical = logical_units(config.ftl, geometry);
  const bool map = ftl_map_units(config.ftl, geometry, logical) != 0;
  const std::uint64_t streams = host_streams(config.ftl) + (map ? 2U : 1U);  // plus GC, and translation pages
  const std::uint64_t open = streams * geometry.dies * geometry.planes_apart();
  const std::uint64_t units = config.buffer.size / config.ftl.mapping_unit;
  // Each open block is padded until its data is safe.
  const std::uint32_t padding = WordLines(geometry).most_exposed() / geometry.program_pages;
  HoldUpNeed need;
  need.programs = (units + unit - 1) / unit + open * (1 + padding);
  if (const std::uint32_t rain = config.ftl.rain; rain != 0) {
    // Open stripes are filled up, and they and the stripes of the buffer's data need parity.
    const std::uint64_t dies = superblock_dies(config.ftl, geometry) - (nand.die_failure_at != 0 ? 1 : 0);
    need.programs = (need.programs + open) * dies / (dies - rain) + open;
  }
  if (map) need.programs += units;  // each unit may dirty another translation page
  if (const RecoveryMethod method = recovery_of(config.ftl); method.checkpoints) {
    // Before each checkpoint, data that waits in open program units is programmed.
    const std::uint64_t map_units = ftl_map_units(config.ftl, geometry, logical);
    need.programs += MapKeeper::most_programs(geometry, logical, method, map_units, units) +
                     MapKeeper::most_checkpoints(geometry, logical, method, units) * open * (1 + padding);
  }
  if (nand.any_slc()) need.programs *= 2;  // data in the SLC write cache is folded, too
  // Failed programs are repeated.
  need.programs =
      static_cast<std::uint64_t>(std::ceil(static_cast<double>(need.programs) / (1 - nand.program_failure_rate)));
  // A victim holds at most as much valid data as the mean block: each program needs logical / (raw - logical) copies.
  const double raw = static_cast<double>(geometry.blocks) * geometry.dies * geometry.whole_units_per_block();
  const double spare = raw - static_cast<double>(logical);
  need.copies = static_cast<double>(need.programs) * static_cast<double>(logical) / std::max(spare, 1.0);
  double programs = static_cast<double>(need.programs) + need.copies;
  const double reads = need.copies * unit;
  const double erases = programs * geometry.program_pages / geometry.pages + geometry.dies;
  programs += erases * geometry.pages_before_erase(false) / geometry.program_pages;  // fill nearly empty blocks first
  const VariationConfig& varied = nand.variation;
  const ArrayCost read =
      cost_of(nand, FlashOperation::Read, VariationFactor::longest(nand.longest_read(), varied.read));
  const double longest_program = (1 + nand.program_time_spread) * static_cast<double>(VariationFactor::longest(
                                                                      longest_program_time(nand), varied.program));
  const ArrayCost program = cost_of(nand, FlashOperation::Program, static_cast<Picoseconds>(longest_program));
  const ArrayCost erase = cost_of(nand, FlashOperation::Erase, VariationFactor::longest(nand.erase_time, varied.erase));
  const Page last{geometry.pages - geometry.program_pages};
  const double bytes_moved = programs * geometry.program_bytes(last, false) + need.copies * unit * geometry.unit_bytes;
  const double wires = bytes_moved / (static_cast<double>(nand.data_rate()) / 8);
  const std::uint32_t dies = geometry.dies - (nand.die_failure_at != 0 ? 1 : 0);
  need.seconds = (programs * program.seconds + reads * read.seconds + erases * erase.seconds) / dies +
                 wires / nand.channels + program.seconds + erase.seconds;  // operations in progress at the cut
  const MemoryConfig& memory = config.dramless() ? static_cast<const MemoryConfig&>(config.sram) : config.dram;
  need.joules = programs * program.joules + reads * read.joules + erases * erase.joules +
                bytes_moved * (joules_per_byte(memory) + joules_per_byte(config.nvram)) +
                watts_beside_arrays(config, geometry) * need.seconds;
  if (config.compression.on()) need.joules += config.compression.energy * static_cast<double>(config.buffer.size);
  need.joules /= config.power.regulator_efficiency;
  return need;
}

namespace {

// Data acknowledged from a buffer on capacitors must find room on flash, even when the device is worn out.
void check_room(const DeviceConfig& config) {
  const NandGeometry geometry = geometry_of(config);
  const bool map = ftl_map_units(config.ftl, geometry, logical_units(config.ftl, geometry)) != 0;
  const std::uint32_t waiting = waiting_units(config.ftl, geometry, host_streams(config.ftl) + (map ? 1 : 0));
  const std::uint64_t units = buffer_slots(config.buffer, geometry.unit_bytes, geometry.units_per_program(), waiting);
  const std::uint64_t room = room_when_worn_out(config.ftl, geometry, config.nand.die_failure_at != 0);
  const bool superblocks = collects_superblocks(config.ftl);
  require(units <= room, "buffer.size",
          fmt::format("{} holds {} mapping units, with those that wait for their program units to fill, which "
                      "capacitors must bring to a worn-out device, too; that has room for {}: {} free {}{}{}, less an "
                      "erase unit that fails and {} for metadata; valid: at most {}, more with larger blocks or more "
                      "dies, or power.plp_flush = \"flash\"",
                      bytes(config.buffer.size), units, room, kFailureReserve,
                      superblocks ? "superblocks a group" : "erase units a die",
                      config.ftl.rain != 0 ? fmt::format(", without {} of parity a superblock", config.ftl.rain) : "",
                      config.nand.die_failure_at != 0 ? ", without a die that fails" : "",
                      superblocks ? "a superblock" : "one", bytes(room * geometry.unit_bytes)));
}

}  // namespace

void check_hold_up(const DeviceConfig& config) {
  const PowerConfig& power = config.power;
  if (power.holds_buffer_up() && config.nand.blocks_fail() && config.buffer.location == "dram" &&
      config.buffer.mode == "write_back")
    check_room(config);
  if (!power.holds_buffer_up() || power.plp_energy == 0) return;
  require(maps_pages(config.ftl), "power.plp_energy",
          fmt::format("how much capacitors must give for ftl.kind \"{}\" is not known: a merge may copy a whole block "
                      "for each unit; valid: 0 J (as much as it takes), or power.plp_flush = \"flash\"",
                      config.ftl.kind.name));
  const HoldUpNeed need = hold_up_need(config);
  require(power.plp_energy >= need.joules, "power.plp_energy",
          fmt::format("{} do not bring a full buffer to flash: {} of buffer.size are {} programs, and garbage "
                      "collection copies {:.0f} for them at this over-provisioning, which takes {:.3g} s on {} dies, "
                      "and {}; valid: at least that, 0 J (as much as it takes), a smaller buffer.size, or "
                      "power.plp_flush = \"flash\"",
                      format_real(Quantity::Energy, power.plp_energy), bytes(config.buffer.size), need.programs,
                      need.copies, need.seconds, geometry_of(config).dies, format_real(Quantity::Energy, need.joules)));
}

}  // namespace flashloom
