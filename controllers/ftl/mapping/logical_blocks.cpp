#include "controllers/ftl/mapping/logical_blocks.hpp"

namespace flashloom {

LogicalBlocks::LogicalBlocks(const MappedPart& ftl)
    : MappedPart(ftl),
      units_(context_.geometry.units_per_block()),
      data_((context_.logical_units + units_.value() - 1) / units_.value(), kNoBlockNumber),
      moves_cold_(blocks_.policies().leveling(0).moves()),
      released_(context_.geometry.dies) {}

std::uint32_t LogicalBlocks::bank_of(LogicalBlock logical) const {
  const std::uint32_t planes = blocks_.banks_per_die();
  return die_of(logical) * planes + logical / context_.geometry.dies % planes;
}

LogicalBlock LogicalBlocks::of_data(BlockNumber block) const {
  for (LogicalBlock logical = blocks_.die_of(block); logical < data_.size(); logical += context_.geometry.dies)
    if (data_[logical] == block) return logical;
  return kNoLogicalBlock;
}

std::uint32_t LogicalBlocks::end_of_copy(LogicalBlock logical) const {
  std::uint32_t end = units();
  while (end != 0 && place_of(logical, end - 1) == kNoPhysicalUnit) --end;
  return end;
}

void LogicalBlocks::released(BlockNumber block) {
  if (!moves_cold_) return;
  blocks_.policies().leveling(blocks_.die_of(block)).removed(block % context_.geometry.blocks);
  released_[blocks_.die_of(block)] = 1;
}

BlockNumber LogicalBlocks::take_candidate(std::uint32_t die) {
  WearLevelingPolicy& leveling = blocks_.policies().leveling(die);
  const std::uint32_t number = leveling.to_move();
  if (number == kNoBlock) return kNoBlockNumber;
  leveling.removed(number);
  return die * context_.geometry.blocks + number;
}

}  // namespace flashloom
