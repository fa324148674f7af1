// Copies the valid units of victims: finds them, and decides on a new place in the same group for each at once; Copier
// and Eraser carry out the flash commands later.
#pragma once

#include <cstdint>
#include <span>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/blocks/unit_map.hpp"
#include "controllers/ftl/collect/block_opener.hpp"
#include "controllers/ftl/collect/copy_blocks.hpp"
#include "controllers/ftl/collect/move_listener.hpp"
#include "controllers/ftl/collect/victims.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/oob.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class Relocator {
 public:
  Relocator(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
            UnitMap& map, Victims& victims, CopyBlocks& copies, BlockOpener& opener, FtlStatistics& statistics);

  /// Hears of all moves.
  void attach(MoveListener* listener) { listener_ = listener; }
  MoveListener* listener() const { return listener_; }
  /// Copies up to `units` units of the group's victim; false if a block must be opened first (`units`: what is left).
  bool copy_now(std::uint32_t group, std::uint32_t& units);
  /// The same, opening blocks as needed. With superblocks, copying stops if none can be opened for it: the device is
  /// then worn down. A fold that would take free blocks that garbage collection needs is given up; then there is no
  /// victim any more.
  Task<void> copy(std::uint32_t group, std::uint32_t units);

 private:
  using Moving = FlashPort::Copied;  ///< a valid unit of a victim

  template <class WordOf, class Wanted, class Put>
  bool for_each_valid(Victim& victim, WordOf word_of, Wanted wanted, Put put);
  std::uint32_t find_valid(Victim& victim, const NandMedia::BlockWords& words, std::span<Moving> found);
  void moved(std::uint32_t group, BlockInfo& from, const Moving& what, PhysicalUnit place);
  void copy_directly(std::uint32_t group, std::uint32_t& units);
  bool copy_units(std::uint32_t group, std::uint32_t& units);
  Task<bool> open_superblock(std::uint32_t group);
  bool lacks_room(std::uint32_t group) const;
  void give_up_fold(std::uint32_t group);
  std::uint64_t& units_of_origin(const Victim& victim) {
    if (victim.folds || victim.gives_back) return statistics_.slc.units_folded;
    if (victim.origin == Origin::Gc) return statistics_.units_moved;
    return victim.origin == Origin::Wear ? statistics_.units_leveled : statistics_.units_scrubbed;
  }

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  UnitMap& map_;
  Victims& victims_;
  CopyBlocks& copies_;
  BlockOpener& opener_;
  FtlStatistics& statistics_;
  MoveListener* listener_ = nullptr;
};

}  // namespace flashloom
