#include "controllers/ftl/mapping/block_merges.hpp"

#include <algorithm>
#include <stdexcept>

namespace flashloom {

BlockMerges::BlockMerges(const MappedPart& ftl, LogicalBlocks& logical, BlockWriter& programs,
                         BlockSettlements* settlements, bool& read_only)
    : MappedPart(ftl),
      logical_(logical),
      programs_(programs),
      settlements_(settlements),
      read_only_(read_only),
      eraser_(context_, blocks_) {
  if (settlements_ != nullptr) eraser_.attach(settlements_->map());
}

Task<BlockNumber> BlockMerges::open(LogicalBlock logical, NvramBlockMap::Use use, FreeUse wear) {
  if (settlements_ != nullptr) co_await settlements_->until_settled(logical);
  const BlockNumber block = co_await open_on(logical_.bank_of(logical), wear);
  if (settlements_ != nullptr) co_await settlements_->map().open(block, logical, logical_.data(logical), use);
  if (programs_.any_order()) blocks_.programs().write_in_any_order(block);
  co_return block;
}

Task<BlockNumber> BlockMerges::open_on(std::uint32_t wanted, FreeUse wear) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  if (blocks_.free().of_die(die) == 0) throw std::logic_error("a die has no free block left for a merge");
  const std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  const BlockNumber next = blocks_.next_free(bank, wear);
  while (!blocks_[next].erased && programs_.close_longest_exposed()) {
  }
  while (!blocks_[next].erased) co_await blocks_.waits().events(die).erased.wait();
  const BlockNumber block = blocks_.open(bank, wear);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

bool BlockMerges::can_become_data(LogicalBlock logical, BlockNumber block) const {
  const std::uint32_t next = programs_.next_position(block);
  for (std::uint32_t offset = 0; offset < logical_.units(); ++offset) {
    const PhysicalUnit place = logical_.place_of(logical, offset);
    if (place == kNoPhysicalUnit) continue;
    const bool fits = logical_.lies_in(place, block) ? place == block * logical_.units() + offset
                      : programs_.any_order()        ? programs_.can_place(block, offset)
                                                     : offset >= next;
    if (!fits) return false;
  }
  return true;
}

bool BlockMerges::become_data(LogicalBlock logical, BlockNumber block) {
  const bool full = programs_.next_position(block) == logical_.units();
  const BlockNumber data = logical_.data(logical);
  const std::uint32_t end = logical_.end_of_copy(logical);
  bool all_there = true;
  for (std::uint32_t offset = 0; offset < end && all_there; ++offset) {
    const PhysicalUnit place = logical_.place_of(logical, offset);
    all_there = place == kNoPhysicalUnit || logical_.lies_in(place, block);
  }
  if (!all_there) {
    // Copy units of the program unit being filled first: else it would be padded.
    if (programs_.being_filled(block)) {
      const std::uint32_t next = programs_.next_position(block);
      programs_.copy_range(logical, block, next, std::min(end, next - next % units_per_program_ + units_per_program_));
    }
    programs_.copy_range(logical, block, programs_.any_order() ? 0 : programs_.next_position(block), end);
  }
  logical_.set_data(logical, block);
  if (data != kNoBlockNumber) release(data);
  settle(logical, block);
  return full;
}

Task<void> BlockMerges::merge(LogicalBlock logical, BlockNumber block, bool copied) {
  if (blocks_[block].valid == 0) {  // all trimmed
    ++statistics_.merges.switched;
    give_up(logical, block);
  } else if (can_become_data(logical, block)) {
    const bool switched = become_data(logical, block);
    ++(copied ? statistics_.merges.full : switched ? statistics_.merges.switched : statistics_.merges.partial);
  } else {
    std::vector<BlockNumber> sources{block};
    if (logical_.data(logical) != kNoBlockNumber) sources.push_back(logical_.data(logical));
    co_await merge_all(logical, sources);
  }
}

Task<void> BlockMerges::merge_all(LogicalBlock logical, const std::vector<BlockNumber>& sources, bool last_stays) {
  ++statistics_.merges.full;
  const std::uint32_t end = logical_.end_of_copy(logical);
  BlockNumber target = kNoBlockNumber;
  if (end != 0) {
    target = co_await open(logical, NvramBlockMap::Use::Copies);
    programs_.copy_range(logical, target, 0, end);
  }
  logical_.set_data(logical, target);
  for (std::size_t i = 0; i + (last_stays ? 1 : 0) < sources.size(); ++i) release(sources[i]);
  settle(logical, target);
}

void BlockMerges::release(BlockNumber block) {
  if (blocks_[block].valid != 0) throw std::logic_error("a block with valid units is given up");
  programs_.program_before_erase(block);
  programmer_.exposed().give_up(block);
  give_back(block, programs_.copies_for());
}

void BlockMerges::give_up(LogicalBlock logical, BlockNumber block) {
  release(block);
  settle(logical, kNoBlockNumber);
}

void BlockMerges::give_back(BlockNumber block, Origin origin) {
  logical_.released(block);
  blocks_.release(block);
  blocks_.count_erase(block);
  if (settlements_ != nullptr) settlements_->give_up(block);
  eraser_.start(block, origin);
  read_only_ = blocks_.spare().worn_down();
}

void BlockMerges::move_data(LogicalBlock logical, BlockNumber target, std::uint32_t end) {
  const BlockNumber block = logical_.data(logical);
  programs_.set_copies_for(Origin::Wear);
  programs_.copy_range(logical, target, 0, end);
  logical_.set_data(logical, target);
  release(block);
  programs_.set_copies_for(Origin::Merge);
  ++statistics_.wear_moves;
  settle(logical, target);
}

void BlockMerges::erase_found(BlockNumber block) {
  blocks_.count_erase(block);
  eraser_.start(block, Origin::Merge);
}

}  // namespace flashloom
