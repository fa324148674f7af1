#include "controllers/ftl/collect/collector.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"

namespace flashloom {

Collector::Collector(const FtlPart& part, bool map_stream)
    : FtlPart(part),
      victims_(part),
      open_(part, victims_, map_stream),
      copies_(open_.copies()),
      relocator_(part, victims_, open_),
      sources_(*this) {
  open_.attach(make_gc_unit_opener(blocks_, *this));
}

Collector::Pace Collector::begin_pace(std::uint32_t group) {
  Victim& victim = victims_[group];
  if (blocks_.dead_group(group)) [[unlikely]]
    return {.kept = true};
  if (blocking()) [[unlikely]]
    return {.kept = rests(group)};
  if (!victim.active) return {.kept = blocks_.free_of_group(group) > victims_.low() && !sources_.urgent(group)};
  if (!victim.any() || context_.config.gc_pause != 0 || blocks_.spare().worn_down()) return {};
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
    if (blocks_.free_of_group(group) > victims_.low() && !sources_.urgent(group)) co_return;
    victim.active = true;
  }
  std::uint32_t owed = begun.copies;
  bool copied_all = false;  // as many as gc_pause allows for one program unit
  std::uint32_t victims = 0;
  // A victim without valid units costs no copies and is finished at once.
  do {
    if (blocks_.spare().worn_down()) co_return;
    if (!victim.any()) {
      const bool found = co_await sources_.begin(group);
      // A group may be active only because of a source.
      const bool enough = sources_.any_paced() && blocks_.free_of_group(group) >= victims_.high();
      if (!found && (enough || !co_await sources_.begin_for_space(group))) {
        victim.active = false;
        co_return;
      }
    }
    if (!victims_.emptied(victim)) {
      if (copied_all) co_return;
      const std::uint32_t pause = context_.config.gc_pause;
      copied_all = pause != 0 && blocks_.free_of_group(group) > victims_.kept();
      if (owed == 0) owed = copied_all ? std::min(pause, victim.copies_per_program) : victim.copies_per_program;
      co_await relocator_.copy(group, std::exchange(owed, 0));
      if (!victims_.emptied(victim)) co_return;
    }
    co_await finish_victim(group);
    victim.active = blocks_.free_of_group(group) < victims_.high() || sources_.any_wants(group);
    if (++victims == blocks_.blocks_per_die()) co_return;  // padding of their copies takes all that they gain
    const bool another = co_await sources_.begin_after(group);
    if (another) {
      victim.active = true;
      co_return;  // it is copied from the next program unit on
    }
  } while (victim.active);
}

