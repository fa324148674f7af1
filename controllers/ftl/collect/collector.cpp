#include "controllers/ftl/collect/collector.hpp"

#include <algorithm>
#include <utility>

#include "controllers/ftl/ftl_config.hpp"
#include "controllers/runtime/fault.hpp"

namespace flashloom {

Collector::Collector(const FtlContext& context, BlockTable& blocks, Programmer& programmer, const OobLayout& layout,
                     UnitMap& map, FtlStatistics& statistics, bool map_stream)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      victims_(context, blocks, layout, map),
      open_(context, blocks, programmer, victims_, statistics, map_stream),
      copies_(open_.copies()),
      opener_(context, blocks, open_, statistics),
      relocator_(context, blocks, programmer, layout, map, victims_, copies_, opener_),
      start_(context, blocks, victims_, open_, opener_, statistics),
      sources_(start_) {
  opener_.attach(make_gc_unit_opener(start_, programmer));
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
      const bool found = co_await sources_.begin_idle(group);
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
  if (const GcUnitOpener* const gc_units = opener_.gc_units()) return gc_units->can_copy_now(group);
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
  open_.erases().release(victim);
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

void Collector::state(StateArchive& archive, FrontBuffer& front) {
  for (std::uint32_t group = 0; group < victims_.groups(); ++group) {
    Victim& victim = victims_[group];
    CopyBlocks::Group& copies = copies_[group];
    VictimSources::Saved source = sources_.saved(*victim.source);
    archive(victim.active, source.origin, copies.cold_slot, victim.gc_unit, victim.from, victim.collection,
            victim.next_unit, victim.end_unit, victim.from_member, copies.to_member, victim.copies_per_program,
            victim.gain, copies.carried, copies.cold);
    if (context_.geometry.any_slc()) archive(source.folds, source.gives_back);
    victim.source = &sources_.source_of(source);
    programmer_.jobs().job_state(archive, copies.job, front);
  }
  relocator_.state(archive);
  sources_.state(archive);
  copies_.failure_state(archive);
}

}  // namespace flashloom
