// Opens free blocks and superblocks, for host data, copies and the metadata log: each is chosen, and opened once
// nothing uses its old data. Before that, data that its erase waits for are programmed (OpenBlocks).
#pragma once

#include <cstdint>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/ftl/collect/open_blocks.hpp"
#include "controllers/ftl/ftl.hpp"
#include "controllers/ftl/program/programmer.hpp"

namespace flashloom {

class BlockOpener {
 public:
  BlockOpener(const FtlContext& context, BlockTable& blocks, Programmer& programmer, OpenBlocks& open,
              FtlStatistics& statistics);

  /// Opens a block of `bank` for a stream, once nothing uses its old data; if the bank has no free block, one of
  /// another bank of the die, which must have a free one. With `spare` (always, except for copies) the first program
  /// waits until another free block may be erased; otherwise a power cut could leave the die without a usable free
  /// block.
  Task<BlockNumber> open_block(std::uint32_t bank, std::uint32_t stream, FreeUse use = FreeUse::Data,
                               bool spare = true);
  /// Opens a superblock of `group` for a stream, waiting as open_block() does. `open` has an entry for each bank of the
  /// group, all kNoBlockNumber, and receives the good members. The group must have a free superblock.
  Task<void> open_superblock(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use = FreeUse::Data,
                             bool spare = true);
  /// Takes a superblock that nothing uses, whose members its owner opens. Returns the erase for which the first program
  /// must wait, with `spare`.
  PendingErase take_superblock(SuperblockNumber superblock, bool spare);

  // --- Waiting.
  /// Waits until a free block may be opened: its erase is decided upon and waits for nothing but the flash.
  Task<void> until_unused(BlockNumber block);
  Task<void> until_unused_superblock(SuperblockNumber superblock);
  /// Waits until a newly opened block may be programmed, for owners that do so without a Programmer.
  Task<void> until_ready(BlockNumber block);
  /// Whether some free erase unit (superblock) of the group is erased or may be. Required before host data follow
  /// copies in a shared block: else a power cut could leave no free block, since neither the source of copies that are
  /// not safe yet nor the block that holds them could be freed.
  bool has_spare(std::uint32_t group) const;
  /// Whether has_spare() takes padding, or more data: otherwise what is in flight brings it.
  bool lacks_spare(std::uint32_t group) const;
  /// Waits until has_spare(). The group must have a free block.
  Task<void> until_spare(std::uint32_t group);
  /// A free erase unit of a die other than `except`: preferably one that nothing uses any more, so that its erase can
  /// begin (or has ended); else one that waits for no data; else any other; kNoBlockNumber if there is none.
  BlockNumber free_block_to_erase(std::uint32_t die, BlockNumber except) const;
  /// All good members are erased.
  bool erased(SuperblockNumber free) const;

 private:
  bool unused(SuperblockNumber superblock) const;
  bool superblock_waits_for_data(SuperblockNumber superblock) const;
  SuperblockNumber free_superblock_to_erase(std::uint32_t group) const;
  PendingErase spare_superblock(std::uint32_t group);
  void mark(BlockNumber block, std::uint32_t stream);

  BlockTable& blocks_;
  Programmer& programmer_;
  OpenBlocks& open_;
  FtlStatistics& statistics_;
  bool keeps_streams_;  // with flexible data placement
};

}  // namespace flashloom
