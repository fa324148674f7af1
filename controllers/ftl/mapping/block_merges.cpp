#include "controllers/ftl/mapping/block_merges.hpp"

#include <algorithm>
#include <stdexcept>

namespace flashloom {

BlockMerges::BlockMerges(const MappedTables& tables, const Parts& parts, bool& read_only)
    : MappedPart(tables), parts_(parts), read_only_(read_only), eraser_(context_, blocks_) {
  if (parts_.settlements != nullptr) eraser_.attach(parts_.settlements->map());
}

Task<BlockNumber> BlockMerges::open(LogicalBlock logical, NvramBlockMap::Use use, FreeUse wear) {
  if (parts_.settlements != nullptr) co_await parts_.settlements->until_settled(logical);
  const BlockNumber block = co_await open_on(parts_.logical.bank_of(logical), wear);
  if (parts_.settlements != nullptr)
    co_await parts_.settlements->map().open(block, logical, parts_.logical.data(logical), use);
  if (parts_.programs.any_order()) blocks_.programs().write_in_any_order(block);
  co_return block;
}

Task<BlockNumber> BlockMerges::open_on(std::uint32_t wanted, FreeUse wear) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  if (blocks_.free().of_die(die) == 0) throw std::logic_error("a die has no free block left for a merge");
  const std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  const BlockNumber next = blocks_.next_free(bank, wear);
  while (!blocks_[next].erased && parts_.programs.close_longest_exposed()) {
  }
  while (!blocks_[next].erased) co_await blocks_.waits().events(die).erased.wait();
  const BlockNumber block = blocks_.open(bank, wear);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

std::uint32_t BlockMerges::roomiest_die() const {
  std::uint32_t best = 0;
  for (std::uint32_t die = 1; die < context_.geometry.dies; ++die)
    if (blocks_.free().of_die(die) > blocks_.free().of_die(best)) best = die;
  return best;
}

bool BlockMerges::can_become_data(LogicalBlock logical, BlockNumber block) const {
  const std::uint32_t next = parts_.programs.next_position(block);
  for (std::uint32_t offset = 0; offset < parts_.logical.units(); ++offset) {
    const PhysicalUnit place = parts_.logical.place_of(logical, offset);
    if (place == kNoPhysicalUnit) continue;
    const bool fits = parts_.logical.lies_in(place, block) ? place == block * parts_.logical.units() + offset
                      : parts_.programs.any_order()        ? parts_.programs.can_place(block, offset)
                                                           : offset >= next;
    if (!fits) return false;
  }
  return true;
}

bool BlockMerges::become_data(LogicalBlock logical, BlockNumber block) {
  const bool full = parts_.programs.next_position(block) == parts_.logical.units();
  const BlockNumber data = parts_.logical.data(logical);
  const std::uint32_t end = parts_.logical.end_of_copy(logical);
  bool all_there = true;
  for (std::uint32_t offset = 0; offset < end && all_there; ++offset) {
    const PhysicalUnit place = parts_.logical.place_of(logical, offset);
    all_there = place == kNoPhysicalUnit || parts_.logical.lies_in(place, block);
  }
  if (!all_there) {
    // Copy units of the program unit being filled first: else it would be padded.
    if (parts_.programs.being_filled(block)) {
      const std::uint32_t next = parts_.programs.next_position(block);
      parts_.programs.copy_range(logical, block, next,
                                 std::min(end, next - next % units_per_program_ + units_per_program_));
    }
    parts_.programs.copy_range(logical, block, parts_.programs.any_order() ? 0 : parts_.programs.next_position(block),
                               end);
  }
  parts_.logical.set_data(logical, block);
  if (data != kNoBlockNumber) release(data);
  settle(logical, block);
  return full;
}

Task<void> BlockMerges::merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays) {
  ++statistics_.merges.full;
  const std::uint32_t end = parts_.logical.end_of_copy(logical);
  BlockNumber target = kNoBlockNumber;
  if (end != 0) {
    target = co_await open(logical, NvramBlockMap::Use::Copies);
    parts_.programs.copy_range(logical, target, 0, end);
  }
  parts_.logical.set_data(logical, target);
  for (std::size_t i = 0; i + (last_stays ? 1 : 0) < sources.size(); ++i) release(sources[i]);
  settle(logical, target);
}

void BlockMerges::release(BlockNumber block) {
  if (blocks_[block].valid != 0) throw std::logic_error("a block with valid units is given up");
  parts_.programs.program_before_erase(block);
  programmer_.exposed().give_up(block);
  give_back(block, parts_.programs.copies_for());
}

void BlockMerges::give_up(LogicalBlock logical, BlockNumber block) {
  release(block);
  settle(logical, kNoBlockNumber);
}

void BlockMerges::give_back(BlockNumber block, Origin origin) {
  parts_.leveling.released(block);
  blocks_.release(block);
  blocks_.count_erase(block);
  if (parts_.settlements != nullptr) parts_.settlements->give_up(block);
  eraser_.start(block, origin);
  read_only_ = blocks_.spare().worn_down();
}

void BlockMerges::move_data(LogicalBlock logical, BlockNumber target, std::uint32_t end) {
  const BlockNumber block = parts_.logical.data(logical);
  parts_.programs.set_copies_for(Origin::Wear);
  parts_.programs.copy_range(logical, target, 0, end);
  parts_.logical.set_data(logical, target);
  release(block);
  parts_.programs.set_copies_for(Origin::Merge);
  ++statistics_.wear_moves;
  settle(logical, target);
}

void BlockMerges::erase_found(BlockNumber block) {
  blocks_.count_erase(block);
  eraser_.start(block, Origin::Merge);
}

}  // namespace flashloom
