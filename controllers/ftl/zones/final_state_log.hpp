// Records of final zone states, which survive power cuts: one word in separate erase units for each state change. Zones
// never leave a final state, so the strongest state found counts. All records are rewritten when an erase unit is full,
// and in each mount.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

class FinalStateLog : private ZonePart {
 public:
  FinalStateLog(const ZonePart& ftl, ZoneBlocks& zone_blocks);

  /// Whether zones can have final states: blocks may fail.
  bool used() const { return used_; }
  bool empty() const { return log_.empty(); }
  /// The recorded state of a zone.
  FinalState operator[](std::uint32_t zone) const { return states_[zone]; }

  Task<void> record(std::uint32_t zone, FinalState state);
  /// Rewrites all records into new erase units and releases the old ones. False if there is none.
  Task<bool> rewrite(Origin origin);

  // --- For a mount.
  /// Takes a record; false if the word is none.
  bool take(OobWord word);
  /// Takes over an erase unit with records.
  void take_over(BlockNumber block) { log_.push_back(block); }

  void state(StateArchive& archive);

 private:
  Task<ProgramJob*> begin();
  void launch(ProgramJob& job);

  ZoneBlocks& zone_blocks_;
  bool used_;
  std::vector<FinalState> states_;  ///< by zone
  std::vector<BlockNumber> log_;    ///< erase units of the records; the last is being written
};

}  // namespace flashloom
