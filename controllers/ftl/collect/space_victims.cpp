#include "controllers/ftl/collect/space_victims.hpp"

#include <algorithm>

namespace flashloom {

SpaceVictims::SpaceVictims(VictimStart& start)
    : VictimSource({.units_moved = &start.statistics().units_moved}), start_(start), blocks_(start.blocks()) {}

bool SpaceVictims::wants(std::uint32_t group) const { return blocks_.free_of_group(group) <= start_.victims().low(); }

Task<bool> SpaceVictims::begin(std::uint32_t group) {
  const std::uint32_t number = blocks_.policies().collection(group).victim(start_.statistics().units_written);
  if (number == kNoBlock) co_return false;
  SuperblockNumber victim = start_.victims().of_number(group, number);
  std::uint32_t room = room_of(blocks_, victim);
  if (most_taken_of(blocks_, victim) >= room) {
    victim = start_.context().sizes == nullptr ? kNoBlockNumber : surest_victim(group);
    if (victim == kNoBlockNumber) co_return false;  // nothing to gain
    room = room_of(blocks_, victim);
  }
  ++start_.statistics().gc_runs;
  start_.begin_for_space(*this, group, victim, room);
  co_return true;
}

// With units of different sizes the policy ranks victims by the room that their data take now, but their copies may
// take more. This finds the victim with the largest guaranteed gain; one exists, since the blocks cannot all be full of
// whole units.
SuperblockNumber SpaceVictims::surest_victim(std::uint32_t group) const {
  const Superblocks& all = blocks_.superblocks();
  const std::uint32_t first = group * all.per_group();
  SuperblockNumber best = kNoBlockNumber;
  std::uint32_t most = 0;
  for (SuperblockNumber victim = first; victim < first + all.per_group(); ++victim) {
    if (!start_.victims().all_closed(victim) || blocks_.in_slc_mode(all.member(victim, 0))) continue;
    const std::uint32_t room = room_of(blocks_, victim);
    const std::uint32_t gain = room - std::min(room, most_taken_of(blocks_, victim));
    if (gain <= most) continue;
    most = gain;
    best = victim;
  }
  return best;
}

}  // namespace flashloom
