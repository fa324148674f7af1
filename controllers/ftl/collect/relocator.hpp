// Copies the valid units of victims: finds them, and decides on a new place in the same group for each at once; Copier
// and Eraser carry out the flash commands later.
#pragma once

#include <cstdint>
#include <memory>
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
            UnitMap& map, Victims& victims, CopyBlocks& copies, BlockOpener& opener);

  /// `listener` hears of all moves; a filter hears of them first.
  void attach(MoveListener& listener);
  void set_filter(std::unique_ptr<MoveFilter> filter);
  /// The group's victim is done with.
  void collected(std::uint32_t group) {
    if (listener_ != nullptr) listener_->collected(group);
  }
  /// Copies up to `units` units of the group's victim; false if a block must be opened first (`units`: what is left).
  bool copy_now(std::uint32_t group, std::uint32_t& units);
  /// The same, opening blocks as needed. Copying stops if none can be opened for it: the device is then worn down. If
  /// the victim's source gives up its collection, there is no victim any more.
  Task<void> copy(std::uint32_t group, std::uint32_t units);

  /// Saved states: of the filter.
  void state(StateArchive& archive) {
    if (filter_ != nullptr) archive(*filter_);
  }

 private:
  using Moving = FlashPort::Copied;  ///< a valid unit of a victim

  template <class WordOf, class Wanted, class Put>
  bool for_each_valid(Victim& victim, WordOf word_of, Wanted wanted, Put put);
  std::uint32_t find_valid(Victim& victim, const NandMedia::BlockWords& words, std::span<Moving> found);
  void moved(std::uint32_t group, BlockInfo& from, const Moving& what, PhysicalUnit place);
  void copy_directly(std::uint32_t group, std::uint32_t& units);
  bool lacks_room(std::uint32_t group) const;

  const FtlContext& context_;
  BlockTable& blocks_;
  Programmer& programmer_;
  const OobLayout& layout_;
  UnitMap& map_;
  Victims& victims_;
  CopyBlocks& copies_;
  BlockOpener& opener_;
  std::unique_ptr<MoveFilter> filter_;  // with flexible data placement
  MoveListener* listener_ = nullptr;
};

}  // namespace flashloom
