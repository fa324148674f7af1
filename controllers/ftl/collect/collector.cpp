#include "controllers/ftl/collect/collector.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/blocks/spare_blocks.hpp"
#include "controllers/ftl/fdp_events.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/ftl/reclaim_handles.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

Collector::Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
                     UnitMap& map, FtlStatistics& statistics, bool map_stream)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      statistics_(statistics),
      victims_(context, blocks, layout, map),
      open_(context, blocks, programmer, victims_, statistics, map_stream),
      copies_(open_.copies()),
      opener_(context, blocks, programmer, open_, statistics),
      relocator_(context, blocks, programmer, layout, map, victims_, copies_, opener_, statistics),
      low_(context.config.gc_low + blocks.failure_reserve()),
      high_(context.config.gc_high + blocks.failure_reserve()),
      kept_(kGcReserve + blocks.failure_reserve()),
      slc_low_(context.geometry.any_slc() ? context.config.slc_low : 0),
      slc_idle_(context.geometry.any_slc() && context.config.slc_idle) {
  watch_for_weak_blocks();
  if (blocks_.programs_fail()) {
    failed_ = std::make_unique<ScrubQueue>(blocks_.groups(), blocks_.superblocks().count());
    open_.closed().attach(*this);
  }
  if (!context.config.fdp.on()) return;
  reallocated_ = std::make_unique<MovedUnits>(victims_.groups(), context.host_units, nullptr);
  relocator_.attach(reallocated_.get());
}

void Collector::attach(MoveListener& listener) {
  if (reallocated_ == nullptr)
    relocator_.attach(&listener);
  else
    reallocated_->pass_on_to(listener);
}

// The event names the handle that owns the reclaim unit, unless the unit may hold copies of several handles.
void Collector::note_reallocated(std::uint32_t group) {
  const MovedUnits::Moved moved = reallocated_->take(group);
  if (moved.units == 0) return;
  const FdpConfig& fdp = context_.config.fdp;
  const std::uint32_t stream = victims_.stream_of(group);
  if (stream >= fdp.groups * fdp.handles || fdp.isolates(reclaim_handle(fdp, stream))) return;
  const bool alone = copies_stream(fdp, stream) != stream || fdp.persistent.size() + 1 == fdp.handles;
  note_fdp_event(context_, statistics_,
                 {.type = FdpEventType::MediaReallocated,
                  .stream = stream,
                  .located = alone,
                  .unit = moved.lowest,
                  .units_moved = moved.units});
}

bool Collector::choose_victim(std::uint32_t group) {
  if (blocks_.lends() && give_back(group)) return true;
  const std::uint32_t number = blocks_.collection(group).victim(statistics_.units_written);
  if (number == kNoBlock) return false;
  SuperblockNumber victim = victims_.of_number(group, number);
  std::uint32_t room = blocks_.room_of(victim);
  if (blocks_.most_taken_of(victim) >= room) {
    victim = context_.sizes == nullptr ? kNoBlockNumber : surest_victim(group);
    if (victim == kNoBlockNumber) return false;  // nothing to gain
    room = blocks_.room_of(victim);
  }
  ++statistics_.gc_runs;
  begin_for_room(group, victim, room);
  return true;
}

// All valid units must be copied by the time the host has filled the space gained; a quarter faster, to get ahead.
void Collector::begin_for_room(std::uint32_t group, SuperblockNumber victim, std::uint32_t units) {
  const std::uint32_t valid = blocks_.valid_of(victim);
  const std::uint64_t copies = std::uint64_t{valid} * context_.geometry.whole_units_per_program();
  const bool sized = context_.sizes != nullptr;
  const std::uint32_t taken = sized ? std::min(blocks_.taken_of(victim), units) : valid;
  const std::uint64_t gain = std::max(units - taken, 1U);  // failed blocks may gain nothing
  begin_victim(group, victim, copies * 5 / (4 * gain) + 1);
  victims_[group].gain = units - (sized ? std::min(blocks_.most_taken_of(victim), units) : valid);
}

void Collector::begin_victim(std::uint32_t group, SuperblockNumber victim, std::uint64_t copies_per_program,
                             Origin origin, bool folds) {
  const std::uint64_t collection =
      statistics_.gc_runs + statistics_.wear_moves + statistics_.scrub_moves + statistics_.slc.folds;
  victims_.begin(group, victim, copies_per_program, origin, folds, collection);
  if (copies_[group].job != nullptr && victims_[group].moves()) copies_.pad(group);
}

