#include "controllers/ftl/zones/zone_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace flashloom {

ZoneWriter::ZoneWriter(const ZonePart& ftl, ZoneBlocks& zone_blocks, ZoneFailures& failures, SpillLog& spill)
    : ZonePart(ftl), zone_blocks_(zone_blocks), failures_(failures), spill_(spill) {}

std::uint32_t ZoneWriter::waiting_units() const {
  // Zones that are full in the table may still lack their last units. A random write area may hold twice its size
  // before its commit follows.
  return 2 * (shape_.max_active * (units_per_program_ - 1) + shape_.max_random_areas * shape_.random_units) + 1;
}

Task<void> ZoneWriter::write(WriteUnit& unit) {
  const std::uint32_t number = unit.unit / shape_.zone_units;
  FlashZone& zone = zones_[number];
  const std::uint32_t offset = offset_of(unit.unit);
  const std::uint32_t from = pending_from(zone);
  if (out_of_room_) {
    unit.refused = true;
    return Task<void>::over();
  }
  ++statistics_.units_written;
  ++statistics_.streams[0].units_written;
  if (offset < from) throw std::logic_error("a zone gets a unit that it has programmed");
  const std::uint32_t at = offset - from;
  if (zone.waiting.size() <= at) zone.waiting.resize(at + 1);
  if (WriteUnit* const older = zone.waiting[at]) older->listener->on_durable(*older, ProgramInstants{});
  zone.waiting[at] = &unit;
  if (zone.area) return Task<void>::over();  // until its commit
  // Without a random write area, units arrive in order.
  if (at != 0 && zone.waiting[at - 1] == nullptr && map_.get(unit.unit - 1) == kNoPhysicalUnit) {
    throw std::logic_error("a zone gets its units in another order than that of the writes");
  }
  return at + 1 == units_per_program_ ? program_next(number) : Task<void>::over();
}

// Programs the next program unit of a zone at its place.
Task<void> ZoneWriter::program_next(std::uint32_t number, std::uint32_t data_end) {
  FlashZone& zone = zones_[number];
  const std::uint32_t program = zone.programmed;
  const BlockNumber& block = zone.blocks[shape_.slot_of(program)];
  const std::uint32_t bad = blocks_.spare().bad_blocks();
  if (!zone.given_up.empty()) zone_blocks_.erase_given_up(zone);
  // One padding program unit marks a finish; the ones after it are optional.
  if (data_end != kNoEnd && program > data_end / units_per_program_) {
    const bool padded = co_await pad_program(number, shape_.slot_of(program));
    ++zone.programmed;
    if (padded && blocks_.spare().bad_blocks() != bad) co_await failures_.face_losses(number);
    co_return;
  }
  if (block == kNoBlockNumber || programmer_.failure_handler() != nullptr) {
    const bool goes_on = co_await failures_.prepare(number, shape_.slot_of(program));
    if (!goes_on) co_return refuse_last(zone);
  }
  const std::uint32_t first = first_unit(number) + program * units_per_program_;
  const auto there = [&](std::uint32_t at) {
    return (at < zone.waiting.size() && zone.waiting[at] != nullptr) || map_.get(first + at) != kNoPhysicalUnit;
  };
  bool any = false;
  for (std::uint32_t at = 0; at < units_per_program_; ++at) any = any || there(at);
  ProgramJob& job = zone_blocks_.begin(block, any ? Origin::Host : Origin::Padding);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) {
    WriteUnit* const unit = at < zone.waiting.size() ? zone.waiting[at] : nullptr;
    if (unit != nullptr) {
      zone_blocks_.place_home(job, *unit, zone);
    } else if (there(at)) {
      ++costs_.unspilled_units;
      ++statistics_.units_moved;
      zone_blocks_.copy_home(job, first + at, zone);
    } else if (program * units_per_program_ + at >= data_end) {
      zone_blocks_.pad_finish(job, number, shape_.slot_of(program));
    } else {
      zone_blocks_.zero_home(job, first + at, zone);
      ++costs_.holes;
      count_padded(1);
    }
  }
  zone.waiting.erase(zone.waiting.begin(),
                     zone.waiting.begin() + std::min<std::ptrdiff_t>(units_per_program_, std::ssize(zone.waiting)));
  ++zone.programmed;
  zone_blocks_.launch(job);
  failures_.release_replaced();
  spill_.release();
  if (blocks_.spare().bad_blocks() != bad) co_await failures_.face_losses(number);
}

