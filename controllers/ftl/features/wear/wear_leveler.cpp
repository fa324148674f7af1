#include "controllers/ftl/features/wear/wear_leveler.hpp"

namespace flashloom {

WearLeveler::WearLeveler(Collector& collector)
    : VictimSource(collector,
                   {.origin = Origin::Wear, .apart = true, .units_moved = &collector.statistics().units_leveled}) {}

// Not while another victim is being collected, such as one begun because its copies had to fill a waiting program unit.
bool WearLeveler::wants(std::uint32_t group) const {
  return !collector_.victims()[group].any() && blocks_.free_of_group(group) > collector_.victims().kept();
}

Task<bool> WearLeveler::begin(std::uint32_t group) {
  const std::uint32_t number = blocks_.policies().leveling(group).to_move();
  if (number == kNoBlock) co_return false;
  const GcUnit victim = collector_.victims().of_number(group, number);
  co_await collector_.open_apart(group, victim);
  ++statistics_.wear_moves;
  collector_.begin(*this, group, victim, collector_.slow_pace());
  co_return true;
}

}  // namespace flashloom
