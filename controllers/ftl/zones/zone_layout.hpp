// Placement of zones on flash. A zone has as many erase units on each bank (die; plane programmed apart) of its set of
// dies as its capacity needs. Its program units go over the banks of the set in turn, then to the next row of these
// erase units, then to the next erase units. So a table of erase units locates all data.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

class ZoneLayout {
 public:
  /// `wears`: blocks may fail.
  ZoneLayout(const FtlConfig& config, const NandGeometry& geometry, bool wears = false);

  /// Throws ConfigProblem for impossible layouts. To be called with the arguments of the constructor.
  void check(const FtlConfig& config, const NandGeometry& geometry) const;

  // --- What the device file says, with its defaults filled in.
  std::uint32_t zones;
  std::uint32_t zone_units;  ///< from the start of one zone to the next
  std::uint32_t capacity_units;
  std::uint32_t max_open;
  std::uint32_t max_active;
  std::uint32_t random_units;    ///< units of a random write area; 0: none
  std::uint32_t random_granule;  ///< units; a multiple of a program unit
  std::uint32_t max_random_areas;
  bool erases_later;
  bool pads_at_once;  ///< the rest of a finished zone is programmed: at once, or in the background of other programs
  bool pads_behind;

  // --- What follows.
  std::uint32_t units_per_program;
  std::uint32_t programs_per_block;
  std::uint32_t sets;
  std::uint32_t members;       ///< banks on which a zone has erase units: slots equal modulo this number share a bank
  std::uint32_t layers;        ///< erase units that a zone takes on each bank of its set
  std::uint32_t spill_blocks;  ///< most erase units that hold spilled program units (ZonedFtl)
  std::uint32_t reserve;  ///< good erase units that zones must leave free on each bank; else there are too many zones

  /// Data units in a program unit that holds spilled units.
  std::uint32_t spill_payload() const { return units_per_program > 1 ? units_per_program - 1 : 1; }
  /// A program unit of one mapping unit has no room for the padding that marks spilled units: then the first program
  /// unit of the erase unit is padding.
  bool spill_has_header() const { return units_per_program == 1; }
  std::uint32_t programs_per_zone() const { return capacity_units / units_per_program; }
  std::uint32_t set_of(std::uint32_t zone) const { return zone % sets; }
  std::uint32_t blocks_per_zone() const { return members * layers; }
  /// The slot (erase unit of the zone) that holds its n-th program unit, and the row in it.
  std::uint32_t slot_of(std::uint32_t program) const {
    return program / (members * programs_per_block) * members + program % members;
  }
  std::uint32_t row_of(std::uint32_t program) const { return program / members % programs_per_block; }
  /// The program unit in that row of that slot.
  std::uint32_t program_at(std::uint32_t slot, std::uint32_t row) const {
    return slot / members * members * programs_per_block + row * members + slot % members;
  }
  /// Rows of a slot that the first `programs` program units of the zone occupy.
  std::uint32_t rows_of(std::uint32_t slot, std::uint32_t programs) const {
    const std::uint32_t before = slot / members * members * programs_per_block;
    if (programs <= before + slot % members) return 0;
    const std::uint32_t rows = (programs - before - slot % members + members - 1) / members;
    return rows < programs_per_block ? rows : programs_per_block;
  }
  /// Bank of a slot of a zone. Consecutive zones of a set start at banks far apart.
  std::uint32_t bank_of(std::uint32_t zone, std::uint32_t slot) const {
    const std::uint32_t member = (slot + first_member(zone / sets)) % members;
    return die_of_set_[set_of(zone) * dies_ + member % dies_] * planes_ + member / dies_;
  }
  /// Bytes of the zone table: an address for each erase unit, state and write pointer.
  std::uint64_t map_bytes() const { return std::uint64_t{zones} * (blocks_per_zone() * 4 + 16); }

 private:
  void check_random_areas(std::uint32_t unit_bytes) const;
  std::uint32_t first_member(std::uint32_t zone_of_set) const;

  std::uint32_t dies_;
  std::uint32_t planes_;
  std::vector<std::uint32_t> die_of_set_;  // by set, and die of the set
  std::uint64_t zone_bytes_;
  std::uint64_t capacity_bytes_;
  std::uint64_t random_bytes_;
  std::uint64_t granule_bytes_;
  std::uint32_t reserve_at_first_;  // for a new device
  std::uint32_t most_zones_;
};

}  // namespace flashloom
