#include "controllers/ftl/features/scrub/scrubber.hpp"

namespace flashloom {

Scrubber::Scrubber(VictimStart& start, EccEngine& ecc)
    : VictimSource({.origin = Origin::Scrub, .apart = true, .units_moved = &start.statistics().units_scrubbed}),
      start_(start),
      blocks_(start.blocks()),
      ecc_(ecc),
      queue_(start.blocks().groups(), start.blocks().gc_unit_count()) {
  ecc_.watch(this);
}

Scrubber::~Scrubber() {
  if (ecc_.watched_by() == this) ecc_.watch(nullptr);
}

// Open blocks are ignored; the next read after they are closed reports them again.
void Scrubber::weak(Die die, Block in_die) {
  const BlockNumber block = die.value() * blocks_.blocks_per_die() + in_die.value();
  if (blocks_[block].state != BlockState::Closed) return;
  start_.enqueue(queue_, block);
}

// A move gains no space, so garbage collection comes first.
Task<bool> Scrubber::begin(std::uint32_t group) {
  while (queue_.any(group) && blocks_.free_of_group(group) > start_.victims().low()) {
    const VictimQueue::Entry weak = queue_.take(group);
    if (!start_.victims().all_closed(weak.victim) ||
        blocks_.block_erases(blocks_.member(weak.victim, 0)) != weak.erases)
      continue;
    co_await start_.open_apart(group, weak.victim);
    ++start_.statistics().scrub_moves;
    start_.begin(*this, group, weak.victim, start_.slow_pace());
    co_return true;
  }
  co_return false;
}

}  // namespace flashloom
