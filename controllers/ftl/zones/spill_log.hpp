// Spilled program units: a small log, whose oldest erase unit is emptied when the log has its maximum size. Each
// program unit has at least one unit of padding, which distinguishes it from those of zones. With random write areas
// the log may hold several versions of a unit: then it shrinks only at its oldest end, one erase after another; else a
// power cut could bring back an older version after the newer one is erased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "controllers/ftl/zones/zone_blocks.hpp"

namespace flashloom {

class SpillLog : private ZonePart {
 public:
  SpillLog(const ZonePart& ftl, ZoneBlocks& zone_blocks);

  bool holds(BlockNumber block) const { return std::find(log_.begin(), log_.end(), block) != log_.end(); }

  /// Spills the units that wait. `gaps`: those of zones that have had a random write area since their reset, or else of
  /// the others.
  Task<void> spill(bool gaps);
  /// Records that only newer versions of the zone count; returns when a mount would find the record.
  Task<void> record_reset(std::uint32_t zone, std::uint64_t version);
  /// Notes the reset of a zone without a record.
  void note_reset(FlashZone& zone);
  /// Whether it holds reset data that a power cut would bring back.
  bool stale() const { return stale_; }
  /// Erases all erase units of the log except a new one, so that no reset data can come back.
  Task<void> empty();
  /// Releases erase units of the log without valid units, except the one being written.
  void release();

  /// For a mount: takes over an erase unit, newer than all so far.
  void take_over(BlockNumber block) { log_.push_back(block); }

  void state(StateArchive& archive);

 private:
  Task<void> drop_oldest();
  /// Whether the erase unit being written has room for `programs` program units.
  bool has_room(std::uint32_t programs) const { return !log_.empty() && zone_blocks_.has_room(log_.back(), programs); }
  bool has_room_for(BlockNumber spilled) const;
  /// Begins a spill program unit, with room for `programs` of them in one erase unit; null if none is left.
  Task<ProgramJob*> begin(std::uint32_t programs = 1);
  /// Begins a program unit for moved spilled units, without shortening the log; null if no erase unit is left.
  Task<ProgramJob*> begin_moved();
  void launch(ProgramJob* job, bool gaps);
  /// False if no erase unit is left.
  Task<bool> open();
  Task<bool> make_room();
  Task<void> move(BlockNumber from);
  Task<void> move(BlockNumber from, bool gaps);

  ZoneBlocks& zone_blocks_;
  std::deque<BlockNumber> log_;  ///< erase units, oldest first; the last is being written
  bool stale_ = false;
};

}  // namespace flashloom
