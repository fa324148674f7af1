// Collection outside the pace: for callers that need a free block, and to keep the failure reserve. Also emptying
// blocks in which a program has failed.
#include <algorithm>
#include <vector>

#include "controllers/ftl/collect/collector.hpp"
#include "controllers/hardware/hardware.hpp"

namespace flashloom {

// With compressed data the policy ranks victims by the room that their data take now, but their copies may take more.
// This finds the victim with the largest guaranteed gain; one exists, since the blocks cannot all be full of
// uncompressed units.
SuperblockNumber Collector::surest_victim(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  const std::uint32_t first = group * all.per_group();
  SuperblockNumber best = kNoBlockNumber;
  std::uint32_t most = 0;
  for (SuperblockNumber victim = first; victim < first + all.per_group(); ++victim) {
    if (!all_closed(victim) || blocks_.in_slc_mode(all.member(victim, 0))) continue;
    const std::uint32_t room = room_of(blocks_, victim);
    const std::uint32_t gain = room - std::min(room, most_taken_of(blocks_, victim));
    if (gain <= most) continue;
    most = gain;
    best = victim;
  }
  return best;
}

Task<void> Collector::make_room(std::uint32_t group, std::uint32_t free, std::uint64_t age) {
  GroupState& state = groups_[group];
  std::uint32_t victims = 0;
  while (blocks_.free_of_group(group) < free && !blocks_.spare().worn_down() && !blocks_.failures().dead_group(group) &&
         ++victims <= blocks_.blocks_per_die()) {
    if (state.victim == kNoBlockNumber && !choose_victim(group, age)) co_return;
    if (blocking()) gate_->close();
    const SuperblockNumber victim = state.victim;
    co_await copy(group, std::max(room_of(blocks_, victim), valid_of(blocks_, victim)), age);
    const bool copied = state.victim != kNoBlockNumber && emptied(state);
    if (copied) co_await finish_victim(group, age);
    if (blocking()) {
      co_await carried_out(group, victim);
      gate_->open();
    }
    if (!copied && state.victim != kNoBlockNumber) co_return;  // else a fold was given up
  }
}

Task<void> Collector::leave_room(std::uint64_t age) {
  for (std::uint32_t group = 0; group < groups_.size(); ++group)
    if (groups_[group].victim != kNoBlockNumber && blocks_.free_of_group(group) == 0) co_await make_room(group, 1, age);
}

bool Collector::has_spare(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  if (blocks_.one_by_one()) {
    const BlockNumber free = free_block_to_erase(group, kNoBlockNumber);
    return free != kNoBlockNumber && blocks_.waits().unused(free);
  }
  return std::ranges::any_of(all.free(group), [&](SuperblockNumber free) {
    return std::ranges::all_of(all.members_of(free),
                               [&](BlockNumber member) { return blocks_.waits().unused(member); });
  });
}

bool Collector::lacks_spare(std::uint32_t group) const {
  if (blocks_.one_by_one()) {
    const BlockNumber free = free_block_to_erase(group, kNoBlockNumber);
    return free == kNoBlockNumber || waits_for_data(free);
  }
  const SuperblockNumber free = free_superblock_to_erase(group);
  return free == kNoBlockNumber || superblock_waits_for_data(free);
}

Task<void> Collector::until_spare(std::uint32_t group) {
  if (blocks_.one_by_one())
    co_await until_unused(free_block_to_erase(group, kNoBlockNumber));
  else
    co_await until_unused_superblock(free_superblock_to_erase(group));
}

Task<void> Collector::restore_reserve() {
  if (blocks_.spare().failure_reserve() == 0) co_return;
  for (std::uint32_t group = 0; group < groups_.size(); ++group) {
    if (blocks_.failures().dead_group(group)) continue;
    if (blocks_.free_of_group(group) != 0) co_await make_room(group, high_, 0);
    if (blocks_.free_of_group(group) < blocks_.spare().failure_reserve()) blocks_.spare().wear_down();
  }
  if (blocks_.spare().lacks_room()) blocks_.spare().wear_down();
}

// A failed SLC block is emptied by folding, in its turn.
void Collector::note_failed(BlockNumber block) {
  if (blocks_.failures().any_dead() && !dead_noted_) note_dead_die();
  if (blocks_.in_slc_mode(block) || !blocks_.to_be_emptied(block)) return;
  const std::uint32_t group = blocks_.group_of(block);
  const SuperblockNumber victim = blocks_.superblocks().of(block);
  failed_->add(group, victim, blocks_.block_erases(blocks_.superblocks().member(victim, 0)));
  groups_[group].active = true;  // keep_pace() then empties it
}

void Collector::find_failed() {
  for (BlockNumber block = 0; failed_ != nullptr && block < blocks_.size(); ++block)
    if ((blocks_[block].failed || blocks_.failures().lost_with_die(block)) &&
        blocks_[block].state == BlockState::Closed)
      note_failed(block);
}

// Begins the rebuild: all superblocks with a member on the dead die are rewritten over the remaining dies.
void Collector::note_dead_die() {
  dead_noted_ = true;
  if (programmer_.stripes() == nullptr) return;
  rebuilding_ = true;
  rebuild_began_ = context_.hardware.now();
  find_failed();
}

// Counts a victim with a lost member that is about to be released.
void Collector::note_rebuilt(SuperblockNumber victim) {
  const auto lost = [this](BlockNumber member) {
    return blocks_.failures().lost_with_die(member) && blocks_[member].state == BlockState::Collecting;
  };
  if (std::ranges::any_of(blocks_.superblocks().members_of(victim), lost)) ++statistics_.rain.rebuilt_superblocks;
}

void Collector::note_rebuild_end() {
  for (BlockNumber block = 0; block < blocks_.size(); ++block) {
    const BlockState state = blocks_[block].state;
    const bool data = state == BlockState::Open || state == BlockState::Closed || state == BlockState::Collecting;
    if (data && blocks_.failures().lost_with_die(block)) return;
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
    begin_for_room(group, entry.victim, room_of(blocks_, entry.victim));
    // With parity the data are not at risk, so writes need not wait: use a scrub's pace.
    std::uint32_t& pace = groups_[group].copies_per_program;
    if (programmer_.stripes() != nullptr) pace = std::min(pace, 2 * context_.geometry.whole_units_per_program());
    return true;
  }
  return false;
}

void Collector::try_first(ProgramJob& job, std::vector<FailedProgram>& failures) {
  if (failures.empty()) return;
  programmer_.try_first(job, failures, statistics_.units_written);
  for (const FailedProgram& failure : job.failures) closed(failure.block);
}

void Collector::try_padding(std::vector<FailedProgram>& failures, Origin origin) {
  const std::vector<FailedProgram> all = failures;
  programmer_.try_padding(failures, origin, statistics_.units_written);
  for (const FailedProgram& failure : all) closed(failure.block);
}

void Collector::give_up_failures(std::uint32_t group) { try_padding(groups_[group].failures, groups_[group].origin); }

}  // namespace flashloom
