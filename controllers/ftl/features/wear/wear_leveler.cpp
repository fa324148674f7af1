#include "controllers/ftl/features/wear/wear_leveler.hpp"

namespace flashloom {

WearLeveler::WearLeveler(VictimStart& start)
    : VictimSource({.origin = Origin::Wear, .apart = true, .units_moved = &start.statistics().units_leveled}),
      start_(start),
      blocks_(start.blocks()) {}

// Not while another victim is being collected, such as one begun because its copies had to fill a waiting program unit.
bool WearLeveler::wants(std::uint32_t group) const {
  return !start_.victims()[group].any() && blocks_.free_of_group(group) > start_.victims().kept();
}

Task<bool> WearLeveler::begin(std::uint32_t group) {
  const std::uint32_t number = blocks_.policies().leveling(group).to_move();
  if (number == kNoBlock) co_return false;
  const GcUnit victim = start_.victims().of_number(group, number);
  co_await start_.open_apart(group, victim);
  ++start_.statistics().wear_moves;
  start_.begin(*this, group, victim, start_.slow_pace());
  co_return true;
}

}  // namespace flashloom
