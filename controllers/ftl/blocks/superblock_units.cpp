#include "controllers/ftl/blocks/superblock_units.hpp"

namespace flashloom {
namespace {

template <class Units>
std::uint32_t sum_over_members(const BlockTable& blocks, SuperblockNumber superblock, Units units_of) {
  std::uint32_t units = 0;
  for (const BlockNumber member : blocks.superblocks().members_of(superblock)) units += units_of(member);
  return units;
}

}  // namespace

std::uint32_t valid_of(const BlockTable& blocks, SuperblockNumber superblock) {
  return sum_over_members(blocks, superblock, [&](BlockNumber member) { return blocks[member].valid; });
}

std::uint32_t room_of(const BlockTable& blocks, SuperblockNumber superblock) {
  return sum_over_members(blocks, superblock, [&](BlockNumber member) {
    const bool holds_data = blocks[member].state != BlockState::Bad && blocks[member].parity == 0;
    return holds_data ? blocks.whole_units_of(member) : 0;
  });
}

std::uint32_t taken_of(const BlockTable& blocks, SuperblockNumber superblock) {
  if (blocks.sizes() == nullptr) return valid_of(blocks, superblock);
  return sum_over_members(blocks, superblock, [&](BlockNumber member) { return blocks.sizes()->units(member); });
}

std::uint32_t most_taken_of(const BlockTable& blocks, SuperblockNumber superblock) {
  if (blocks.sizes() == nullptr) return valid_of(blocks, superblock);
  return sum_over_members(blocks, superblock,
                          [&](BlockNumber member) { return blocks.sizes()->most_units(member, blocks[member].valid); });
}

}  // namespace flashloom
