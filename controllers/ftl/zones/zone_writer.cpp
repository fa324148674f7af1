#include "controllers/ftl/zones/zone_writer.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace flashloom {

ZoneWriter::ZoneWriter(const ZonedTables& tables, const Parts& parts) : ZonePart(tables), parts_(parts) {}

std::uint32_t ZoneWriter::waiting_units() const {
  // Zones that are full in the table may still lack their last units. A random write area may hold twice its size
  // before its commit follows.
  return 2 * (shape_.max_active() * (units_per_program_ - 1) + shape_.max_random_areas() * shape_.random_units()) + 1;
}

Task<void> ZoneWriter::write(WriteUnit& unit) {
  const std::uint32_t number = unit.unit / shape_.zone_units();
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
  if (!zone.given_up.empty()) parts_.zone_blocks.erase_given_up(zone);
  // One padding program unit marks a finish; the ones after it are optional.
  if (data_end != kNoEnd && program > data_end / units_per_program_) {
    const bool padded = co_await parts_.padding.pad_program(number, shape_.slot_of(program));
    ++zone.programmed;
    if (padded && blocks_.spare().bad_blocks() != bad) co_await parts_.retirement.face_losses(number);
    co_return;
  }
  if (block == kNoBlockNumber || programmer_.failure_handler() != nullptr) {
    const bool goes_on = co_await parts_.replacement.prepare(number, shape_.slot_of(program));
    if (!goes_on) co_return refuse_last(zone);
  }
  const std::uint32_t first = first_unit(number) + program * units_per_program_;
  const auto there = [&](std::uint32_t at) {
    return (at < zone.waiting.size() && zone.waiting[at] != nullptr) || map_.get(first + at) != kNoPhysicalUnit;
  };
  bool any = false;
  for (std::uint32_t at = 0; at < units_per_program_; ++at) any = any || there(at);
  ProgramJob& job = parts_.programs.begin(block, any ? Origin::Host : Origin::Padding);
  for (std::uint32_t at = 0; at < units_per_program_; ++at) {
    WriteUnit* const unit = at < zone.waiting.size() ? zone.waiting[at] : nullptr;
    if (unit != nullptr) {
      parts_.programs.place_home(job, *unit, zone);
    } else if (there(at)) {
      ++costs_.unspilled_units;
      ++statistics_.units_moved;
      parts_.programs.copy_home(job, first + at, zone);
    } else if (program * units_per_program_ + at >= data_end) {
      parts_.programs.pad_finish(job, number, shape_.slot_of(program));
    } else {
      parts_.programs.zero_home(job, first + at, zone);
      ++costs_.holes;
      count_padded(1);
    }
  }
  zone.waiting.erase(zone.waiting.begin(),
                     zone.waiting.begin() + std::min<std::ptrdiff_t>(units_per_program_, std::ssize(zone.waiting)));
  ++zone.programmed;
  parts_.programs.launch(job);
  parts_.replacement.release_replaced();
  parts_.spill.release();
  if (blocks_.spare().bad_blocks() != bad) co_await parts_.retirement.face_losses(number);
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
  for (std::uint32_t offset = end; offset < shape_.capacity_units() && offset < end + 2 * shape_.random_units();
       ++offset)
    if (map_.get(first_unit(number) + offset) != kNoPhysicalUnit) end = offset + 1;
  // At least one unit of padding tells a mount that the zone is full.
  const std::uint32_t all = shape_.programs_per_zone();
  const bool goes_on = table_[number].state != ZoneState::ReadOnly;
  const std::uint32_t programs = goes_on && shape_.pads_at_once() ? all : std::min(end / units_per_program_ + 1, all);
  while (zone.programmed < programs && !out_of_room_) co_await program_next(number, end);
  zone.area = false;
  zone.padding = goes_on && shape_.pads_behind();
}

Task<void> ZoneWriter::commit(std::uint32_t number, std::uint32_t end) {
  FlashZone& zone = zones_[number];
  while (pending_from(zone) + units_per_program_ <= end && !out_of_room_) co_await program_next(number);
  zone.area = zone.area && end != shape_.capacity_units();
}

}  // namespace flashloom
