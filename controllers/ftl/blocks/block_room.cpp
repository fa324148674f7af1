// Valid data and capacity of superblocks.
#include "controllers/ftl/blocks/block_table.hpp"

namespace flashloom {

std::uint32_t BlockTable::valid_of(SuperblockNumber superblock) const {
  std::uint32_t units = 0;
  for (const BlockNumber member : superblocks_->members_of(superblock)) units += blocks_[member].valid;
  return units;
}

std::uint32_t BlockTable::room_of(SuperblockNumber superblock) const {
  std::uint32_t units = 0;
  for (const BlockNumber member : superblocks_->members_of(superblock))
    if (blocks_[member].state != BlockState::Bad && blocks_[member].parity == 0) units += whole_units_of(member);
  return units;
}

std::uint32_t BlockTable::taken_of(SuperblockNumber superblock) const {
  if (sizes_ == nullptr) return valid_of(superblock);
  std::uint32_t units = 0;
  for (const BlockNumber member : superblocks_->members_of(superblock)) units += sizes_->units(member);
  return units;
}

std::uint32_t BlockTable::most_taken_of(SuperblockNumber superblock) const {
  if (sizes_ == nullptr) return valid_of(superblock);
  std::uint32_t units = 0;
  for (const BlockNumber member : superblocks_->members_of(superblock))
    units += sizes_->most_units(member, blocks_[member].valid);
  return units;
}

void BlockTable::invalidate_sized(PhysicalUnit unit, std::uint64_t age) {
  const BlockNumber block = block_of(unit);
  --blocks_[block].valid;
  sizes_->remove(block, word_at(unit));
  if (blocks_[block].state == BlockState::Closed && !in_slc_mode(block))
    dies_[die_of(block)].collection->invalidated(block_of_die(block), taken(block), age);
}

}  // namespace flashloom
