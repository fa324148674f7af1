// Finds out what a scan of a zoned device has found: which erase unit holds what of which zone, or spilled units, or
// records of final states.
//
// An erase unit belongs to a zone (or to its data before a reset) if its first program unit holds the units of a
// program unit of the zone, each at its place, without padding. The zone's data continue from program unit to program
// unit as long as the next one is present and its versions are no older. Spilled units may follow. If a copy (of a
// mount, or after a program failure) is as long as its original, the copy is taken. Of a random write area all units
// are taken that are no older than the zone's first unit; the write pointer is then after the last of them, and the
// area is released.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/zones/final_state_log.hpp"
#include "controllers/ftl/zones/spill_log.hpp"

namespace flashloom {

class ZoneResolver : private ZonePart {
 public:
  ZoneResolver(const ZonePart& ftl, ZoneBlocks& zone_blocks, FinalStateLog& final_states, SpillLog& spill,
               const BlockScan& scan);

  struct Result {
    /// Erase units to be copied before the zone is written further: zone, slot.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> dirty;
    std::vector<PendingErase> erases;
    std::uint64_t newest_version = 0;
  };
  /// Fills the tables, which must be new.
  Result run();

 private:
  enum Kind : std::uint8_t { kNothing, kSpilled, kZone, kFinalStates, kTaken };
  struct Candidate {
    BlockNumber block = kNoBlockNumber;
    std::uint64_t version = 0;  ///< 1 + version of its first unit; 0: it is padding
    std::uint32_t rows = 0;     ///< readable ones
    std::uint64_t sequence = 0;
  };
  struct Spilled {
    PhysicalUnit place = 0;
    std::uint64_t version = 0;  ///< 1 + version of the unit
    bool area = false;
  };
  using SpilledUnits = std::map<std::uint32_t, Spilled>;
  /// How a program unit continues the zone: number of leading units without a gap, or no match.
  struct Found {
    bool fits = false;
    bool finished = false;
    std::uint32_t units = 0;
    std::uint64_t newest = 0;
  };

  OobWord word(BlockNumber block, std::uint32_t row, std::uint32_t at) const {
    return scan_.word(block, row * units_per_program_ + at);
  }
  bool readable(BlockNumber block, std::uint32_t row) const;
  std::uint32_t written_rows(BlockNumber block) const;
  bool has_word(BlockNumber block, std::uint32_t row, OobWord wanted) const;
  bool of_zone(BlockNumber block) const;

  // --- What each erase unit holds.
  void look_at(BlockNumber block);
  void take_final_states(BlockNumber block);
  void note_spilled(BlockNumber block, std::uint32_t at, OobWord w, bool area);
  void note_reset(OobWord w);
  void note_candidate(BlockNumber block);
  void add(std::uint32_t zone, std::uint32_t slot, const Candidate& candidate);

  // --- What of it counts.
  Found match(std::uint32_t zone, std::uint32_t program, BlockNumber block, std::uint64_t newest) const;
  void resolve(std::uint32_t zone);
  std::uint32_t take_spilled(std::uint32_t zone, std::uint32_t offset, std::uint64_t newest, std::uint64_t first);
  std::uint32_t take_area(std::uint32_t zone, SpilledUnits::const_iterator begin, SpilledUnits::const_iterator end,
                          std::uint64_t first);
  void take(std::uint32_t unit, const Spilled& spilled);
  bool copies_alone(BlockNumber block) const;
  bool in_log(BlockNumber block) const;

  // --- Taking it over.
  bool take_over(std::uint32_t zone, std::uint32_t slot);
  void take_over_spilled();
  void take_over_final_states();
  void erase_the_rest();

  ZoneBlocks& zone_blocks_;
  FinalStateLog& final_states_;
  SpillLog& spill_;
  const BlockScan& scan_;
  Result result_;
  std::vector<std::vector<Candidate>> candidates_;  // by zone and slot
  std::vector<std::uint64_t> reset_;                // by zone: 1 + version that its last reset has ended; 0: none
  std::vector<std::uint8_t> kind_;                  // by block
  SpilledUnits spilled_;                            // by unit: its newest version
  std::map<BlockNumber, std::uint32_t> spilled_valid_;
};

}  // namespace flashloom
