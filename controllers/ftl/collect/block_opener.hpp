// Opens free blocks, for host data, copies and the metadata log: each is chosen, and opened once nothing uses its old
// data. Before that, data that its erase waits for are programmed (OpenBlocks).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/collect/gc_unit_opener.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/ftl.hpp"

namespace flashloom {

class BlockOpener {
 public:
  BlockOpener(const FtlContext& context, BlockTable& blocks, OpenBlocks& open, FtlStatistics& statistics);

  /// Opens a block of `bank` for a stream, once nothing uses its old data; if the bank has no free block, one of
  /// another bank of the die, which must have a free one. With `spare` (always, except for copies) the first program
  /// waits until another free block may be erased; otherwise a power cut could leave the die without a usable free
  /// block.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream, FreeUse use = FreeUse::Data,
                               bool spare = true);
  /// Opens an SLC block of a bank that can have one (SlcBlocks::can_open): a static one if possible, else a
  /// borrowed one.
  Task<BlockNumber> open_slc_block(std::uint32_t bank, std::uint32_t stream);
  /// GC units of several members; null: erase units are collected one by one.
  GcUnitOpener* gc_units() const { return gc_units_.get(); }
  void attach(std::unique_ptr<GcUnitOpener> gc_units) { gc_units_ = std::move(gc_units); }
  /// Notes whose data a newly opened block is for.
  void mark(BlockNumber block, std::uint32_t stream);

  // --- Waiting.
  /// Waits until a free GC unit may be opened: its erase is decided upon and waits for nothing but the flash.
  Task<void> until_unused(GcUnit unit);
  /// Waits until a newly opened block may be programmed, for owners that do so without a Programmer.
  Task<void> until_ready(BlockNumber block);
  /// Whether some free GC unit of the group is erased or may be. Required before host data follow copies in a shared
  /// block: else a power cut could leave no free block, since neither the source of copies that are not safe yet nor
  /// the block that holds them could be freed.
  bool has_spare(std::uint32_t group) const {
    const GcUnit free = free_to_erase(group);
    return free != kNoBlockNumber && unused(free);
  }
  /// Whether has_spare() takes padding, or more data: otherwise what is in flight brings it.
  bool lacks_spare(std::uint32_t group) const {
    const GcUnit free = free_to_erase(group);
    return free == kNoBlockNumber || waits_for_data(free);
  }
  /// Waits until has_spare(). The group must have a free block.
  Task<void> until_spare(std::uint32_t group) { co_await until_unused(free_to_erase(group)); }
  /// A free GC unit of a group other than `except`: preferably one that nothing uses any more, so that its erase can
  /// begin (or has ended); else one that does not wait for more data; else any other; kNoBlockNumber if there is none.
  GcUnit free_to_erase(std::uint32_t group, GcUnit except = kNoBlockNumber) const;

 private:
  bool unused(GcUnit unit) const;
  bool waits_for_data(GcUnit unit) const;

  BlockTable& blocks_;
  OpenBlocks& open_;
  FtlStatistics& statistics_;
  std::unique_ptr<GcUnitOpener> gc_units_;
  bool keeps_streams_;  // with flexible data placement
};

}  // namespace flashloom