Task<bool> Collector::idle() {
  bool any = false;
  const std::uint32_t steps = blocks_.members();
  for (std::uint32_t group = 0; group < victims_.groups() && !blocks_.spare().worn_down(); ++group) {
    Victim& victim = victims_[group];
    if (blocks_.dead_group(group)) continue;
    if (!victim.any()) {
      const bool found = co_await sources_.begin(group, true);
      std::uint32_t wanted = context_.config.gc_background;
      if (sources_.any_waits_for_space(group)) wanted = std::max(wanted, victims_.low() + 1);
      if (!found && (blocks_.free_of_group(group) >= wanted || !co_await sources_.begin_for_space(group))) continue;
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
    while (copies_.busy(die)) co_await blocks_.waits().events(die).durable.wait();
}

// Idle copies must not wait for an erase, since nothing else may be decided meanwhile. Nor may they take the last free
// block, so that background work never makes a write wait for space.
bool Collector::can_copy_now(std::uint32_t group) {
  const Victim& victim = victims_[group];
  if (victims_.emptied(victim) || copies_[group].job != nullptr) return true;
  if (victim.source->apart()) return victim.source->may_copy_idle(group);
  if (const GcUnitOpener* const gc_units = open_.gc_units()) return gc_units->can_copy_now(group);
  if (copies_.takes(copies_.next_place(group))) return true;
  const std::uint32_t bank = copies_.bank_for(victim.gc_unit);
  return blocks_.free().of_die(group) > victims_.kept() &&
         blocks_[blocks_.next_free(blocks_.free().bank_with_room(bank))].erased;
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
    if (!victim.source->apart() && programmer_.jobs().room(*copies.job) >= victim.gain)
      copies.carried = true;
    else
      copies_.pad(group);  // with any copies carried from earlier victims
  }
  relocator_.collected(group);
  sources_.emptied(victim.gc_unit);
  open_.release(victim);
  victims_.end(group);
  if (!copies_.shared() || !copies.carried) co_return;
  const bool begun = co_await sources_.begin_for_space(group);
  if (!begun) {
    copies_.pad(group);
    co_return;
  }
  std::uint32_t rest = 0;
  relocator_.copy_now(group, rest);
  if (victims_.emptied(victim)) co_await finish_victim(group);
}

Task<void> Collector::make_room(std::uint32_t group, std::uint32_t free) {
  Victim& victim = victims_[group];
  std::uint32_t victims = 0;
  while (blocks_.free_of_group(group) < free && !blocks_.spare().worn_down() && !blocks_.dead_group(group) &&
         ++victims <= blocks_.blocks_per_die()) {
    if (!victim.any() && !co_await sources_.begin_for_space(group)) co_return;
    if (blocking()) gate_->close();
    const GcUnit unit = victim.gc_unit;
    co_await relocator_.copy(group, std::max(victims_.room_of(unit), victims_.valid_of(unit)));
    const bool copied = victim.any() && victims_.emptied(victim);
    if (copied) co_await finish_victim(group);
    if (blocking()) {
      co_await carried_out(group, unit);
      gate_->open();
    }
    if (!copied && victim.any()) co_return;  // else it was given up
  }
}

Task<void> Collector::leave_room() {
  for (std::uint32_t group = 0; group < victims_.groups(); ++group)
    if (victims_[group].any() && blocks_.free_of_group(group) == 0) co_await make_room(group, 1);
}

Task<void> Collector::restore_reserve() {
  if (blocks_.spare().failure_reserve() == 0) co_return;
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) {
    if (blocks_.dead_group(group)) continue;
    if (blocks_.free_of_group(group) != 0) co_await make_room(group, victims_.high());
    if (blocks_.free_of_group(group) < blocks_.spare().failure_reserve()) blocks_.spare().wear_down();
  }
  if (blocks_.spare().lacks_room()) blocks_.spare().wear_down();
}

// --- What sources of victims do.

void Collector::begin(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint64_t copies_per_program) {
  const std::uint64_t collection =
      statistics_.gc_runs + statistics_.wear_moves + statistics_.scrub_moves + statistics_.slc.folds;
  victims_.begin(group, victim, source, copies_per_program, collection);
  if (copies_[group].job != nullptr && source.apart()) copies_.pad(group);
}

// All valid units must be copied by the time the host has filled the space gained; a quarter faster, to get ahead.
void Collector::begin_for_space(VictimSource& source, std::uint32_t group, GcUnit victim, std::uint32_t units) {
  const std::uint32_t valid = victims_.valid_of(victim);
  const std::uint64_t copies = std::uint64_t{valid} * context_.geometry.whole_units_per_program();
  const bool sized = context_.sizes != nullptr;
  const std::uint32_t taken = sized ? std::min(victims_.taken_of(victim), units) : valid;
  const std::uint64_t gain = std::max(units - taken, 1U);  // failed blocks may gain nothing
  begin(source, group, victim, copies * 5 / (4 * gain) + 1);
  victims_[group].gain = units - (sized ? std::min(victims_.most_taken_of(victim), units) : valid);
}

void Collector::enqueue(VictimQueue& queue, BlockNumber block) {
  const std::uint32_t group = blocks_.group_of(block);
  const GcUnit unit = blocks_.gc_unit_of(block);
  queue.add(group, unit, blocks_.block_erases(blocks_.member(unit, 0)));
  victims_[group].active = true;
}

BlockNumber* Collector::place_apart(std::uint32_t group, BlockNumber victim) {
  auto& cold = copies_[group].cold;
  std::uint32_t room = 0;
  if (cold[0] != kNoBlockNumber) room = context_.geometry.pages - blocks_[cold[0]].allocated;
  if (cold[1] != kNoBlockNumber || room * context_.geometry.whole_units_per_page >= victims_.most_taken_of(victim))
    return nullptr;
  return &cold[room == 0 ? 0 : 1];
}

