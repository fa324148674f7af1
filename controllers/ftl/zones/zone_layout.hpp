// Placement of zones on flash. A zone has as many erase units on each bank (die; plane programmed apart) of its set of
// dies as its capacity needs. Its program units go over the banks of the set in turn, then to the next row of these
// erase units, then to the next erase units. So a table of erase units locates all data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_geometry.hpp"

namespace flashloom {

class ZoneLayout {
 public:
  /// `wears`: blocks may fail.
  ZoneLayout(const FtlConfig& config, const NandGeometry& geometry, bool wears = false);

  /// Throws ConfigProblem for impossible layouts.
  void check() const;

  std::uint32_t zones() const { return zones_; }
  std::uint32_t zone_units() const { return zone_units_; }  ///< from the start of one zone to the next
  std::uint32_t capacity_units() const { return capacity_units_; }
  std::uint32_t max_open() const { return max_open_; }
  std::uint32_t max_active() const { return max_active_; }
  std::uint32_t random_units() const { return random_units_; }      ///< units of a random write area; 0: none
  std::uint32_t random_granule() const { return random_granule_; }  ///< a multiple of a program unit
  std::uint32_t max_random_areas() const { return max_random_areas_; }
  /// Data units in a program unit that holds spilled units.
  std::uint32_t spill_payload() const { return units_per_program_ > 1 ? units_per_program_ - 1 : 1; }
  /// A program unit of one mapping unit has no room for the padding that marks spilled units: then the first program
  /// unit of the erase unit is padding.
  bool spill_has_header() const { return units_per_program_ == 1; }
  bool erases_later() const { return later_; }
  /// Whether the rest of a finished zone is programmed: at once, or in the background of other programs.
  bool pads_at_once() const { return pads_at_once_; }
  bool pads_behind() const { return pads_behind_; }

  std::uint32_t units_per_program() const { return units_per_program_; }
  std::uint32_t programs_per_zone() const { return capacity_units_ / units_per_program_; }
  std::uint32_t programs_per_block() const { return programs_per_block_; }
  std::uint32_t sets() const { return sets_; }
  std::uint32_t set_of(std::uint32_t zone) const { return zone % sets_; }
  std::uint32_t blocks_per_zone() const { return members_ * layers_; }
  /// Number of banks on which a zone has erase units: slots that are equal modulo this number share a bank.
  std::uint32_t members() const { return members_; }
  /// The slot (erase unit of the zone) that holds its n-th program unit, and the row in it.
  std::uint32_t slot_of(std::uint32_t program) const {
    return program / (members_ * programs_per_block_) * members_ + program % members_;
  }
  std::uint32_t row_of(std::uint32_t program) const { return program / members_ % programs_per_block_; }
  /// The program unit in that row of that slot.
  std::uint32_t program_at(std::uint32_t slot, std::uint32_t row) const {
    return slot / members_ * members_ * programs_per_block_ + row * members_ + slot % members_;
  }
  /// Rows of a slot that the first `programs` program units of the zone occupy.
  std::uint32_t rows_of(std::uint32_t slot, std::uint32_t programs) const {
    const std::uint32_t before = slot / members_ * members_ * programs_per_block_;
    if (programs <= before + slot % members_) return 0;
    const std::uint32_t rows = (programs - before - slot % members_ + members_ - 1) / members_;
    return rows < programs_per_block_ ? rows : programs_per_block_;
  }
  /// Bank of a slot of a zone. Consecutive zones of a set start at banks far apart.
  std::uint32_t bank_of(std::uint32_t zone, std::uint32_t slot) const {
    const std::uint32_t member = (slot + first_member(zone / sets_)) % members_;
    return die_of_set_[set_of(zone) * dies_ + member % dies_] * planes_ + member / dies_;
  }
  /// Erase units that a zone takes on each bank of its set.
  std::uint32_t layers() const { return layers_; }
  /// Most erase units that hold spilled program units (ZonedFtl); and good erase units that zones must leave free on
  /// each bank. If fewer are left, there are too many zones.
  std::uint32_t spill_blocks() const { return spill_blocks_; }
  std::uint32_t reserve() const { return reserve_; }

  /// Bytes of the zone table: an address for each erase unit, state and write pointer.
  std::uint64_t map_bytes() const { return std::uint64_t{zones_} * (blocks_per_zone() * 4 + 16); }

 private:
  void check_random_areas() const;
  std::uint32_t first_member(std::uint32_t zone_of_set) const;

  std::uint64_t logical_size_;
  std::uint32_t dies_of_device_;
  std::uint32_t blocks_of_die_;
  std::uint32_t units_of_block_;
  std::uint32_t unit_bytes_;
  std::uint32_t dies_;
  std::uint32_t planes_;
  std::uint32_t members_;
  std::uint32_t sets_;
  std::vector<std::uint32_t> die_of_set_;  ///< by set, and die of the set
  std::uint32_t units_per_program_;
  std::uint32_t programs_per_block_;
  std::uint32_t layer_units_;
  std::uint64_t zone_bytes_;
  std::uint64_t capacity_bytes_;
  std::uint32_t zone_units_;
  std::uint32_t capacity_units_;
  std::uint32_t layers_;
  std::uint32_t max_open_;
  std::uint32_t max_active_;
  std::uint64_t random_bytes_;
  std::uint64_t granule_bytes_;
  std::uint32_t random_units_;
  std::uint32_t random_granule_;
  std::uint32_t max_random_areas_;
  bool later_;
  bool pads_at_once_;
  bool pads_behind_;
  std::uint32_t spill_blocks_;
  std::uint32_t reserve_;
  std::uint32_t reserve_at_first_;  // for a new device
  std::uint32_t most_zones_;
  std::uint32_t zones_;
};

}  // namespace flashloom
