// Erase units of a zoned FTL: opens them, and erases those that are given up.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/zones/zone_part.hpp"

namespace flashloom {

class ZoneBlocks : private ZonePart {
 public:
  explicit ZoneBlocks(const ZonedTables& tables);

  /// Opens an erase unit; kNoBlockNumber if the device has none left and is worn out.
  Task<BlockNumber> open_on(std::uint32_t bank);
  Task<BlockNumber> open_anywhere();
  /// Whether any die has a free erase unit.
  bool any_free() const { return blocks_.free().of_die(roomiest_die()) != 0; }
  /// Whether an open erase unit has room for `programs` program units.
  bool has_room(BlockNumber block, std::uint32_t programs) const;

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
  std::uint32_t roomiest_die() const;
  void end_life();
  WaitList* before_erased(PendingErase erase);

  Eraser eraser_;
};

}  // namespace flashloom
