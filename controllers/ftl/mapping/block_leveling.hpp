// Wear levelling of a block-mapped FTL: tells the policy which blocks hold data, and when to ask it.
#pragma once

#include <cstdint>
#include <vector>

#include "controllers/ftl/mapping/mapped_part.hpp"

namespace flashloom {

class BlockLeveling : private MappedPart {
 public:
  explicit BlockLeveling(const MappedTables& tables);

  /// Makes the block a candidate, full or not: the last logical block may end within its block, and others may also
  /// stay partly written.
  void holds_data(BlockNumber block) {
    if (moves_cold_) blocks_.policies().leveling(blocks_.die_of(block)).closed(block % context_.geometry.blocks);
  }
  void released(BlockNumber block);
  /// Whether a block of the die was released since the policy was last asked.
  bool due(std::uint32_t die) const { return wears_[die] != 0; }
  void asked(std::uint32_t die) { wears_[die] = 0; }
  /// Takes the data block to be moved from the candidates; kNoBlockNumber: none. A block that is not moved becomes a
  /// candidate again when it is next programmed.
  BlockNumber take_candidate(std::uint32_t die);

  void state(StateArchive& archive) {
    if (moves_cold_) archive(wears_);
  }

 private:
  bool moves_cold_;                  // the policy moves cold data
  std::vector<std::uint8_t> wears_;  // by die: a block was released since the policy was last asked
};

}  // namespace flashloom
