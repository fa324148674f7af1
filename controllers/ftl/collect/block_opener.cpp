#include "controllers/ftl/collect/block_opener.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

BlockOpener::BlockOpener(const FtlContext& context, BlockTable& blocks, Programmer& programmer, OpenBlocks& open,
                         FtlStatistics& statistics)
    : blocks_(blocks),
      programmer_(programmer),
      open_(open),
      statistics_(statistics),
      keeps_streams_(context.config.fdp.on()) {
  if (keeps_streams_) context.media.keep_marks();
}

// With flexible data placement, the spare area of a block's first page records whose data it holds, as it records
// pseudo-SLC mode: GC must keep handles apart after a power cut, too.
void BlockOpener::mark(BlockNumber block, std::uint32_t stream) {
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  if (keeps_streams_) blocks_.keep_stream(block);
}

Task<void> BlockOpener::until_unused(BlockNumber block) {
  open_.program_for_erase(block);
  while (WaitList* const list = blocks_.waits().before_opening(block)) co_await list->wait();
}

Task<void> BlockOpener::until_ready(BlockNumber block) {
  while (WaitList* const list = blocks_.waits().before_first_program(block)) co_await list->wait();
}

Task<BlockNumber> BlockOpener::open_block(std::uint32_t wanted, std::uint32_t stream, FreeUse use, bool spare) {
  const std::uint32_t die = blocks_.die_of_bank(wanted);
  const std::uint32_t bank = blocks_.free().bank_with_room(wanted);
  PendingErase kept;
  if (blocks_.free().of_die(die) != 0) {
    const BlockNumber next = blocks_.next_free(bank, use);
    co_await until_unused(next);
    if (blocks_.spare().lacks_room(next)) [[unlikely]]
      blocks_.spare().wear_down();
    const BlockNumber other = spare ? free_block_to_erase(die, next) : kNoBlockNumber;
    if (other != kNoBlockNumber) {
      open_.program_for_erase(other);
      kept = blocks_.pending_erase(other);
    }
  }
  const BlockNumber block = blocks_.open(bank, use);
  blocks_[block].pending->spare = kept;
  mark(block, stream);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

PendingErase BlockOpener::take_superblock(SuperblockNumber superblock, bool spare) {
  if (blocks_.spare().lacks_room(superblock)) blocks_.spare().wear_down();
  blocks_.take(superblock);
  return spare ? spare_superblock(blocks_.superblocks().group_of(superblock)) : PendingErase{};
}

Task<void> BlockOpener::open_superblock(std::uint32_t group, BlockNumber* open, std::uint32_t stream, FreeUse use,
                                        bool spare) {
  const Superblocks& all = blocks_.superblocks();
  const SuperblockNumber superblock = blocks_.superblocks().next_free(group, use);
  co_await until_unused_superblock(superblock);
  const PendingErase kept = take_superblock(superblock, spare);
  const Redundancy* const redundancy = programmer_.redundancy();
  for (std::uint32_t n = 0; n < all.members(); ++n) {
    const BlockNumber block = all.member(superblock, n);
    if (blocks_[block].state != BlockState::Free) continue;  // bad
    blocks_.open_free(block);
    blocks_[block].pending->spare = kept;
    mark(block, stream);
    if (redundancy != nullptr) blocks_[block].parity = redundancy->role_of(block);
    if (blocks_[block].parity == 0) open[n] = block;
  }
  statistics_.free_blocks_min.note(blocks_.free_of_group(group));
}

bool BlockOpener::erased(SuperblockNumber free) const {
  return std::ranges::none_of(blocks_.superblocks().members_of(free), [this](BlockNumber member) {
    return blocks_[member].state == BlockState::Free && !blocks_[member].erased;
  });
}

Task<void> BlockOpener::until_unused_superblock(SuperblockNumber superblock) {
  const Superblocks& all = blocks_.superblocks();
  for (const BlockNumber member : all.members_of(superblock))
    if (blocks_[member].given_up()) open_.program_for_erase(member);
  while (WaitList* const list = blocks_.waits().before_opening(all.member(superblock, 0))) co_await list->wait();
}

bool BlockOpener::unused(SuperblockNumber superblock) const {
  return std::ranges::all_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return blocks_.waits().unused(member); });
}

bool BlockOpener::superblock_waits_for_data(SuperblockNumber superblock) const {
  return std::ranges::any_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return open_.waits_for_data(member); });
}

BlockNumber BlockOpener::free_block_to_erase(std::uint32_t die, BlockNumber except) const {
  BlockNumber any = kNoBlockNumber;
  bool any_waits = true;
  for (std::uint32_t bank = die * blocks_.banks_per_die(); bank < (die + 1) * blocks_.banks_per_die(); ++bank)
    for (const BlockNumber block : blocks_.free().of_bank(bank)) {
      if (block == except) continue;
      if (blocks_.waits().unused(block)) return block;
      if (!any_waits) continue;
      any = block;
      any_waits = open_.waits_for_data(block);
    }
  return any;
}

// The same of superblocks.
SuperblockNumber BlockOpener::free_superblock_to_erase(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  SuperblockNumber any = kNoBlockNumber;
  bool any_waits = true;
  for (const SuperblockNumber free : all.free(group)) {
    if (unused(free)) return free;
    if (!any_waits) continue;
    any = free;
    any_waits = superblock_waits_for_data(free);
  }
  return any;
}

// The erase of the superblock that will be erased first: the one that has been free longest.
PendingErase BlockOpener::spare_superblock(std::uint32_t group) {
  const Superblocks& all = blocks_.superblocks();
  if (all.free(group).empty()) return {};
  const SuperblockNumber spare = all.free(group).front();
  PendingErase erase;
  for (const BlockNumber member : all.members_of(spare)) {
    open_.program_for_erase(member);
    if (blocks_[member].state == BlockState::Free) erase = blocks_.pending_erase(member);
  }
  return erase;
}

bool BlockOpener::has_spare(std::uint32_t group) const {
  if (blocks_.one_by_one()) {
    const BlockNumber free = free_block_to_erase(group, kNoBlockNumber);
    return free != kNoBlockNumber && blocks_.waits().unused(free);
  }
  return std::ranges::any_of(blocks_.superblocks().free(group), [this](SuperblockNumber free) { return unused(free); });
}

bool BlockOpener::lacks_spare(std::uint32_t group) const {
  if (blocks_.one_by_one()) {
    const BlockNumber free = free_block_to_erase(group, kNoBlockNumber);
    return free == kNoBlockNumber || open_.waits_for_data(free);
  }
  const SuperblockNumber free = free_superblock_to_erase(group);
  return free == kNoBlockNumber || superblock_waits_for_data(free);
}

Task<void> BlockOpener::until_spare(std::uint32_t group) {
  if (blocks_.one_by_one())
    co_await until_unused(free_block_to_erase(group, kNoBlockNumber));
  else
    co_await until_unused_superblock(free_superblock_to_erase(group));
}

}  // namespace flashloom
