#include "controllers/ftl/collect/open_blocks.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

OpenBlocks::OpenBlocks(const FtlPart& part, const Victims& victims, bool map_stream)
    : FtlPart(part),
      keeps_streams_(context_.config.fdp.on()),
      exposes_(programmer_.exposed().possible()),
      eraser_(context_, blocks_),
      closed_(programmer_, statistics_),
      host_(part, closed_, *this, map_stream),
      copies_(part, victims, host_, closed_, *this) {
  if (keeps_streams_) context_.media.keep_marks();
}

// Blocks that only wait for what is in flight need nothing, and on the other clock may wait no more.
void OpenBlocks::program_for_erase(BlockNumber block) {
  copies_.seal_newer(block);
  if (!blocks_.waits().unused(block)) host_.seal_newer(block);
  if (exposes_ && !blocks_.waits().unused(block) && waits_for_data(block)) {
    host_.pad_exposed(block);
    copies_.pad_exposed(block);
    data_programmed();
  }
}

// With flexible data placement, the spare area of a block's first page records whose data it holds, as it records
// pseudo-SLC mode: GC must keep handles apart after a power cut, too.
void OpenBlocks::mark(BlockNumber block, std::uint32_t stream) {
  blocks_[block].stream = static_cast<std::uint8_t>(stream);
  const FlashAddress at = blocks_.address(block, 0);
  if (keeps_streams_) context_.media.mark(at.die, at.block, blocks_[block].stream);
}

Task<void> OpenBlocks::until_unused(GcUnit free) {
  for (const BlockNumber member : blocks_.members_of(free))
    if (blocks_[member].given_up()) program_for_erase(member);
  while (WaitList* const list = blocks_.waits().before_opening(blocks_.member(free, 0))) co_await list->wait();
}

Task<void> OpenBlocks::until_ready(BlockNumber block) {
  while (WaitList* const list = blocks_.waits().before_first_program(block)) co_await list->wait();
}

Task<BlockNumber> OpenBlocks::open_block(std::uint32_t wanted, std::uint32_t stream, FreeUse use, bool spare) {
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
      program_for_erase(other);
      kept = blocks_.pending_erase(other);
    }
  }
  const BlockNumber block = blocks_.open(bank, use);
  blocks_[block].pending->spare = kept;
  mark(block, stream);
  statistics_.free_blocks_min.note(blocks_.free().of_die(die));
  co_return block;
}

bool OpenBlocks::unused(GcUnit unit) const {
  return unit != kNoBlockNumber && std::ranges::all_of(blocks_.members_of(unit), [this](BlockNumber member) {
           return blocks_.waits().unused(member);
         });
}

bool OpenBlocks::member_waits_for_data(GcUnit unit) const {
  return std::ranges::any_of(blocks_.members_of(unit), [this](BlockNumber member) { return waits_for_data(member); });
}

GcUnit OpenBlocks::free_to_erase(std::uint32_t group, GcUnit except) const {
  GcUnit any = kNoBlockNumber;
  bool any_waits = true;
  for (const FreeList& list : blocks_.free_lists(group))
    for (const GcUnit free : list) {
      if (free == except) continue;
      if (unused(free)) return free;
      if (!any_waits) continue;
      any = free;
      any_waits = member_waits_for_data(free);
    }
  return any;
}

void OpenBlocks::release(const Victim& victim) {
  boost::container::small_vector<BlockNumber, 16> released;
  for (const BlockNumber block : blocks_.members_of(victim.gc_unit))
    if (blocks_[block].state != BlockState::Bad) released.push_back(block);
  for (const BlockNumber block : released) blocks_.release(block);
  blocks_.give_back(victim.gc_unit);
  for (const BlockNumber block : released) blocks_.count_erase(block);
  const bool wait = member_must_wait(victim.gc_unit);
  for (const BlockNumber block : released) {
    if (wait)
      waiting_.push_back({block, victim.source->origin()});
    else
      eraser_.start(block, victim.source->origin(), victim.collection);
  }
}

void OpenBlocks::erase_later(BlockNumber block, Origin origin, std::uint64_t collection) {
  if (blocks_[block].state == BlockState::Bad) return;  // found again by a recovery
  blocks_.count_erase(block);
  if (must_wait(block)) {
    waiting_.push_back({block, origin});
    return;
  }
  eraser_.start(block, origin, collection);
}

bool OpenBlocks::erase_waits_for_data(BlockNumber block) const {
  return std::ranges::any_of(waiting_, [&](const Waiting& it) { return it.block == block; });
}

bool OpenBlocks::member_must_wait(GcUnit unit) const {
  return std::ranges::any_of(blocks_.members_of(unit), [this](BlockNumber member) { return must_wait(member); });
}

void OpenBlocks::start_waiting() {
  GcUnit looked_at = kNoBlockNumber;
  bool wait = false;  // for the members of `looked_at`, which are adjacent in waiting_
  const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting& it) {
    const GcUnit unit = blocks_.gc_unit_of(it.block);
    if (unit != looked_at) wait = member_must_wait(looked_at = unit);
    return wait;
  });
  std::for_each(ready, waiting_.end(), [this](const Waiting& it) { eraser_.start(it.block, it.origin); });
  waiting_.erase(ready, waiting_.end());
}

}  // namespace flashloom
