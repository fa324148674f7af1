// Opens, merges and releases blocks of a block-mapped FTL.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/blocks/eraser.hpp"
#include "controllers/ftl/mapping/block_settlements.hpp"
#include "controllers/ftl/mapping/block_writer.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"

namespace flashloom {

class BlockMerges : private MappedPart {
 public:
  /// `settlements`: null unless the map is in NVRAM. `read_only` becomes true when the device is worn down.
  BlockMerges(const MappedPart& ftl, LogicalBlocks& logical, BlockWriter& programs, BlockSettlements* settlements,
              bool& read_only);

  /// Opens an erased block on the die of a logical block, after waiting for its erase.
  Task<BlockNumber> open(LogicalBlock logical, NvramBlockMap::Use use = NvramBlockMap::Use::Any,
                         FreeUse wear = FreeUse::Data);
  Task<BlockNumber> open_on(std::uint32_t bank, FreeUse wear = FreeUse::Data);
  using MappedPart::roomiest_die;

  /// Whether a block can become the data block, as it is or by appending copies: all its valid units lie at their
  /// offsets, and the rest can still be placed.
  bool can_become_data(LogicalBlock logical, BlockNumber block) const;
  /// Makes `block` the data block of `logical`, by a switch or a partial merge, and releases the previous data block.
  /// Requires can_become_data(). Returns whether it was a switch: `block` was full.
  bool become_data(LogicalBlock logical, BlockNumber block);
  /// Merges a block beside the data block in the cheapest way: releases it if it has no valid units, or else makes it
  /// the data block if it can become that, or else calls merge_all(). `copied`: units were copied into it before those
  /// written, so that a switch or partial merge counts as full.
  Task<void> merge(LogicalBlock logical, BlockNumber block, bool copied = false);
  /// Copies all valid units of a logical block to a fresh block, which becomes its data block; then releases `sources`,
  /// except the last one if `last_stays`.
  Task<void> merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays = false);
  /// For wear levelling: copies the units at offsets before `end` to `target`, which becomes the data block, and
  /// releases the previous one. A merge with nothing to merge.
  void move_data(LogicalBlock logical, BlockNumber target, std::uint32_t end);

  /// Releases a block without valid units; it is erased when nothing needs it any more. Await
  /// BlockFtl::before_release() first.
  void release(BlockNumber block);
  /// Releases a block beside the data block of `logical`, which stays the data block.
  void give_up(LogicalBlock logical, BlockNumber block);
  /// Erases a block that nothing needs.
  void give_back(BlockNumber block, Origin origin);
  /// Erases a block that a mount has found and does not need.
  void erase_found(BlockNumber block);

 private:
  void settle(LogicalBlock logical, BlockNumber target) {
    if (settlements_ != nullptr) settlements_->settle(logical, target);
  }

  LogicalBlocks& logical_;
  BlockWriter& programs_;
  BlockSettlements* settlements_;
  bool& read_only_;
  Eraser eraser_;
};

/// The parts of a block-mapped FTL that a mount fills.
struct BlockParts {
  LogicalBlocks& logical;
  BlockWriter& programs;
  BlockMerges& merges;
  std::uint64_t& newest_version;
};

}  // namespace flashloom
