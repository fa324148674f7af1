#include "controllers/ftl/zones/zoned_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/zones/zone_resolver.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

ZoneTable::Shape table_shape(const ZoneLayout& layout) {
  return {.zones = layout.zones,
          .zone_size = layout.zone_units,
          .capacity = layout.capacity_units,
          .max_open = layout.max_open,
          .max_active = layout.max_active,
          .append_limit = 0,
          .random_area = layout.random_units,
          .random_granule = layout.random_granule,
          .max_random_areas = layout.max_random_areas};
}

}  // namespace

ZonedFtl::ZonedFtl(const FtlContext& context)
    : MappedFtl(context),
      shape_(context_.config, context_.geometry, context_.media.endurance().limited()),
      table_(table_shape(shape_)),
      zones_(shape_.zones),
      zone_blocks_(part()),
      final_states_(part(), zone_blocks_),
      failures_(part(), zone_blocks_, final_states_),
      spill_(part(), zone_blocks_),
      writer_(part(), zone_blocks_, failures_, spill_) {
  look_up_by_command();
  programmer_.map_by_program();
  blocks_.spare().let_ftl_end_life();  // the FTL takes zones away one by one
  for (FlashZone& zone : zones_) zone.blocks.assign(shape_.blocks_per_zone(), kNoBlockNumber);
}

ZonePart ZonedFtl::part() { return {MappedFtl::part(), shape_, table_, costs_, zones_, read_only_, out_of_room_}; }

Task<void> ZonedFtl::write(WriteUnit& unit) {
  newest_version_ = std::max(newest_version_, unit.version);
  return writer_.write(unit);
}

Task<void> ZonedFtl::recover() {
  BlockScan scan(context_, blocks_, layout_);
  co_await scan.run();
  mounted_ = scan.report();
  programmer_.numbers().continue_after(scan.newest_sequence());
  failures_.set_mounting(true);
  const ZoneResolver::Result found = ZoneResolver(part(), zone_blocks_, final_states_, spill_, scan).run();
  newest_version_ = found.newest_version;
  for (const auto& [zone, slot] : found.dirty) co_await failures_.replace(zone, slot, Origin::Recovery);
  // Data not taken over must be erased before any reset, else a later power cut would bring them back. Data that a
  // recorded reset has ended must be erased before the record is.
  if (spills_versions()) co_await zone_blocks_.until_erased(found.erases);
  co_await spill_.empty();
  co_await zone_blocks_.until_erased(found.erases);
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone)
    if (zones_[zone].gaps) co_await writer_.commit(zone, table_[zone].written);
  if (!final_states_.empty()) co_await final_states_.rewrite(Origin::Recovery);
  for (std::uint32_t zone = 0; zone < shape_.zones; ++zone)
    if (table_[zone].state == ZoneState::ReadOnly &&
        table_[zone].written > zones_[zone].programmed * shape_.units_per_program)
      co_await writer_.finish(zone);
  for (std::uint32_t set = 0; set < shape_.sets; ++set)
    for (std::uint32_t zone = shape_.zones; zone-- > 0 && failures_.lacks_blocks(set);)
      if (shape_.set_of(zone) == set && table_[zone].state == ZoneState::Empty) co_await failures_.take_offline(zone);
  read_only_ = blocks_.spare().worn_down();
  if (read_only_) zone_blocks_.close_all();
  failures_.set_mounting(false);
}

// Spills the units that a flush finds waiting.
Task<void> ZonedFtl::seal() {
  if (spills_versions()) co_await before_areas();
  co_await spill_.spill(false);
  if (spills_versions()) co_await spill_.spill(true);
}

Task<void> ZonedFtl::come_to_rest() {
  co_await seal();
  co_await programmer_.jobs().all_done();
}

// Trims are resets of whole zones.
Task<void> ZonedFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  newest_version_ = std::max(newest_version_, version);
  for (std::uint32_t number = first / shape_.zone_units; number * shape_.zone_units < first + count; ++number)
    co_await reset(number, version);
}

