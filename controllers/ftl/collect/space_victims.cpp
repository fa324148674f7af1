#include "controllers/ftl/collect/space_victims.hpp"

#include <algorithm>

namespace flashloom {

SpaceVictims::SpaceVictims(VictimStart& start)
    : VictimSource({.units_moved = &start.statistics().units_moved}), start_(start), blocks_(start.blocks()) {}

bool SpaceVictims::wants(std::uint32_t group) const { return blocks_.free_of_group(group) <= start_.victims().low(); }

Task<bool> SpaceVictims::begin(std::uint32_t group) {
  const std::uint32_t number = blocks_.policies().collection(group).victim(start_.statistics().units_written);
  if (number == kNoBlock) co_return false;
  const Victims& victims = start_.victims();
  GcUnit victim = victims.of_number(group, number);
  std::uint32_t room = victims.room_of(victim);
  if (victims.most_taken_of(victim) >= room) {
    victim = start_.context().sizes == nullptr ? kNoBlockNumber : surest_victim(group);
    if (victim == kNoBlockNumber) co_return false;  // nothing to gain
    room = victims.room_of(victim);
  }
  ++start_.statistics().gc_runs;
  start_.begin_for_space(*this, group, victim, room);
  co_return true;
}

// With units of different sizes the policy ranks victims by the room that their data take now, but their copies may
// take more. This finds the victim with the largest guaranteed gain; one exists, since the blocks cannot all be full of
// whole units.
GcUnit SpaceVictims::surest_victim(std::uint32_t group) const {
  const GcUnit first = start_.victims().of_number(group, 0);
  GcUnit best = kNoBlockNumber;
  std::uint32_t most = 0;
  for (GcUnit victim = first; victim < first + blocks_.gc_units_of_group(); ++victim) {
    if (!start_.victims().all_closed(victim) || blocks_.in_slc_mode(blocks_.member(victim, 0))) continue;
    const std::uint32_t room = start_.victims().room_of(victim);
    const std::uint32_t gain = room - std::min(room, start_.victims().most_taken_of(victim));
    if (gain <= most) continue;
    most = gain;
    best = victim;
  }
  return best;
}

}  // namespace flashloom
