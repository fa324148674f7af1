#include "controllers/ftl/features/program_failures/failed_blocks.hpp"

#include <algorithm>

#include "controllers/hardware/hardware.hpp"

namespace flashloom {

FailedBlocks::FailedBlocks(Collector& collector, bool parity)
    : VictimSource(collector, {.units_moved = &collector.statistics().units_moved}, Begins::Blocking),
      parity_(parity),
      queue_(blocks_.groups(), blocks_.gc_unit_count()) {
  collector.open_blocks().closed().attach(*this);
}

// A failed SLC block is emptied by folding, in its turn.
void FailedBlocks::closed(BlockNumber block) {
  if (blocks_.any_dead() && !dead_noted_) note_dead_die();
  if (blocks_.in_slc_mode(block) || !to_be_emptied(block)) return;
  collector_.enqueue(queue_, block);
}

// A program has failed in a member of the block's GC unit, and all its members may be collected.
bool FailedBlocks::to_be_emptied(BlockNumber block) const {
  bool failed = false;
  for (const BlockNumber member : blocks_.members_of(blocks_.gc_unit_of(block))) {
    const BlockInfo& info = blocks_[member];
    if (info.state != BlockState::Closed && info.state != BlockState::Bad) return false;
    failed = failed || ((info.failed || lost_with_die(member)) && info.state == BlockState::Closed);
  }
  return failed;
}

void FailedBlocks::find() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block)
    if ((blocks_[block].failed || lost_with_die(block)) && blocks_[block].state == BlockState::Closed) closed(block);
}

// Begins the rebuild: all GC units with a member on the dead die are rewritten over the remaining dies.
void FailedBlocks::note_dead_die() {
  dead_noted_ = true;
  if (!parity_) return;
  rebuilding_ = true;
  rebuild_began_ = context_.hardware.now();
  find();
}

// Counts a victim with a lost member, and the end of the rebuild when no other has one.
void FailedBlocks::emptied(GcUnit victim) {
  if (!rebuilding_) return;
  const auto lost = [this](BlockNumber member) {
    return lost_with_die(member) && blocks_[member].state == BlockState::Collecting;
  };
  FtlStatistics::Rain& rain = statistics_.rain;
  if (std::ranges::any_of(blocks_.members_of(victim), lost)) ++rain.rebuilt_superblocks;
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const BlockState state = blocks_[block].state;
    const bool data = state == BlockState::Open || state == BlockState::Closed || state == BlockState::Collecting;
    if (data && lost_with_die(block) && blocks_.gc_unit_of(block) != victim) return;
  }
  rebuilding_ = false;
  ++rain.rebuilds;
  rain.rebuild_time += context_.hardware.now() - rebuild_began_;
}

// Begins to collect the first queued block, even if it gains no space.
Task<bool> FailedBlocks::begin(std::uint32_t group) {
  while (queue_.any(group)) {
    const VictimQueue::Entry entry = queue_.take(group);
    const BlockNumber first = blocks_.member(entry.victim, 0);
    if (!to_be_emptied(first) || blocks_.block_erases(first) != entry.erases) continue;
    ++statistics_.gc_runs;
    collector_.begin_for_space(*this, group, entry.victim, collector_.victims().room_of(entry.victim));
    // With parity the data are not at risk, so writes need not wait.
    std::uint32_t& pace = collector_.victims()[group].copies_per_program;
    if (parity_) pace = std::min(pace, collector_.slow_pace());
    co_return true;
  }
  co_return false;
}

}  // namespace flashloom
