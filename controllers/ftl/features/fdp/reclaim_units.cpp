#include "controllers/ftl/features/fdp/reclaim_units.hpp"

#include <algorithm>

#include "controllers/ftl/features/fdp/handles/fdp_events.hpp"
#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/ftl/ftl_config.hpp"
#include "controllers/hardware/hardware.hpp"
#include "models/nand/nand_media.hpp"

namespace flashloom {

ReclaimUnits::ReclaimUnits(const FtlContext& context, BlockTable& blocks, Programmer& programmer, OpenBlocks& open,
                           FtlStatistics& statistics)
    : context_(context),
      blocks_(blocks),
      programmer_(programmer),
      open_(open),
      host_(open.host()),
      statistics_(statistics),
      units_(host_.host_streams()) {}

bool ReclaimUnits::has_handle(PlacementId placement) const {
  return placement.directive == Directive::DataPlacement &&
         reclaim_stream(context_.config.fdp, placement.identifier).has_value();
}

void ReclaimUnits::note_invalid(PlacementId placement, std::uint32_t unit) {
  note_fdp_event(context_, statistics_,
                 {.type = FdpEventType::InvalidIdentifier,
                  .stream = default_reclaim_stream(context_.config.fdp, unit),
                  .identifier = placement.identifier,
                  .unit = unit});
}

void ReclaimUnits::update(PlacementId placement) {
  ++statistics_.fdp.handle_updates;
  if (!blocks_.spare().worn_down())
    move_on(*reclaim_stream(context_.config.fdp, placement.identifier), FdpEventType::UnitNotFull);
}

// The mount closed these reclaim units, including those of copies, and the handles continue in others. Units left partly
// written by an earlier handle update look the same; a unit of several superblocks that was left between two of them
// looks full.
void ReclaimUnits::recovered() {
  const auto half_full = [this](BlockNumber member) {
    return blocks_[member].state == BlockState::Closed &&
           context_.media.write_pointer(Die{blocks_.die_of(member)}, Block{blocks_.block_of_die(member)}) <
               context_.geometry.pages;
  };
  std::vector<bool> reset(host_.host_streams());
  for (GcUnit unit = 0; unit < blocks_.gc_unit_count(); ++unit)
    for (const BlockNumber member : blocks_.members_of(unit))
      if (half_full(member) && blocks_[member].stream < reset.size()) reset[blocks_[member].stream] = true;
  for (std::uint32_t stream = 0; stream < reset.size(); ++stream)
    if (reset[stream]) note_fdp_event(context_, statistics_, {.type = FdpEventType::ResetHandles, .stream = stream});
}

// A host-data stream has opened a superblock (block): the next one of its reclaim unit, or the first of another unit.
// All of a unit lies in one group, so a group that was temporarily full ends the unit.
void ReclaimUnits::opened(std::uint32_t stream, std::uint32_t group) {
  if (stream >= host_.host_streams()) return;
  const FdpConfig& fdp = context_.config.fdp;
  Unit& unit = units_[stream];
  const bool whole = unit.superblocks == 0 || unit.superblocks == fdp.unit_superblocks;
  if (!whole && unit.group == group) {
    ++unit.superblocks;
    return;
  }
  unit = {.superblocks = 1, .group = group, .begun = context_.hardware.now()};
  ++statistics_.streams[stream].reclaim_units;
  if (!whole || group != reclaim_group(fdp, stream))
    note_fdp_event(context_, statistics_, {.type = FdpEventType::ImplicitlyModified, .stream = stream});
}

std::uint64_t ReclaimUnits::open_room(std::uint32_t stream) const {
  std::uint64_t pages = 0;
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
    const BlockNumber block = host_.at(stream, bank);
    if (block != kNoBlockNumber) pages += blocks_.pages_of(block) - blocks_[block].allocated;
  }
  const std::uint64_t units = pages * context_.geometry.whole_units_per_page;
  return units + (host_.job(stream) == nullptr ? 0 : programmer_.jobs().room(*host_.job(stream)));
}

ReclaimRoom ReclaimUnits::room(std::uint32_t stream) const {
  const FdpConfig& fdp = context_.config.fdp;
  const Unit& unit = units_[stream];
  ReclaimRoom room{.units = open_room(stream)};
  if (unit.superblocks != 0)
    room.units +=
        (fdp.unit_superblocks - unit.superblocks) * reclaim_superblock_units(context_.config, context_.geometry);
  if (room.units != 0 && fdp.unit_time_limit != 0)
    room.time = fdp.unit_time_limit - std::min(age_of(unit), fdp.unit_time_limit);
  return room;
}

// No time passes on the instant clock.
Picoseconds ReclaimUnits::age_of(const Unit& unit) const {
  const Picoseconds now = context_.hardware.now();
  return now - std::min(now, unit.begun);
}

void ReclaimUnits::leave_late(std::uint32_t stream) {
  const Unit& unit = units_[stream];
  if (unit.superblocks != 0 && age_of(unit) > context_.config.fdp.unit_time_limit)
    move_on(stream, FdpEventType::TimeLimit);
}

void ReclaimUnits::move_on(std::uint32_t stream, FdpEventType why) {
  const std::uint64_t left = room(stream).units;
  if (left != 0) {
    note_fdp_event(context_, statistics_, {.type = why, .stream = stream});
    statistics_.fdp.room_left += left;
  }
  units_[stream].superblocks = 0;
  if (host_.job(stream) != nullptr) host_.seal(stream);
  if (programmer_.redundancy() != nullptr) return fill_up(stream);
  for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
    const BlockNumber& block = host_.at(stream, bank);
    while (block != kNoBlockNumber && programmer_.exposed().possible() && programmer_.exposed().wants_padding(block))
      host_.pad(stream, block);
    if (block == kNoBlockNumber) continue;
    const BlockNumber half_full = block;
    host_.close(stream, half_full);
    blocks_.programs().retire_if_done(half_full);
  }
  open_.data_programmed();
}

// With parity over dies a superblock is never left partly written: its parity is in separate members, which are closed
// with the last stripe.
void ReclaimUnits::fill_up(std::uint32_t stream) {
  for (bool any = true; any;) {
    any = false;
    for (std::uint32_t bank = 0; bank < blocks_.banks(); ++bank) {
      const BlockNumber& block = host_.at(stream, bank);
      if (block == kNoBlockNumber || !programmer_.redundancy()->in_turn(block)) continue;
      host_.pad(stream, block);
      any = true;
    }
  }
}

}  // namespace flashloom
