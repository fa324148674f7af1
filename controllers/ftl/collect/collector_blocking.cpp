// ftl.gc_mode = "blocking": collection as in firmware without concurrency. When a die is short of free space, one
// victim is copied out and erased, page by page, then perhaps the next; meanwhile no write is handed over and no read
// goes to flash. The decisions do not depend on the waiting, so timed and instant runs end alike.
#include <algorithm>
#include <stdexcept>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

// If host data and copies share one open block per die, a victim's gain is room in it; no whole block need be gained.
bool Collector::has_enough(std::uint32_t group) const {
  const std::uint32_t free = blocks_.free_of_group(group);
  return free >= high_ || (free >= kept_ && goes_on_in_open(group));
}

bool Collector::rests(std::uint32_t group) const {
  const GroupState& state = groups_[group];
  if (state.victim != kNoBlockNumber || wants_fold(group) || failed_blocks_wait(group)) return false;
  return blocks_.free_of_group(group) > low_ || has_enough(group);
}

Task<void> Collector::collect_and_block(std::uint32_t group, std::uint64_t age) {
  if (rests(group) || blocks_.spare().worn_down()) co_return;
  GroupState& state = groups_[group];
  gate_->close();
  for (std::uint32_t victims = 0; victims < blocks_.blocks_per_die() && !blocks_.spare().worn_down(); ++victims) {
    if (state.victim == kNoBlockNumber) {
      bool moves = false;
      if (scrubs_ != nullptr) moves = co_await scrub(group);
      if (!moves && wants_fold(group)) moves = co_await fold(group);
      if (!moves && failed_blocks_wait(group)) moves = empty_failed(group);
      if (!moves && (has_enough(group) || !choose_victim(group, age))) break;
    }
    const SuperblockNumber victim = state.victim;
    co_await copy(group, std::max(room_of(blocks_, victim), valid_of(blocks_, victim)), age);
    if (state.victim != kNoBlockNumber) {
      if (!emptied(state)) break;
      co_await finish_victim(group, age);
    }
    co_await carried_out(group, victim);
    if (blocks_.policies().leveling(group).moves() && co_await level_wear(group)) continue;
    const bool scrubs = scrubs_ != nullptr && scrubs_->any(group);
    if (has_enough(group) && !scrubs && !wants_fold(group) && !failed_blocks_wait(group)) break;
  }
  gate_->open();
}

// Waits until the copies are on flash and the victim is erased, unless the erase waits for host data yet to come.
Task<void> Collector::carried_out(std::uint32_t group, BlockNumber victim) {
  while (copier_.busy(group)) co_await blocks_.waits().events(group).durable.wait();
  const auto to_be_erased = [&] {
    return blocks_[victim].state == BlockState::Free && !blocks_[victim].erased &&
           std::ranges::none_of(held_, [&](const Held& it) { return it.block == victim; }) &&
           !is_completed_by_more(victim);
  };
  while (to_be_erased()) co_await blocks_.waits().events(group).erased.wait();
}

// The erase already waits, for a word line whose last program unit is being filled.
bool Collector::is_completed_by_more(BlockNumber block) const {
  if (closer_ == nullptr) return false;
  const ProgramJob* const job = groups_[blocks_.group_of(block)].job;
  return closer_->completes(block) || (job != nullptr && programmer_.exposed(job->block, block, true));
}

Task<BlockNumber> Collector::open_own_log_block() {
  const BlockNumber block = blocks_.free().next_for_log();
  if (block == kNoBlockNumber) throw std::logic_error("the metadata log has taken all erase units that are its own");
  co_await until_unused(block);
  blocks_.open_free(block);
  co_await until_ready(block);
  co_return block;
}

}  // namespace flashloom
