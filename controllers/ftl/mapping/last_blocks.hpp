// Blocks that a worn-down block-mapped FTL fills: units of any logical block, one after another. Nothing is merged or
// erased any more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/block_merges.hpp"
#include "controllers/ftl/mapping/block_settlements.hpp"
#include "controllers/ftl/mapping/block_writer.hpp"

namespace flashloom {

class LastBlocks : private MappedPart {
 public:
  struct Parts {
    const LogicalBlocks& logical;
    BlockWriter& programs;
    BlockMerges& merges;
    BlockSettlements* settlements;  ///< null unless the map is in NVRAM
  };
  /// `out_of_room` becomes true when they are full.
  LastBlocks(const MappedTables& tables, const Parts& parts, bool& out_of_room);

  /// Writes a unit on a device that is worn down.
  Task<void> write(WriteUnit& unit);
  /// A block that a mount has left partly written.
  void add(BlockNumber block) { filled_.push_back(block); }
  bool has(BlockNumber block) const { return std::find(filled_.begin(), filled_.end(), block) != filled_.end(); }
  void state(StateArchive& archive) { archive(filled_); }

 private:
  Parts parts_;
  bool& out_of_room_;
  std::vector<BlockNumber> filled_;
};

}  // namespace flashloom
