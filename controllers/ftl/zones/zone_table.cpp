#include "controllers/ftl/zones/zone_table.hpp"

#include <algorithm>
#include <utility>

namespace flashloom {

ZoneTable::ZoneTable(const Shape& shape) : shape_(shape), zones_(shape.zones) {}

// All changes of a zone's state go through here.
void ZoneTable::enter(std::uint32_t number, ZoneState state) {
  Zone& zone = zones_[number];
  if (zone.state == ZoneState::ImplicitlyOpened) implicit_.remove(number);
  open_ -= is_open(zone) ? 1 : 0;
  active_ -= is_active(zone) ? 1 : 0;
  zone.state = state;
  open_ += is_open(zone) ? 1 : 0;
  active_ += is_active(zone) ? 1 : 0;
  if (state == ZoneState::ImplicitlyOpened) implicit_.push_back(number);
  if (!is_active(zone) && std::exchange(zone.random_area, false)) {
    zone.area.clear();
    zone.releasing = true;
  }
}

void ZoneTable::settle(std::uint32_t number) {
  if (std::exchange(zones_[number].releasing, false)) --areas_;
}

IoStatus ZoneTable::writable(std::uint32_t number) const {
  switch (zones_[number].state) {
    case ZoneState::Full:
      return IoStatus::ZoneIsFull;
    case ZoneState::ReadOnly:
      return IoStatus::ZoneIsReadOnly;
    case ZoneState::Offline:
      return IoStatus::ZoneIsOffline;
    default:
      return IoStatus::Ok;
  }
}

// Takes the resources that a zone needs to become open.
IoStatus ZoneTable::take_resources(std::uint32_t number) {
  const bool active = is_active(zones_[number]);
  if (!active && active_ >= shape_.max_active) return IoStatus::TooManyActiveZones;
  if (open_ < shape_.max_open) return IoStatus::Ok;
  if (implicit_.empty()) return IoStatus::TooManyOpenZones;
  enter(implicit_.front(), ZoneState::Closed);
  ++statistics_.implicit_closes;
  return IoStatus::Ok;
}

IoStatus ZoneTable::open_implicitly(std::uint32_t number) {
  if (is_open(zones_[number])) return IoStatus::Ok;
  if (const IoStatus status = take_resources(number); status != IoStatus::Ok) return status;
  enter(number, ZoneState::ImplicitlyOpened);
  ++statistics_.implicit_opens;
  return IoStatus::Ok;
}

void ZoneTable::advance(std::uint32_t number, std::uint32_t written) {
  Zone& zone = zones_[number];
  for (std::uint32_t block = zone.written; block < written && zone.random_area; ++block)
    zone.area[block % zone.area.size()] = 0;
  zone.written = written;
  changed_.push_back(number);
  if (written != shape_.capacity) return;
  enter(number, ZoneState::Full);
  ++statistics_.filled;
}

void ZoneTable::note_in_area(Zone& zone, std::uint64_t begin, std::uint64_t end) {
  statistics_.area_blocks += end - begin;
  for (std::uint64_t block = begin; block < end; ++block)
    statistics_.overwritten_blocks += std::exchange(zone.area[block % zone.area.size()], std::uint8_t{1});
}

IoStatus ZoneTable::write(std::uint64_t first, std::uint64_t count) {
  changed_.clear();
  if (first >= blocks() || count > blocks() - first) return counted(IoStatus::OutOfRange);
  if (count == 0) return IoStatus::Ok;
  const std::uint32_t number = zone_of(first);
  Zone& zone = zones_[number];
  if (const IoStatus status = writable(number); status != IoStatus::Ok) return counted(status);
  const std::uint64_t pointer = start_of(number) + zone.written;
  const std::uint64_t end = first + count;
  if (zone.random_area ? first < pointer || end > pointer + 2 * std::uint64_t{shape_.random_area} : first != pointer)
    return counted(IoStatus::ZoneInvalidWrite);
  if (end > start_of(number) + shape_.capacity) return counted(IoStatus::ZoneBoundaryError);
  if (const IoStatus status = open_implicitly(number); status != IoStatus::Ok) return counted(status);
  ++statistics_.writes;
  if (zone.random_area) note_in_area(zone, first - start_of(number), end - start_of(number));
  if (!zone.random_area) {
    advance(number, static_cast<std::uint32_t>(end - start_of(number)));
  } else if (end > pointer + shape_.random_area) {
    // Implicit commit: as many granules as make room for the write; less than a granule only at the end of the zone.
    const std::uint64_t beyond = end - pointer - shape_.random_area;
    const std::uint64_t granules = (beyond + shape_.random_granule - 1) / shape_.random_granule;
    ++statistics_.implicit_commits;
    advance(number, static_cast<std::uint32_t>(
                        std::min<std::uint64_t>(zone.written + granules * shape_.random_granule, shape_.capacity)));
  }
  return IoStatus::Ok;
}

IoStatus ZoneTable::append(std::uint64_t start, std::uint64_t count, std::uint64_t& placed) {
  changed_.clear();
  if (start >= blocks()) return counted(IoStatus::OutOfRange);
  const std::uint32_t number = zone_of(start);
  if (start != start_of(number) || (shape_.append_limit != 0 && count > shape_.append_limit))
    return counted(IoStatus::InvalidField);
  if (count == 0) return IoStatus::Ok;
  if (zones_[number].random_area) return counted(IoStatus::InvalidZoneOperation);
  if (const IoStatus status = writable(number); status != IoStatus::Ok) return counted(status);
  const std::uint64_t written = zones_[number].written;
  if (written + count > shape_.capacity) return counted(IoStatus::ZoneBoundaryError);
  if (const IoStatus status = open_implicitly(number); status != IoStatus::Ok) return counted(status);
  ++statistics_.appends;
  placed = start + written;
  advance(number, static_cast<std::uint32_t>(written + count));
  return IoStatus::Ok;
}

// Reads may cross zone boundaries; unwritten blocks read as zeroes.
IoStatus ZoneTable::read(std::uint64_t first, std::uint64_t count) const {
  if (first >= blocks() || count > blocks() - first) return IoStatus::OutOfRange;
  if (count == 0) return IoStatus::Ok;
  for (std::uint32_t number = zone_of(first); number <= zone_of(first + count - 1); ++number)
    if (zones_[number].state == ZoneState::Offline) return IoStatus::ZoneIsOffline;
  return IoStatus::Ok;
}

// Applies a command to a single zone or, with kAll, to those that are `wanted`.
template <class Wanted, class Each>
IoStatus ZoneTable::manage(std::uint64_t start, Wanted wanted, Each each) {
  changed_.clear();
  if (start == kAll) {
    for (std::uint32_t number = 0; number < shape_.zones; ++number)
      if (wanted(zones_[number])) each(number);
    return IoStatus::Ok;
  }
  if (start >= blocks()) return counted(IoStatus::OutOfRange);
  const std::uint32_t number = zone_of(start);
  if (start != start_of(number)) return counted(IoStatus::InvalidField);
  return counted(each(number));
}

IoStatus ZoneTable::open_zone(std::uint32_t number, bool random_area) {
  Zone& zone = zones_[number];
  if (random_area && shape_.random_area == 0) return IoStatus::InvalidField;
  switch (zone.state) {
    case ZoneState::Empty:
    case ZoneState::Closed:
    case ZoneState::ImplicitlyOpened:
    case ZoneState::ExplicitlyOpened:
      break;
    default:
      return IoStatus::InvalidZoneStateTransition;
  }
  const bool allocates = random_area && !zone.random_area;
  if (allocates && zone.state != ZoneState::Empty) return IoStatus::InvalidZoneOperation;
  if (allocates && !zone.releasing && shape_.max_random_areas != 0 && areas_ >= shape_.max_random_areas)
    return IoStatus::NoRandomWriteArea;
  if (!is_open(zone))
    if (const IoStatus status = take_resources(number); status != IoStatus::Ok) return status;
  enter(number, ZoneState::ExplicitlyOpened);
  if (allocates) {
    areas_ += std::exchange(zone.releasing, false) ? 0 : 1;
    zone.random_area = zone.unordered = true;
    zone.area.assign(std::size_t{2} * shape_.random_area, 0);
    changed_.push_back(number);
  }
  ++statistics_.opens;
  return IoStatus::Ok;
}

// Opens all closed zones, or none.
IoStatus ZoneTable::open_all() {
  changed_.clear();
  std::vector<std::uint32_t> closed;
  for (std::uint32_t number = 0; number < shape_.zones; ++number)
    if (zones_[number].state == ZoneState::Closed) closed.push_back(number);
  const auto explicitly = open_ - static_cast<std::uint32_t>(implicit_.size());
  if (explicitly + closed.size() > shape_.max_open) return counted(IoStatus::TooManyOpenZones);
  for (const std::uint32_t number : closed) open_zone(number, false);
  return IoStatus::Ok;
}

IoStatus ZoneTable::open(std::uint64_t start, bool random_area) {
  if (start == kAll) return random_area ? counted(IoStatus::InvalidField) : open_all();
  const auto one = [&](std::uint32_t number) { return open_zone(number, random_area); };
  return manage(
      start, [](const Zone&) { return false; }, one);
}

IoStatus ZoneTable::close_zone(std::uint32_t number) {
  if (!is_active(zones_[number])) return IoStatus::InvalidZoneStateTransition;
  if (zones_[number].state != ZoneState::Closed) enter(number, ZoneState::Closed);
  ++statistics_.closes;
  return IoStatus::Ok;
}

IoStatus ZoneTable::close(std::uint64_t start) {
  const auto one = [this](std::uint32_t number) { return close_zone(number); };
  return manage(
      start, [this](const Zone& zone) { return is_open(zone); }, one);
}

IoStatus ZoneTable::finish_zone(std::uint32_t number) {
  const Zone& zone = zones_[number];
  if (zone.state == ZoneState::Full) return IoStatus::Ok;
  if (zone.state != ZoneState::Empty && !is_active(zone)) return IoStatus::InvalidZoneStateTransition;
  enter(number, ZoneState::Full);
  changed_.push_back(number);
  ++statistics_.finishes;
  return IoStatus::Ok;
}

IoStatus ZoneTable::finish(std::uint64_t start) {
  const auto one = [this](std::uint32_t number) { return finish_zone(number); };
  return manage(
      start, [this](const Zone& zone) { return is_active(zone); }, one);
}

IoStatus ZoneTable::reset_zone(std::uint32_t number) {
  Zone& zone = zones_[number];
  if (zone.state == ZoneState::Empty) return IoStatus::Ok;
  if (zone.state != ZoneState::Full && !is_active(zone)) return IoStatus::InvalidZoneStateTransition;
  enter(number, ZoneState::Empty);
  zone.written = 0;
  zone.unordered = false;
  changed_.push_back(number);
  ++statistics_.resets;
  return IoStatus::Ok;
}

IoStatus ZoneTable::reset(std::uint64_t start) {
  const auto one = [this](std::uint32_t number) { return reset_zone(number); };
  return manage(
      start, [this](const Zone& zone) { return zone.state == ZoneState::Full || is_active(zone); }, one);
}

IoStatus ZoneTable::offline(std::uint64_t start) {
  const auto one = [this](std::uint32_t number) {
    if (zones_[number].state == ZoneState::Offline) return IoStatus::Ok;
    if (zones_[number].state != ZoneState::ReadOnly) return IoStatus::InvalidZoneStateTransition;
    take_offline(number);
    return IoStatus::Ok;
  };
  return manage(
      start, [](const Zone& zone) { return zone.state == ZoneState::ReadOnly; }, one);
}

IoStatus ZoneTable::commit(std::uint64_t last) {
  changed_.clear();
  if (shape_.random_area == 0) return counted(IoStatus::InvalidZoneOperation);
  if (last >= blocks()) return counted(IoStatus::OutOfRange);
  const std::uint32_t number = zone_of(last);
  const Zone& zone = zones_[number];
  if (!zone.random_area) return counted(IoStatus::InvalidZoneOperation);
  const std::uint64_t pointer = start_of(number) + zone.written;
  const std::uint64_t end = last + 1;
  const bool whole =
      last >= pointer && ((end - pointer) % shape_.random_granule == 0 || end == start_of(number) + shape_.capacity);
  if (!whole || end > pointer + shape_.random_area || end > start_of(number) + shape_.capacity)
    return counted(IoStatus::InvalidField);
  if (const IoStatus status = open_implicitly(number); status != IoStatus::Ok) return counted(status);
  ++statistics_.commits;
  advance(number, static_cast<std::uint32_t>(end - start_of(number)));
  return IoStatus::Ok;
}

void ZoneTable::make_read_only(std::uint32_t zone) {
  enter(zone, ZoneState::ReadOnly);
  device_changes_.push_back(zone);
}

void ZoneTable::make_offline(std::uint32_t zone) {
  take_offline(zone);
  device_changes_.push_back(zone);
}

void ZoneTable::take_offline(std::uint32_t zone) {
  enter(zone, ZoneState::Offline);
  zones_[zone].written = 0;
  changed_.push_back(zone);
}

void ZoneTable::restore(std::uint32_t zone, std::uint32_t written, bool finished) {
  zones_[zone].written = written;
  const bool full = finished || written == shape_.capacity;
  enter(zone, full ? ZoneState::Full : written == 0 ? ZoneState::Empty : ZoneState::Closed);
}

ZoneDescriptor ZoneTable::describe(std::uint32_t number, std::uint32_t block_bytes) const {
  const Zone& zone = zones_[number];
  const bool pointed = zone.state == ZoneState::Empty || is_active(zone);
  ZoneDescriptor descriptor;
  descriptor.start = start_of(number) * block_bytes;
  descriptor.capacity = std::uint64_t{shape_.capacity} * block_bytes;
  descriptor.write_pointer = (start_of(number) + (pointed ? zone.written : shape_.zone_size)) * block_bytes;
  descriptor.state = zone.state;
  descriptor.random_write_area = zone.random_area;
  return descriptor;
}

std::uint32_t ZoneTable::count(ZoneState state) const {
  return static_cast<std::uint32_t>(
      std::count_if(zones_.begin(), zones_.end(), [state](const Zone& zone) { return zone.state == state; }));
}

void ZoneTable::state(StateArchive& archive) {
  archive.part("zones");
  std::vector<std::uint32_t> implicit(implicit_.begin(), implicit_.end());
  for (Zone& zone : zones_) archive(zone.state, zone.random_area, zone.unordered, zone.written);
  archive(implicit, open_, active_);
  if (archive.loading()) implicit_.assign(implicit.begin(), implicit.end());
  statistics_.each([&archive](auto&... counts) { archive(counts...); });
  if (shape_.random_area == 0) return;
  for (Zone& zone : zones_) archive(zone.releasing, zone.area);
  archive(areas_);
  statistics_.each_of_areas([&archive](auto&... counts) { archive(counts...); });
}

}  // namespace flashloom
