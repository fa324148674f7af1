// Erase units of a zoned FTL: opens them, fills their program units (with units of zones at their places or spilled, and
// with padding), and erases those that are given up. As elsewhere decisions precede flash operations (Programmer): the
// next program unit begun tries the places first where programs fail.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/zones/zone_part.hpp"

namespace flashloom {

class ZoneBlocks final : private ZonePart, private CloseObserver {
 public:
  explicit ZoneBlocks(const ZonePart& ftl);

  /// Opens an erase unit; kNoBlockNumber if the device has none left and is worn out.
  Task<BlockNumber> open_on(std::uint32_t bank);
  Task<BlockNumber> open_anywhere();
  /// Whether any die has a free erase unit.
  bool any_free() const { return blocks_.free().of_die(roomiest_die()) != 0; }
  /// Whether an open erase unit has room for `programs` program units.
  bool has_room(BlockNumber block, std::uint32_t programs) const;

  // --- Program units.
  /// Begins the next program unit of an open block; it tries the failures first.
  ProgramJob& begin(BlockNumber block, Origin origin);
  /// The same for copies of no collection.
  ProgramJob& begin_copies(BlockNumber block, Origin origin);
  void place(ProgramJob& job, WriteUnit& unit);
  void copy(ProgramJob& job, std::uint32_t unit);
  /// Place, copy, or zero-fill a unit at its place in a zone.
  void place_home(ProgramJob& job, WriteUnit& unit, const FlashZone& zone);
  void copy_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone);
  void zero_home(ProgramJob& job, std::uint32_t unit, const FlashZone& zone);
  void pad_finish(ProgramJob& job, std::uint32_t zone, std::uint32_t slot);
  void launch(ProgramJob& job);

  // --- Programs that fail.
  /// Whether the block's next program unit fails; if so, it is given out, and nothing more is begun in the block.
  bool lets_fail(BlockNumber block) { return failures_ != nullptr && failures_->fails_next(kWriter, block); }
  bool any_to_try() const { return failures_ != nullptr && failures_->any_to_try(kWriter); }
  /// Tries the failures with padding, if no program unit follows.
  void try_padding() {
    if (failures_ != nullptr) failures_->try_padding(kWriter, Origin::Padding);
  }
  /// Tries failures in a block that is to be released.
  void before_giving_back(BlockNumber block) {
    if (failures_ != nullptr && failures_->any_to_try(kWriter, block)) try_padding();
  }

  // --- Erases.
  void give_back(BlockNumber block, Origin origin);
  /// Gives back an erase unit of a zone, whose next reset waits for the erase.
  void give_back(BlockNumber block, Origin origin, FlashZone& zone);
  void erase_given_up(FlashZone& zone);
  /// Erases the first erase unit that the zone has given up: then the zone counts as empty.
  void erase_first(FlashZone& zone);
  /// Erases what a mount has found and does not need.
  PendingErase erase_found(BlockNumber block);
  Task<void> until_erased(const std::vector<PendingErase>& erases);  ///< `erases` must outlive it

  /// All zones that have data become read-only: the device is worn out.
  void close_all();

 private:
  static constexpr FailureHandler::Writer kWriter = 0;

  void end_life();
  WaitList* before_erased(PendingErase erase);
  OobWord word_at(PhysicalUnit place) const;
  void copy_as(ProgramJob& job, std::uint32_t unit, OobWord word);
  /// Closed blocks are not collected here: their owner releases them.
  void closed(BlockNumber block) override { blocks_.collect(block); }

  Eraser eraser_;
  Copier copier_;
  FailureHandler* failures_;  // null: no program fails
};

}  // namespace flashloom
