#include "controllers/ftl/collect/block_opener.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

BlockOpener::BlockOpener(const FtlPart& part, OpenBlocks& open)
    : FtlPart(part), open_(open), keeps_streams_(context_.config.fdp.on()) {
  if (keeps_streams_) context_.media.keep_marks();
}

// With flexible data placement, the spare area of a block's first page records whose data it holds, as it records
// pseudo-SLC mode: GC must keep handles apart after a power cut, too.
void BlockOpener::mark(BlockNumber block, std::uint32_t stream) {
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  const FlashAddress at = blocks_.address(block, 0);
  if (keeps_streams_) context_.media.mark(at.die, at.block, blocks_[block].stream);
}

Task<void> BlockOpener::until_unused(SuperblockNumber free) {
  const Superblocks& all = blocks_.superblocks();
  for (const BlockNumber member : all.members_of(free))
    if (blocks_[member].given_up()) open_.program_for_erase(member);
  while (WaitList* const list = blocks_.waits().before_opening(all.member(free, 0))) co_await list->wait();
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
    const BlockNumber other = spare ? free_to_erase(die, next) : kNoBlockNumber;
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

Task<BlockNumber> BlockOpener::open_slc_block(std::uint32_t bank, std::uint32_t stream) {
  const BlockNumber block = blocks_.slc().next_free(bank);
  if (block == kNoBlockNumber) {
    const BlockNumber borrowed = co_await open_block(bank, stream);
    blocks_.slc().borrow(borrowed);
    statistics_.slc.borrowed_max.note(blocks_.slc().borrowed_of(blocks_.die_of(borrowed)));
    co_return borrowed;
  }
  co_await until_unused(block);
  blocks_.open_free(block);
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
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
  co_await until_unused(superblock);
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

bool BlockOpener::unused(SuperblockNumber superblock) const {
  return superblock != kNoBlockNumber &&
         std::ranges::all_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return blocks_.waits().unused(member); });
}

bool BlockOpener::waits_for_data(SuperblockNumber superblock) const {
  return std::ranges::any_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return open_.waits_for_data(member); });
}

SuperblockNumber BlockOpener::free_to_erase(std::uint32_t group, SuperblockNumber except) const {
  const std::uint32_t lists = blocks_.one_by_one() ? blocks_.banks_per_die() : 1;
  SuperblockNumber any = kNoBlockNumber;
  bool any_waits = true;
  for (std::uint32_t list = 0; list < lists; ++list)
    for (const SuperblockNumber free :
         blocks_.one_by_one() ? blocks_.free().of_bank(group * lists + list) : blocks_.superblocks().free(group)) {
      if (free == except) continue;
      if (unused(free)) return free;
      if (!any_waits) continue;
      any = free;
      any_waits = waits_for_data(free);
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

}  // namespace flashloom