Collector::Pace Collector::begin_pace(std::uint32_t group) {
  Victim& victim = victims_[group];
  if (blocks_.dead_group(group)) [[unlikely]]
    return {.kept = true};
  if (blocking()) [[unlikely]]
    return {.kept = rests(group)};
  if (!victim.active) return {.kept = blocks_.free_of_group(group) > low_ && !wants_fold(group)};
  if (!victim.any() || context_.config.gc_pause != 0 || blocks_.worn_down()) return {};
  if (victims_.emptied(victim)) return {};
  std::uint32_t copies = victim.copies_per_program;
  if (!relocator_.copy_now(group, copies)) return {.copies = copies};
  return {.kept = !victims_.emptied(victim)};
}

Task<void> Collector::keep_pace(std::uint32_t group, Pace begun) {
  Victim& victim = victims_[group];
  if (blocks_.dead_group(group)) co_return;
  if (blocking()) co_return co_await collect_and_block(group);
  if (!victim.active) {
    if (blocks_.free_of_group(group) > low_ && !wants_fold(group)) co_return;
    victim.active = true;
  }
  std::uint32_t owed = begun.copies;
  bool copied_all = false;  // as many as gc_pause allows for one program unit
  std::uint32_t victims = 0;
  // A victim without valid units costs no copies and is finished at once.
  do {
    if (blocks_.worn_down()) co_return;
    if (!victim.any()) {
      bool moves = false;
      if (scrubs_ != nullptr) [[unlikely]]
        moves = co_await scrub(group);
      if (!moves && wants_fold(group)) [[unlikely]]
        moves = co_await fold(group);
      if (!moves && failed_blocks_wait(group)) [[unlikely]]
        moves = empty_failed(group);
      // A group may be active only because of a move.
      const bool enough =
          (scrubs_ != nullptr || slc_low_ != 0 || failed_ != nullptr) && blocks_.free_of_group(group) >= high_;
      if (!moves && (enough || !choose_victim(group))) {
        victim.active = false;
        co_return;
      }
    }
    if (!victims_.emptied(victim)) {
      if (copied_all) co_return;
      const std::uint32_t pause = context_.config.gc_pause;
      copied_all = pause != 0 && blocks_.free_of_group(group) > kept_;
      if (owed == 0) owed = copied_all ? std::min(pause, victim.copies_per_program) : victim.copies_per_program;
      co_await relocator_.copy(group, std::exchange(owed, 0));
      if (!victims_.emptied(victim)) co_return;
    }
    co_await finish_victim(group);
    victim.active = blocks_.free_of_group(group) < high_ || (scrubs_ != nullptr && scrubs_->any(group)) ||
                    (slc_low_ != 0 && wants_fold(group)) || failed_blocks_wait(group);
    if (++victims == blocks_.blocks_per_die()) co_return;  // padding of their copies takes all that they gain
    if (blocks_.leveling(group).moves() && co_await level_wear(group)) {
      victim.active = true;
      co_return;  // the move begins with the next program unit
    }
  } while (victim.active);
}

Task<bool> Collector::idle() {
  bool any = false;
  const std::uint32_t steps = blocks_.superblocks().members();
  for (std::uint32_t group = 0; group < victims_.groups() && !blocks_.worn_down(); ++group) {
    Victim& victim = victims_[group];
    if (blocks_.dead_group(group)) continue;
    if (!victim.any()) {
      bool moves = false;
      const bool folds = slc_idle_ && blocks_.oldest_slc(group) != kNoBlockNumber;
      if (scrubs_ != nullptr && can_scrub_now(group)) [[unlikely]]
        moves = co_await scrub(group);
      if (!moves && folds && can_move_now(group, FreeUse::Data)) [[unlikely]]
        moves = co_await fold(group);
      if (!moves && failed_blocks_wait(group)) [[unlikely]]
        moves = empty_failed(group);
      std::uint32_t wanted = context_.config.gc_background;
      if ((scrubs_ != nullptr && scrubs_->any(group)) || folds) wanted = std::max(wanted, low_ + 1);
      if (!moves && (blocks_.free_of_group(group) >= wanted || !choose_victim(group))) continue;
    }
    for (std::uint32_t step = 0; step < steps && can_copy_now(group); ++step) {
      any = true;
      co_await relocator_.copy(group, programmer_.jobs().room_of_next(copies_[group].job));
      if (!victims_.emptied(victim)) continue;
      co_await finish_victim(group);
      break;
    }
  }
  co_return any;
}

