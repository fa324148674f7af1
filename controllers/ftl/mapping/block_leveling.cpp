#include "controllers/ftl/mapping/block_leveling.hpp"

namespace flashloom {

BlockLeveling::BlockLeveling(const MappedTables& tables)
    : MappedPart(tables), moves_cold_(blocks_.policies().leveling(0).moves()), wears_(context_.geometry.dies) {}

void BlockLeveling::released(BlockNumber block) {
  if (!moves_cold_) return;
  blocks_.policies().leveling(blocks_.die_of(block)).removed(block % context_.geometry.blocks);
  wears_[blocks_.die_of(block)] = 1;
}

BlockNumber BlockLeveling::take_candidate(std::uint32_t die) {
  WearLevelingPolicy& leveling = blocks_.policies().leveling(die);
  const std::uint32_t number = leveling.to_move();
  if (number == kNoBlock) return kNoBlockNumber;
  leveling.removed(number);
  return die * context_.geometry.blocks + number;
}

}  // namespace flashloom
