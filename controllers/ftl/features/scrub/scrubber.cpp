#include "controllers/ftl/features/scrub/scrubber.hpp"

namespace flashloom {

Scrubber::Scrubber(Collector& collector, EccEngine& ecc)
    : VictimSource(collector,
                   {.origin = Origin::Scrub, .apart = true, .units_moved = &collector.statistics().units_scrubbed}),
      ecc_(ecc),
      queue_(blocks_.groups(), blocks_.gc_unit_count()) {
  ecc_.watch(this);
}

Scrubber::~Scrubber() {
  if (ecc_.watched_by() == this) ecc_.watch(nullptr);
}

// Open blocks are ignored; the next read after they are closed reports them again.
void Scrubber::weak(Die die, Block in_die) {
  const BlockNumber block = die.value() * blocks_.blocks_per_die() + in_die.value();
  if (blocks_[block].state != BlockState::Closed) return;
  collector_.enqueue(queue_, block);
}

// A move gains no space, so garbage collection comes first.
Task<bool> Scrubber::begin(std::uint32_t group) {
  while (queue_.any(group) && blocks_.free_of_group(group) > collector_.victims().low()) {
    const VictimQueue::Entry weak = queue_.take(group);
    if (!collector_.victims().all_closed(weak.victim) ||
        blocks_.block_erases(blocks_.member(weak.victim, 0)) != weak.erases)
      continue;
    co_await collector_.open_apart(group, weak.victim);
    ++statistics_.scrub_moves;
    collector_.begin(*this, group, weak.victim, collector_.slow_pace());
    co_return true;
  }
  co_return false;
}

}  // namespace flashloom
