#include "controllers/ftl/collect/open_blocks.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace flashloom {

OpenBlocks::OpenBlocks(const FtlPart& part, const Victims& victims, bool map_stream)
    : FtlPart(part),
      exposes_(programmer_.exposed().possible()),
      eraser_(context_, blocks_),
      closed_(programmer_, statistics_),
      host_(part, closed_, *this, map_stream),
      copies_(part, victims, host_, closed_, *this) {}

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

void OpenBlocks::release(const Victim& victim) {
  Superblocks& all = blocks_.superblocks();
  boost::container::small_vector<BlockNumber, 16> released;
  for (const BlockNumber block : all.members_of(victim.superblock))
    if (blocks_[block].state != BlockState::Bad) released.push_back(block);
  for (const BlockNumber block : released) blocks_.release(block);
  all.give_back(victim.superblock);
  for (const BlockNumber block : released) blocks_.count_erase(block);
  const bool wait = member_must_wait(victim.superblock);
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

bool OpenBlocks::member_must_wait(SuperblockNumber superblock) const {
  return std::ranges::any_of(blocks_.superblocks().members_of(superblock),
                             [this](BlockNumber member) { return must_wait(member); });
}

void OpenBlocks::start_waiting() {
  SuperblockNumber looked_at = kNoBlockNumber;
  bool wait = false;  // for the members of `looked_at`, which are adjacent in waiting_
  const auto ready = std::stable_partition(waiting_.begin(), waiting_.end(), [&](const Waiting& it) {
    const SuperblockNumber superblock = blocks_.superblocks().of(it.block);
    if (superblock != looked_at) wait = member_must_wait(looked_at = superblock);
    return wait;
  });
  std::for_each(ready, waiting_.end(), [this](const Waiting& it) { eraser_.start(it.block, it.origin); });
  waiting_.erase(ready, waiting_.end());
}

}  // namespace flashloom
