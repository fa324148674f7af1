// Fills the program units of a zoned FTL: units of zones at their places or spilled, and padding. As elsewhere decisions
// precede flash operations (Programmer): the next program unit begun tries the places first where programs fail.
#pragma once

#include <cstdint>

#include "controllers/ftl/collect/copier.hpp"
#include "controllers/ftl/zones/zone_part.hpp"
#include "controllers/ftl/zones/zone_words.hpp"

namespace flashloom {

class ZonePrograms final : private ZonePart, private CloseObserver {
 public:
  ZonePrograms(const ZonedTables& tables, const ZoneWords& words);

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
  OobWord word_of(PhysicalUnit place) const;

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

 private:
  static constexpr FailureHandler::Writer kWriter = 0;

  void copy_as(ProgramJob& job, std::uint32_t unit, OobWord word);
  /// Closed blocks are not collected here: their owner releases them.
  void closed(BlockNumber block) override { blocks_.collect(block); }

  const ZoneWords& words_;
  Copier copier_;
  FailureHandler* failures_;  // null: no program fails
};

}  // namespace flashloom
