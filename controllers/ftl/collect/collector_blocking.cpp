// ftl.gc_mode = "blocking": collection as in firmware without concurrency. When a die is short of free space, one
// victim is copied out and erased, page by page, then perhaps the next; meanwhile no write is handed over and no read
// goes to flash. The decisions do not depend on the waiting, so timed and instant runs end alike.
#include <algorithm>

#include "controllers/ftl/collect/collector.hpp"

namespace flashloom {

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
           !open_.erases().waits_for_data(victim) && !open_.safe_once_filled(victim);
  };
  while (to_be_erased()) co_await blocks_.waits().events(group).erased.wait();
}

}  // namespace flashloom