Task<void> Collector::copied() {
  for (std::uint32_t die = 0; die < context_.geometry.dies; ++die)
    while (copies_.busy(die)) co_await blocks_.events(die).durable.wait();
}

// Idle copies must not wait for an erase, since nothing else may be decided meanwhile. Nor may they take the last free
// block, so that background work never makes a write wait for space.
bool Collector::can_copy_now(std::uint32_t group) {
  const Victim& victim = victims_[group];
  if (victims_.emptied(victim) || copies_[group].job != nullptr) return true;
  if (victim.folds && copies_[group].cold[0] == kNoBlockNumber) return can_move_now(group, FreeUse::Data);
  if (victim.moves()) return true;
  if (!blocks_.one_by_one()) return can_open_superblock_now(group);
  if (copies_.takes(copies_.next_place(group))) return true;
  const std::uint32_t bank = copies_.bank_for(victim.superblock);
  return blocks_.free_blocks(group) > kept_ && blocks_[blocks_.next_free(blocks_.bank_with_room(bank))].erased;
}

bool Collector::can_open_superblock_now(std::uint32_t group) {
  const BlockNumber* const open = copies_.members(group);
  const auto takes = [this](BlockNumber member) { return copies_.takes(member); };
  if (std::any_of(open, open + blocks_.superblocks().members(), takes)) return true;
  if (blocks_.free_of_group(group) <= kept_) return false;
  return opener_.erased(blocks_.superblocks().next_free(group, FreeUse::Data));
}

// A victim is free once its copies are on flash, so a partly filled program unit is padded, unless the padding would
// take all the space that the victim gains. Then the copies wait for those of the next victim, of whatever stream, and
// the erase waits for them. If copies share blocks with host data they may not wait: the next victim is begun at once.
Task<void> Collector::finish_victim(std::uint32_t group) {
  Victim& victim = victims_[group];
  if (keeper_->trims_pending() && !fault(Fault::EraseBeforeTrim)) {
    const std::uint64_t collection = victim.collection;
    co_await keeper_->persist_trims();
    // While this waited, a write or the idle task may have finished the victim.
    if (!victim.any() || victim.collection != collection) co_return;
  }
  CopyBlocks::Group& copies = copies_[group];
  if (copies.job != nullptr) {
    if (!victim.moves() && programmer_.jobs().room(*copies.job) >= victim.gain)
      copies.carried = true;
    else
      copies_.pad(group);  // with any copies carried from earlier victims
  }
  if (relocator_.listener() != nullptr) relocator_.listener()->collected(group);
  if (reallocated_ != nullptr) note_reallocated(group);
  if (rebuilding_) note_rebuilt(victim.superblock);
  open_.erases().release(victim);
  victim.superblock = kNoBlockNumber;
  if (rebuilding_) note_rebuild_end();
  if (!copies_.shared() || !copies.carried) co_return;
  if (!choose_victim(group)) {
    copies_.pad(group);
    co_return;
  }
  std::uint32_t rest = 0;
  relocator_.copy_now(group, rest);
  if (victims_.emptied(victim)) co_await finish_victim(group);
}

void Collector::state(StateArchive& archive, FrontBuffer& front) {
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) {
    Victim& victim = victims_[group];
    CopyBlocks::Group& copies = copies_[group];
    archive(victim.active, victim.origin, copies.cold_slot, victim.superblock, victim.from, victim.collection,
            victim.next_unit, victim.end_unit, victim.from_member, copies.to_member, victim.copies_per_program,
            victim.gain, copies.carried, copies.cold);
    if (context_.geometry.any_slc()) archive(victim.folds, victim.gives_back);
    programmer_.jobs().job_state(archive, copies.job, front);
  }
  if (reallocated_ != nullptr) archive(*reallocated_);
  if (scrubs_ != nullptr) archive(*scrubs_);
  if (failed_ == nullptr) return;
  archive(*failed_, dead_noted_, rebuilding_);
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) archive(copies_[group].failures);
}

}  // namespace flashloom
