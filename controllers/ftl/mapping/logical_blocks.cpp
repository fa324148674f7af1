#include "controllers/ftl/mapping/logical_blocks.hpp"

#include "models/nand/nand_media.hpp"

namespace flashloom {

LogicalBlocks::LogicalBlocks(const MappedTables& tables)
    : MappedPart(tables),
      units_(context_.geometry.units_per_block()),
      data_((context_.logical_units + units_.value() - 1) / units_.value(), kNoBlockNumber) {}

std::uint32_t LogicalBlocks::bank_of(LogicalBlock logical) const {
  const std::uint32_t planes = blocks_.banks_per_die();
  return die_of(logical) * planes + logical / context_.geometry.dies % planes;
}

LogicalBlock LogicalBlocks::of_data(BlockNumber block) const {
  for (LogicalBlock logical = blocks_.die_of(block); logical < data_.size(); logical += context_.geometry.dies)
    if (data_[logical] == block) return logical;
  return kNoLogicalBlock;
}

OobWord LogicalBlocks::word_of(BlockNumber block, std::uint32_t position) const {
  const BlockInfo& info = blocks_[block];
  return info.pending != nullptr ? info.pending->oob[position]
                                 : context_.media.oob(blocks_.address(block, 0), position);
}

std::uint32_t LogicalBlocks::end_of_copy(LogicalBlock logical) const {
  std::uint32_t end = units();
  while (end != 0 && place_of(logical, end - 1) == kNoPhysicalUnit) --end;
  return end;
}

}  // namespace flashloom
