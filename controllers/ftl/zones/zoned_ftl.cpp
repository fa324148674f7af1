#include "controllers/ftl/zones/zoned_ftl.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "controllers/ftl/mapping/block_scan.hpp"
#include "controllers/ftl/zones/zone_resolver.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {
namespace {

ZoneTable::Shape table_shape(const ZoneLayout& layout) {
  return {.zones = layout.zones(),
          .zone_size = layout.zone_units(),
          .capacity = layout.capacity_units(),
          .max_open = layout.max_open(),
          .max_active = layout.max_active(),
          .append_limit = 0,
          .random_area = layout.random_units(),
          .random_granule = layout.random_granule(),
          .max_random_areas = layout.max_random_areas()};
}

}  // namespace

ZonedFtl::ZonedFtl(const FtlContext& context)
    : MappedFtl(context),
      shape_(context_.config, context_.geometry, context_.media.endurance().limited()),
      table_(table_shape(shape_)),
      zones_(shape_.zones()),
      words_(layout_, shape_),
      programs_(tables(), words_),
      zone_blocks_(tables()),
      final_states_(tables(), words_, programs_, zone_blocks_),
      retirement_(tables(), zone_blocks_, final_states_),
      spill_(tables(), words_, programs_, zone_blocks_),
      replacement_(tables(), programs_, zone_blocks_),
      padding_(tables(), programs_, zone_blocks_, replacement_, retirement_),
      writer_(tables(), {.programs = programs_,
                         .zone_blocks = zone_blocks_,
                         .replacement = replacement_,
                         .padding = padding_,
                         .retirement = retirement_,
                         .spill = spill_}),
      resets_(
          tables(),
          {.zone_blocks = zone_blocks_, .final_states = final_states_, .retirement = retirement_, .spill = spill_}) {
  look_up_by_command();
  programmer_.map_by_program();
  blocks_.spare().let_ftl_end_life();  // the FTL takes zones away one by one
  for (FlashZone& zone : zones_) zone.blocks.assign(shape_.blocks_per_zone(), kNoBlockNumber);
}

ZonedTables ZonedFtl::tables() {
  return {.mapped = MappedFtl::tables(),
          .shape = shape_,
          .table = table_,
          .costs = costs_,
          .zones = zones_,
          .read_only = read_only_,
          .out_of_room = out_of_room_};
}

Task<void> ZonedFtl::write(WriteUnit& unit) {
  newest_version_ = std::max(newest_version_, unit.version);
  return writer_.write(unit);
}

Task<void> ZonedFtl::recover() {
  BlockScan scan(context_, blocks_, layout_);
  co_await scan.run();
  mounted_ = scan.report();
  programmer_.numbers().continue_after(scan.newest_sequence());
  retirement_.set_mounting(true);
  const ZoneResolver::Result found =
      ZoneResolver(tables(),
                   {.words = words_, .zone_blocks = zone_blocks_, .final_states = final_states_, .spill = spill_}, scan)
          .run();
  newest_version_ = found.newest_version;
  for (const auto& [zone, slot] : found.dirty) co_await replacement_.replace(zone, slot, Origin::Recovery);
  // Data not taken over must be erased before any reset, else a later power cut would bring them back. Data that a
  // recorded reset has ended must be erased before the record is.
  if (spill_.has_versions()) co_await zone_blocks_.until_erased(found.erases);
  co_await spill_.empty();
  co_await zone_blocks_.until_erased(found.erases);
  for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone)
    if (zones_[zone].gaps) co_await writer_.commit(zone, table_[zone].written);
  if (!final_states_.empty()) co_await final_states_.rewrite(Origin::Recovery);
  for (std::uint32_t zone = 0; zone < shape_.zones(); ++zone)
    if (table_[zone].state == ZoneState::ReadOnly &&
        table_[zone].written > zones_[zone].programmed * shape_.units_per_program())
      co_await writer_.finish(zone);
  for (std::uint32_t set = 0; set < shape_.sets(); ++set)
    for (std::uint32_t zone = shape_.zones(); zone-- > 0 && retirement_.lacks_blocks(set);)
      if (shape_.set_of(zone) == set && table_[zone].state == ZoneState::Empty) co_await retirement_.take_offline(zone);
  read_only_ = blocks_.spare().worn_down();
  if (read_only_) zone_blocks_.close_all();
  retirement_.set_mounting(false);
}

// Spills the units that a flush finds waiting.
Task<void> ZonedFtl::seal() {
  if (spill_.has_versions()) co_await resets_.before_areas();
  co_await spill_.spill(false);
  if (spill_.has_versions()) co_await spill_.spill(true);
}

Task<void> ZonedFtl::come_to_rest() {
  co_await seal();
  co_await programmer_.jobs().all_done();
}

// Trims are resets of whole zones.
Task<void> ZonedFtl::trim(std::uint32_t first, std::uint32_t count, std::uint64_t version) {
  newest_version_ = std::max(newest_version_, version);
  for (std::uint32_t number = first / shape_.zone_units(); number * shape_.zone_units() < first + count; ++number)
    co_await resets_.reset(number, version);
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
    if (spill_.has_versions()) archive(zone.area, zone.gaps, zone.generation);
    if (!archive.loading()) continue;
    zone.waiting.clear();
    for (const std::uint32_t slot : slots) zone.waiting.push_back(slot == kNothing ? nullptr : &front.write_unit(slot));
  }
  spill_.state(archive);
  final_states_.state(archive);
}

void ZonedFtl::check() const {
  MappedFtl::check();
  const std::uint32_t units_per_program = shape_.units_per_program();
  for (std::uint32_t number = 0; number < zones_.size(); ++number) {
    const FlashZone& zone = zones_[number];
    const std::uint32_t programmed = zone.programmed * units_per_program;
    for (std::uint32_t offset = 0; offset < shape_.zone_units(); ++offset) {
      const PhysicalUnit place = map_.get(number * shape_.zone_units() + offset);
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
