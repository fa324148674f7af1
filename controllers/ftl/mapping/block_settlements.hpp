// The map of a block-mapped FTL in NVRAM (NvramBlockMap): NVRAM writes of merges and trims.
//
// A merge is decided at once, and *settled* when its programs are done: NVRAM then records it, and the merged blocks
// may be erased. Until then no other block is opened for the logical block, so NVRAM has at most one open block for it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "controllers/ftl/mapping/block_writer.hpp"
#include "controllers/ftl/mapping/logical_blocks.hpp"
#include "controllers/ftl/mapping/nvram_block_map.hpp"

namespace flashloom {

class BlockSettlements : private MappedPart {
 public:
  BlockSettlements(const MappedPart& ftl, const LogicalBlocks& logical, BlockWriter& programs);

  NvramBlockMap& map() { return nvram_map_; }

  /// The next decision releases the block: it must not be erased before the map in NVRAM no longer refers to it.
  void give_up(BlockNumber block);
  /// `target` (or kNoBlockNumber: the data block stays) becomes the data block. It gets no more writes: its data must
  /// not wait for any.
  void settle(LogicalBlock logical, BlockNumber target);
  Task<void> until_settled(LogicalBlock logical);
  Task<void> trim(std::uint32_t first, std::uint32_t count);

 private:
  struct Settlement {
    LogicalBlock logical;
    BlockNumber target;                // becomes the data block; kNoBlockNumber: the data block stays
    std::vector<BlockNumber> sources;  // to be released
  };
  Task<void> pass(Settlement& settlement);
  bool all_programmed(BlockNumber block) const;

  const LogicalBlocks& logical_;
  BlockWriter& programs_;
  NvramBlockMap nvram_map_;
  std::vector<std::uint8_t> unsettled_;  // by logical block: decisions not yet recorded in NVRAM
  std::vector<BlockNumber> given_up_;    // blocks that the current decision releases
  std::deque<Settlement> settlements_;
  std::vector<Settlement*> free_;
  std::vector<std::uint64_t> bits_;
  WaitList settled_;
};

}  // namespace flashloom
