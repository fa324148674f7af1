#include "controllers/ftl/collect/block_opener.hpp"

#include <algorithm>

#include "controllers/ftl/ftl_config.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

BlockOpener::BlockOpener(const FtlContext& context, BlockTable& blocks, OpenBlocks& open, FtlStatistics& statistics)
    : blocks_(blocks), open_(open), statistics_(statistics), keeps_streams_(context.config.fdp.on()) {
  if (keeps_streams_) context.media.keep_marks();
}

// With flexible data placement, the spare area of a block's first page records whose data it holds, as it records
// pseudo-SLC mode: GC must keep handles apart after a power cut, too.
void BlockOpener::mark(BlockNumber block, std::uint32_t stream) {
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  if (keeps_streams_) blocks_.keep_stream(block);
}

Task<void> BlockOpener::until_unused(GcUnit unit) {
  for (const BlockNumber member : blocks_.members_of(unit))
    if (blocks_[member].given_up()) open_.program_for_erase(member);
  while (WaitList* const list = blocks_.waits().before_opening(blocks_.member(unit, 0))) co_await list->wait();
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

bool BlockOpener::unused(GcUnit unit) const {
  return std::ranges::all_of(blocks_.members_of(unit),
                             [this](BlockNumber member) { return blocks_.waits().unused(member); });
}

bool BlockOpener::waits_for_data(GcUnit unit) const {
  return std::ranges::any_of(blocks_.members_of(unit),
                             [this](BlockNumber member) { return open_.waits_for_data(member); });
}

GcUnit BlockOpener::free_to_erase(std::uint32_t group, GcUnit except) const {
  GcUnit any = kNoBlockNumber;
  bool any_waits = true;
  for (const FreeList& list : blocks_.free_lists(group))
    for (const GcUnit free : list) {
      if (free == except) continue;
      if (unused(free)) return free;
      if (!any_waits) continue;
      any = free;
      any_waits = waits_for_data(free);
    }
  return any;
}

}  // namespace flashloom