Task<void> Collector::open_block_apart(std::uint32_t group, BlockNumber victim) {
  BlockNumber* const place = place_apart(group, victim);
  if (place == nullptr) co_return;
  *place = co_await open_.open_block(blocks_.free().bank_of_most_room(group), blocks_[victim].stream, FreeUse::Cold);
}

bool Collector::can_open_block(std::uint32_t group, FreeUse use) const {
  if (blocks_.free_of_group(group) <= victims_.low()) return false;
  const std::uint32_t bank = blocks_.free().bank_with_room(blocks_.free().bank_of_most_room(group));
  const BlockNumber next = blocks_.next_free(bank, use);
  const BlockNumber other = open_.free_to_erase(group, next);
  return blocks_[next].erased && (other == kNoBlockNumber || open_.unused(other));
}

// --- ftl.gc_mode = "blocking": collection as in firmware without concurrency. When a die is short of free space, one
// victim is copied out and erased, page by page, then perhaps the next; meanwhile no write is handed over and no read
// goes to flash. The decisions do not depend on the waiting, so timed and instant runs end alike.

// If host data and copies share one open block per die, a victim's gain is room in it; no whole block need be gained.
bool Collector::has_enough(std::uint32_t group) const {
  const std::uint32_t free = blocks_.free_of_group(group);
  return free >= victims_.high() || (free >= victims_.kept() && copies_.goes_on_in_open(group));
}

bool Collector::rests(std::uint32_t group) const {
  if (victims_[group].any() || sources_.urgent_when_blocking(group)) return false;
  return blocks_.free_of_group(group) > victims_.low() || has_enough(group);
}

Task<void> Collector::collect_and_block(std::uint32_t group) {
  if (rests(group) || blocks_.spare().worn_down()) co_return;
  Victim& victim = victims_[group];
  gate_->close();
  for (std::uint32_t victims = 0; victims < blocks_.blocks_per_die() && !blocks_.spare().worn_down(); ++victims) {
    if (!victim.any()) {
      const bool found = co_await sources_.begin(group);
      if (!found && (has_enough(group) || !co_await sources_.begin_for_space(group))) break;
    }
    const GcUnit unit = victim.gc_unit;
    co_await relocator_.copy(group, std::max(victims_.room_of(unit), victims_.valid_of(unit)));
    if (victim.any()) {
      if (!victims_.emptied(victim)) break;
      co_await finish_victim(group);
    }
    co_await carried_out(group, unit);
    const bool another = co_await sources_.begin_after(group);
    if (!another && has_enough(group) && !sources_.any_wants(group)) break;
  }
  gate_->open();
}

// Waits until the copies are on flash and the victim is erased, unless the erase waits for host data yet to come.
Task<void> Collector::carried_out(std::uint32_t group, BlockNumber victim) {
  while (copies_.busy(group)) co_await blocks_.waits().events(group).durable.wait();
  const auto to_be_erased = [&] {
    return blocks_[victim].state == BlockState::Free && !blocks_[victim].erased &&
           !open_.erase_waits_for_data(victim) && !open_.safe_once_filled(victim);
  };
  while (to_be_erased()) co_await blocks_.waits().events(group).erased.wait();
}

void Collector::state(StateArchive& archive, FrontBuffer& front) {
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) {
    Victim& victim = victims_[group];
    CopyBlocks::Group& copies = copies_[group];
    VictimSources::Saved source = sources_.saved(*victim.source);
    archive(victim.active, source.origin, copies.cold_slot, victim.gc_unit, victim.from, victim.collection,
            victim.next_unit, victim.end_unit, victim.from_member, copies.to_member, victim.copies_per_program,
            victim.gain, copies.carried, copies.cold);
    if (sources_.any_gainless()) archive(source.gainless, source.for_space);
    victim.source = &sources_.source_of(source);
    programmer_.jobs().job_state(archive, copies.job, front);
  }
  relocator_.state(archive);
  sources_.state(archive);
  copies_.failure_state(archive);
}

}  // namespace flashloom