Task<void> ZonedFtl::reset(std::uint32_t number, std::uint64_t version) {
  FlashZone& zone = zones_[number];
  const std::uint32_t first = number * shape_.zone_units;
  const Picoseconds written = co_await context_.hardware.map_write(1, first);
  co_await context_.hardware.cpu(FirmwareStep::MapUpdate, 1, written, first);
  for (WriteUnit* const unit : zone.waiting)
    if (unit != nullptr) unit->listener->on_durable(*unit, ProgramInstants{});
  zone.waiting.clear();
  bool data = false;
  const std::uint32_t end = first + shape_.capacity_units;
  for (std::uint32_t unit = first; unit < end; ++unit) data |= unmap(unit);
  zone.programmed = 0;
  zone.padding = false;
  zone.area = zone.gaps = false;
  zone.generation = version + 1;
  spill_.release();
  // Data from before the previous reset must be erased first: else a power cut would bring them back.
  co_await zone_blocks_.until_erased(zone.erasing);
  if (spills_versions() && std::exchange(zone.may_return, false)) co_await spill_.record_reset(number, version);
  zone.erasing.clear();
  for (BlockNumber& block : zone.blocks)
    if (const BlockNumber old = std::exchange(block, kNoBlockNumber); old != kNoBlockNumber)
      zone.given_up.push_back(old);
  // Padding alone does not show to which generation it belongs.
  zone.reset_unsafe = !zone.given_up.empty();
  const bool offline = table_[number].state == ZoneState::Offline;
  if (offline) co_await final_states_.record(number, FinalState::Offline);
  if (!shape_.erases_later || !data || offline) zone_blocks_.erase_given_up(zone);
  // Again: there may have been no erase unit for the record before.
  if (offline) co_await final_states_.record(number, FinalState::Offline);
  spill_.note_reset(zone);
  if ((zone.reset_unsafe || spill_.stale()) && safe_at_once_) co_await persist_trims();
  co_await failures_.face_losses(number);
}

// A zone whose first erase unit is erased counts as empty, whatever the other erase units hold.
Task<void> ZonedFtl::persist_trims() {
  if (spill_.stale()) co_await spill_.empty();
  // Nobody waits for units committed without having been written, so wait for their programs here.
  if (std::any_of(zones_.begin(), zones_.end(), [](const FlashZone& zone) { return zone.gaps; }))
    co_await programmer_.jobs().all_done();
  if (!shape_.erases_later) co_return;
  for (FlashZone& zone : zones_)
    if (zone.reset_unsafe) zone_blocks_.erase_first(zone);
  for (std::uint32_t number = 0; number < zones_.size(); ++number)
    if (!zones_[number].erasing.empty()) co_await writer_.settled(number);
}

// Data from before the zone's reset must be erased, and committed data be at their place, before a mount can find
// spilled units that follow them.
Task<void> ZonedFtl::before_areas() {
  const bool any = std::any_of(zones_.begin(), zones_.end(), [](const FlashZone& zone) {
    return zone.gaps &&
           std::any_of(zone.waiting.begin(), zone.waiting.end(), [](auto* unit) { return unit != nullptr; });
  });
  if (!any) co_return;
  co_await persist_trims();
  for (const FlashZone& zone : zones_)
    if (zone.gaps) co_await zone_blocks_.until_erased(zone.erasing);
}

void ZonedFtl::state(StateArchive& archive, FrontBuffer& front) {
  archive.part("zoned");
  archive(map_, blocks_, statistics_, newest_version_);
  table_.state(archive);
  costs_.each([&archive](auto&... counts) { archive(counts...); });
  programmer_.state(archive, front);
  for (FlashZone& zone : zones_) {
    constexpr std::uint32_t kNothing = ~std::uint32_t{0};
    std::vector<std::uint32_t> slots;
    for (const WriteUnit* const unit : zone.waiting) slots.push_back(unit == nullptr ? kNothing : unit->owner_slot);
    archive(zone.blocks, zone.given_up, zone.programmed, slots, zone.reset_unsafe, zone.may_return);
    if (spills_versions()) archive(zone.area, zone.gaps, zone.generation);
    if (!archive.loading()) continue;
    zone.waiting.clear();
    for (const std::uint32_t slot : slots) zone.waiting.push_back(slot == kNothing ? nullptr : &front.write_unit(slot));
  }
  spill_.state(archive);
  final_states_.state(archive);
}

void ZonedFtl::check() const {
  MappedFtl::check();
  const std::uint32_t units_per_program = shape_.units_per_program;
  for (std::uint32_t number = 0; number < zones_.size(); ++number) {
    const FlashZone& zone = zones_[number];
    const std::uint32_t programmed = zone.programmed * units_per_program;
    for (std::uint32_t offset = 0; offset < shape_.zone_units; ++offset) {
      const PhysicalUnit place = map_.get(number * shape_.zone_units + offset);
      if (place == kNoPhysicalUnit) continue;
      const BlockNumber block = blocks_.block_of(place);
      const std::uint32_t program = offset / units_per_program;
      const bool at_home = zone.blocks[shape_.slot_of(program)] == block &&
                           blocks_.offset_in_block(place, block) ==
                               shape_.row_of(program) * units_per_program + offset % units_per_program;
      const bool spilled = spill_.holds(block);
      if (offset < programmed ? !at_home : !spilled)
        throw std::logic_error("unit " + std::to_string(offset) + " of zone " + std::to_string(number) +
                               " does not lie at its place");
    }
  }
}

}  // namespace flashloom
