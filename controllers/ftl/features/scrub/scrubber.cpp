#include "controllers/ftl/features/scrub/scrubber.hpp"

namespace flashloom {

Scrubber::Scrubber(VictimStart& start, EccEngine& ecc)
    : VictimSource({.origin = Origin::Scrub, .apart = true, .units_moved = &start.statistics().units_scrubbed}),
      start_(start),
      blocks_(start.blocks()),
      ecc_(ecc),
      queue_(start.blocks().groups(), start.blocks().superblocks().count()) {
  ecc_.watch(this);
}

Scrubber::~Scrubber() {
  if (ecc_.watched_by() == this) ecc_.watch(nullptr);
}

// Open blocks are ignored; the next read after they are closed reports them again.
void Scrubber::weak(Die die, Block in_die) {
  const BlockNumber block = die.value() * blocks_.blocks_per_die() + in_die.value();
  if (blocks_[block].state != BlockState::Closed) return;
  const std::uint32_t group = blocks_.group_of(block);
  const SuperblockNumber victim = blocks_.superblocks().of(block);
  queue_.add(group, victim, blocks_.block_erases(blocks_.superblocks().member(victim, 0)));
  start_.victims()[group].active = true;
}

// A move gains no space, so garbage collection comes first.
Task<bool> Scrubber::begin(std::uint32_t group) {
  while (queue_.any(group) && blocks_.free_of_group(group) > start_.victims().low()) {
    const ScrubQueue::Entry weak = queue_.take(group);
    if (!start_.victims().all_closed(weak.victim) ||
        blocks_.block_erases(blocks_.superblocks().member(weak.victim, 0)) != weak.erases)
      continue;
    co_await start_.open_apart(group, weak.victim);
    ++start_.statistics().scrub_moves;
    start_.begin(*this, group, weak.victim, std::uint64_t{2} * start_.context().geometry.whole_units_per_program());
    co_return true;
  }
  co_return false;
}

}  // namespace flashloom
