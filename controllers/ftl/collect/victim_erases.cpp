#include "controllers/ftl/collect/victim_erases.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <iterator>

#include "controllers/ftl/collect/open_blocks.hpp"

namespace flashloom {

VictimErases::VictimErases(const FtlContext& context, BlockTable& blocks, const OpenBlocks& open)
    : blocks_(blocks), open_(open), eraser_(context, blocks) {}

void VictimErases::release(const Victim& victim) {
  const auto good = [this](BlockNumber block) { return blocks_[block].state != BlockState::Bad; };
  const auto members = blocks_.members_of(victim.gc_unit);
  boost::container::small_vector<BlockNumber, 16> released;
  std::ranges::copy_if(members, std::back_inserter(released), good);
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

void VictimErases::erase_later(BlockNumber block, Origin origin, std::uint64_t collection) {
  if (blocks_[block].state == BlockState::Bad) return;  // found again by a recovery
  blocks_.count_erase(block);
  if (open_.must_wait(block)) {
    waiting_.push_back({block, origin});
    return;
  }
  eraser_.start(block, origin, collection);
}

bool VictimErases::waits_for_data(BlockNumber block) const {
  return std::ranges::any_of(waiting_, [&](const Waiting& it) { return it.block == block; });
}

bool VictimErases::member_must_wait(GcUnit unit) const {
  return std::ranges::any_of(blocks_.members_of(unit), [this](BlockNumber member) { return open_.must_wait(member); });
}

void VictimErases::start_waiting() {
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
