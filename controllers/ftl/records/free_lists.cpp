#include "controllers/ftl/records/free_lists.hpp"

#include <algorithm>

namespace flashloom {

void take_out(FreeList& list, BlockNumber block) {
  if (list.front() == block)
    list.pop_front();
  else
    list.erase(std::find(list.begin(), list.end(), block));
}

void list_state(StateArchive& archive, FreeList& list) {
  std::vector<BlockNumber> blocks(list.begin(), list.end());
  archive(blocks);
  if (archive.loading()) list.assign(list.capacity(), blocks.begin(), blocks.end());
}

FreeLists::FreeLists(const BlockRecords& blocks) : blocks_(blocks), data_(blocks, blocks.blocks_per_die()) {
  for (BlockNumber block = 0; block < blocks.size(); ++block) add(block);
}

std::uint32_t FreeLists::bank_of_most_room(std::uint32_t die) const {
  const std::uint32_t first = die * blocks_.banks_per_die();
  std::uint32_t best = first;
  for (std::uint32_t bank = first + 1; bank < first + blocks_.banks_per_die(); ++bank)
    if (of_bank(bank).size() > of_bank(best).size()) best = bank;
  return best;
}

void FreeLists::add(BlockNumber block) {
  if (for_log(block))
    log_.push_back(block);
  else if (FreePool* const pool = pool_of(block))
    pool->add(block);
}

void FreeLists::take(BlockNumber block) {
  if (for_log(block))
    take_out(log_, block);
  else if (FreePool* const pool = pool_of(block))
    pool->take(block);
}

void FreeLists::keep_for_log(std::uint32_t blocks) {
  log_blocks_ = blocks;
  log_.set_capacity(blocks);
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    if (!for_log(block)) continue;
    data_.take(block);
    log_.push_back(block);
  }
}

void FreeLists::log_state(StateArchive& archive) {
  auto free = static_cast<std::uint32_t>(log_.size());
  archive(free);
  list_state(archive, log_);
}

}  // namespace flashloom
