// Collection outside the pace: for callers that need a free block, and to keep the failure reserve. Also emptying
// blocks in which a program has failed.
#include <algorithm>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

// With units of different sizes the policy ranks victims by the room that their data take now, but their copies may take more.
// This finds the victim with the largest guaranteed gain; one exists, since the blocks cannot all be full of
// whole units.
SuperblockNumber Collector::surest_victim(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  const std::uint32_t first = group * all.per_group();
  SuperblockNumber best = kNoBlockNumber;
  std::uint32_t most = 0;
  for (SuperblockNumber victim = first; victim < first + all.per_group(); ++victim) {
    if (!victims_.all_closed(victim) || blocks_.in_slc_mode(all.member(victim, 0))) continue;
    const std::uint32_t room = blocks_.room_of(victim);
    const std::uint32_t gain = room - std::min(room, blocks_.most_taken_of(victim));
    if (gain <= most) continue;
    most = gain;
    best = victim;
  }
  return best;
}

Task<void> Collector::make_room(std::uint32_t group, std::uint32_t free) {
  Victim& victim = victims_[group];
  std::uint32_t victims = 0;
  while (blocks_.free_of_group(group) < free && !blocks_.worn_down() && !blocks_.dead_group(group) &&
         ++victims <= blocks_.blocks_per_die()) {
    if (!victim.any() && !choose_victim(group)) co_return;
    if (blocking()) gate_->close();
    const SuperblockNumber superblock = victim.superblock;
    co_await relocator_.copy(group, std::max(blocks_.room_of(superblock), blocks_.valid_of(superblock)));
    const bool copied = victim.any() && victims_.emptied(victim);
    if (copied) co_await finish_victim(group);
    if (blocking()) {
      co_await carried_out(group, superblock);
      gate_->open();
    }
    if (!copied && victim.any()) co_return;  // else a fold was given up
  }
}

Task<void> Collector::leave_room() {
  for (std::uint32_t group = 0; group < victims_.groups(); ++group)
    if (victims_[group].any() && blocks_.free_of_group(group) == 0) co_await make_room(group, 1);
}

Task<void> Collector::restore_reserve() {
  if (blocks_.failure_reserve() == 0) co_return;
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) {
    if (blocks_.dead_group(group)) continue;
    if (blocks_.free_of_group(group) != 0) co_await make_room(group, high_);
    if (blocks_.free_of_group(group) < blocks_.failure_reserve()) blocks_.wear_down();
  }
  if (blocks_.lacks_room()) blocks_.wear_down();
}

// A failed SLC block is emptied by folding, in its turn.
void Collector::closed(BlockNumber block) {
  if (blocks_.any_dead() && !dead_noted_) note_dead_die();
  if (blocks_.in_slc_mode(block) || !blocks_.to_be_emptied(block)) return;
  const std::uint32_t group = blocks_.group_of(block);
  const SuperblockNumber victim = blocks_.superblocks().of(block);
  failed_->add(group, victim, blocks_.block_erases(blocks_.superblocks().member(victim, 0)));
  victims_[group].active = true;  // keep_pace() then empties it
}

void Collector::find_failed() {
  for (BlockNumber block = 0; failed_ != nullptr && block < blocks_.size(); ++block)
    if ((blocks_[block].failed || blocks_.lost_with_die(block)) && blocks_[block].state == BlockState::Closed)
      closed(block);
}

// Begins the rebuild: all superblocks with a member on the dead die are rewritten over the remaining dies.
void Collector::note_dead_die() {
  dead_noted_ = true;
  if (programmer_.redundancy() == nullptr) return;
  rebuilding_ = true;
  rebuild_began_ = context_.hardware.now();
  find_failed();
}

// Counts a victim with a lost member that is about to be released.
void Collector::note_rebuilt(SuperblockNumber victim) {
  const auto lost = [this](BlockNumber member) {
    return blocks_.lost_with_die(member) && blocks_[member].state == BlockState::Collecting;
  };
  if (std::ranges::any_of(blocks_.superblocks().members_of(victim), lost)) ++statistics_.rain.rebuilt_superblocks;
}

void Collector::note_rebuild_end() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const BlockState state = blocks_[block].state;
    const bool data = state == BlockState::Open || state == BlockState::Closed || state == BlockState::Collecting;
    if (data && blocks_.lost_with_die(block)) return;
  }
  rebuilding_ = false;
  ++statistics_.rain.rebuilds;
  statistics_.rain.rebuild_time += context_.hardware.now() - rebuild_began_;
}

// Begins to collect the first queued block in which a program failed, even if it gains no space.
bool Collector::empty_failed(std::uint32_t group) {
  while (failed_->any(group)) {
    const ScrubQueue::Entry entry = failed_->take(group);
    const BlockNumber first = blocks_.superblocks().member(entry.victim, 0);
    if (!blocks_.to_be_emptied(first) || blocks_.block_erases(first) != entry.erases) continue;
    ++statistics_.gc_runs;
    begin_for_room(group, entry.victim, blocks_.room_of(entry.victim));
    // With parity the data are not at risk, so writes need not wait: use a scrub's pace.
    std::uint32_t& pace = victims_[group].copies_per_program;
    if (programmer_.redundancy() != nullptr) pace = std::min(pace, 2 * context_.geometry.whole_units_per_program());
    return true;
  }
  return false;
}

}  // namespace flashloom