// Refuses the unit that completed a program unit for which there is no place, so that its waiter is told.
void ZoneWriter::refuse_last(FlashZone& zone) {
  if (zone.waiting.size() < units_per_program_) return;
  if (WriteUnit* const unit = std::exchange(zone.waiting[units_per_program_ - 1], nullptr)) unit->refused = true;
}

Task<void> ZoneWriter::finish(std::uint32_t number) {
  FlashZone& zone = zones_[number];
  // Data in a random write area beyond the write pointer are programmed, too.
  std::uint32_t end = pending_from(zone) + static_cast<std::uint32_t>(zone.waiting.size());
  for (std::uint32_t offset = end; offset < shape_.capacity_units && offset < end + 2 * shape_.random_units; ++offset)
    if (map_.get(first_unit(number) + offset) != kNoPhysicalUnit) end = offset + 1;
  // At least one unit of padding tells a mount that the zone is full.
  const std::uint32_t all = shape_.programs_per_zone();
  const bool goes_on = table_[number].state != ZoneState::ReadOnly;
  const std::uint32_t programs = goes_on && shape_.pads_at_once ? all : std::min(end / units_per_program_ + 1, all);
  while (zone.programmed < programs && !out_of_room_) co_await program_next(number, end);
  zone.area = false;
  zone.padding = goes_on && shape_.pads_behind;
}

Task<void> ZoneWriter::commit(std::uint32_t number, std::uint32_t end) {
  FlashZone& zone = zones_[number];
  while (pending_from(zone) + units_per_program_ <= end && !out_of_room_) co_await program_next(number);
  zone.area = zone.area && end != shape_.capacity_units;
}

Task<bool> ZoneWriter::pad_program(std::uint32_t number, std::uint32_t slot) {
  const bool goes_on = co_await failures_.prepare_padding(number, slot);
  if (!goes_on) co_return false;
  ProgramJob& job = zone_blocks_.begin(zones_[number].blocks[slot], Origin::Padding);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) zone_blocks_.pad_finish(job, number, slot);
  zone_blocks_.launch(job);
  failures_.release_replaced();
  co_return true;
}

// The member's slot to pad next; none if all are full or failed, or no padding is wanted.
std::optional<std::uint32_t> ZoneWriter::slot_to_pad(std::uint32_t number, std::uint32_t member) const {
  const FlashZone& zone = zones_[number];
  if (!zone.padding || out_of_room_) return std::nullopt;
  for (std::uint32_t slot = member; slot < zone.blocks.size(); slot += shape_.members) {
    const BlockNumber block = zone.blocks[slot];
    const std::uint32_t pages = shape_.rows_of(slot, shape_.programs_per_zone()) * context_.geometry.program_pages;
    const bool room =
        block == kNoBlockNumber ? zone_blocks_.any_free() : !blocks_[block].failed && blocks_[block].allocated < pages;
    if (room) return slot;
  }
  return std::nullopt;
}

WaitList* ZoneWriter::before_room(std::uint32_t number, std::uint32_t slot) {
  const BlockNumber block = zones_[number].blocks[slot];
  const std::uint32_t die =
      block != kNoBlockNumber ? blocks_.die_of(block) : blocks_.die_of_bank(shape_.bank_of(number, slot));
  return programmer_.not_done(die) > 1 ? &blocks_.waits().events(die).durable : nullptr;
}

Task<bool> ZoneWriter::before_padding(std::uint32_t number, std::uint32_t member) {
  for (std::uint32_t passed = 0;; ++passed) {
    const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
    if (!slot) co_return false;
    WaitList* const done = before_room(number, *slot);
    if (done == nullptr || passed == kPatience) co_return true;
    co_await done->wait();
  }
}

Task<void> ZoneWriter::pad(std::uint32_t number, std::uint32_t member) {
  const std::optional<std::uint32_t> slot = slot_to_pad(number, member);
  if (!slot) co_return;
  const std::uint32_t bad = blocks_.spare().bad_blocks();
  co_await pad_program(number, *slot);
  if (blocks_.spare().bad_blocks() != bad) co_await failures_.face_losses(number);
}

Task<void> ZoneWriter::settled(std::uint32_t number) {
  FlashZone& zone = zones_[number];
  for (std::uint32_t slot = 0; slot < zone.blocks.size(); ++slot)
    while (zone.blocks[slot] != kNoBlockNumber &&
           blocks_[zone.blocks[slot]].durable != blocks_[zone.blocks[slot]].allocated)
      co_await blocks_.waits().events(blocks_.die_of(zone.blocks[slot])).durable.wait();
  co_await zone_blocks_.until_erased(zone.erasing);
}

}  // namespace flashloom
