#include "controllers/ftl/zones/zone_resets.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace flashloom {

ZoneResets::ZoneResets(const ZonedTables& tables, const Parts& parts) : ZonePart(tables), parts_(parts) {}

Task<void> ZoneResets::reset(std::uint32_t number, std::uint64_t version) {
  FlashZone& zone = zones_[number];
  const Picoseconds written = co_await context_.hardware.map_write(1, first_unit(number));
  co_await context_.hardware.cpu(FirmwareStep::MapUpdate, 1, written, first_unit(number));
  for (WriteUnit* const unit : zone.waiting)
    if (unit != nullptr) unit->listener->on_durable(*unit, ProgramInstants{});
  zone.waiting.clear();
  bool data = false;
  const std::uint32_t end = first_unit(number) + shape_.capacity_units();
  for (std::uint32_t unit = first_unit(number); unit < end; ++unit) {
    data = data || map_.get(unit) != kNoPhysicalUnit;
    unmap(unit);
  }
  zone.programmed = 0;
  zone.padding = false;
  zone.area = zone.gaps = false;
  zone.generation = version + 1;
  parts_.spill.release();
  // Data from before the previous reset must be erased first: else a power cut would bring them back.
  co_await parts_.zone_blocks.until_erased(zone.erasing);
  if (parts_.spill.has_versions() && std::exchange(zone.may_return, false))
    co_await parts_.spill.record_reset(number, version);
  zone.erasing.clear();
  for (BlockNumber& block : zone.blocks)
    if (const BlockNumber old = std::exchange(block, kNoBlockNumber); old != kNoBlockNumber)
      zone.given_up.push_back(old);
  // Padding alone does not show to which generation it belongs.
  zone.reset_unsafe = !zone.given_up.empty();
  const bool offline = table_[number].state == ZoneState::Offline;
  if (offline) co_await parts_.final_states.record(number, FinalState::Offline);
  if (!shape_.erases_later() || !data || offline) parts_.zone_blocks.erase_given_up(zone);
  // Again: there may have been no erase unit for the record before.
  if (offline) co_await parts_.final_states.record(number, FinalState::Offline);
  parts_.spill.note_reset(zone);
  if ((zone.reset_unsafe || parts_.spill.stale()) && safe_at_once_) co_await persist();
  co_await parts_.retirement.face_losses(number);
}

void ZoneResets::unmap(std::uint32_t unit) {
  const PhysicalUnit place = map_.get(unit);
  if (place == kNoPhysicalUnit) return;
  blocks_.invalidate(place, age());
  map_.clear(unit);
  ++statistics_.units_trimmed;
}

// A zone whose first erase unit is erased counts as empty, whatever the other erase units hold.
Task<void> ZoneResets::persist() {
  if (parts_.spill.stale()) co_await parts_.spill.empty();
  // Nobody waits for units committed without having been written, so wait for their programs here.
  if (std::any_of(zones_.begin(), zones_.end(), [](const FlashZone& zone) { return zone.gaps; }))
    co_await programmer_.jobs().all_done();
  if (!shape_.erases_later()) co_return;
  for (FlashZone& zone : zones_)
    if (zone.reset_unsafe) parts_.zone_blocks.erase_first(zone);
  for (std::uint32_t number = 0; number < zones_.size(); ++number)
    if (!zones_[number].erasing.empty()) co_await settled(number);
}

// Data from before the zone's reset must be erased, and committed data be at their place, before a mount can find
// spilled units that follow them.
Task<void> ZoneResets::before_areas() {
  const bool any = std::any_of(zones_.begin(), zones_.end(), [](const FlashZone& zone) {
    return zone.gaps &&
           std::any_of(zone.waiting.begin(), zone.waiting.end(), [](auto* unit) { return unit != nullptr; });
  });
  if (!any) co_return;
  co_await persist();
  for (const FlashZone& zone : zones_)
    if (zone.gaps) co_await parts_.zone_blocks.until_erased(zone.erasing);
}

Task<void> ZoneResets::settled(std::uint32_t number) {
  FlashZone& zone = zones_[number];
  for (std::uint32_t slot = 0; slot < zone.blocks.size(); ++slot)
    while (zone.blocks[slot] != kNoBlockNumber &&
           blocks_[zone.blocks[slot]].durable != blocks_[zone.blocks[slot]].allocated)
      co_await blocks_.waits().events(blocks_.die_of(zone.blocks[slot])).durable.wait();
  co_await parts_.zone_blocks.until_erased(zone.erasing);
}

}  // namespace flashloom
