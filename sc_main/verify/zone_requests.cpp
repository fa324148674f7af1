#include "sc_main/verify/zone_requests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace flashloom {
namespace {

// Number of zones in use: few, so that they are filled, reset, and written again between cuts.
constexpr std::uint32_t kUsed = 6;

// The units of a zone that may be read. A read-only zone has no write pointer: all of its capacity counts.
std::uint32_t pointer(const ZoneTable& table, std::uint32_t zone) {
  const ZoneState state = table[zone].state;
  return state == ZoneState::Full || state == ZoneState::ReadOnly ? table.shape().capacity : table[zone].written;
}

int ended(const ZoneTable& table, std::uint32_t zone) {
  const ZoneState state = table[zone].state;
  return state == ZoneState::Offline ? 2 : state == ZoneState::ReadOnly ? 1 : 0;
}

// A random zone of the first kUsed that are not offline; zone 0 if all are.
std::uint32_t some_zone(Random& random, const ZoneTable& table) {
  std::vector<std::uint32_t> zones;
  for (std::uint32_t zone = 0; zone < table.shape().zones && zones.size() < kUsed; ++zone)
    if (table[zone].state != ZoneState::Offline) zones.push_back(zone);
  return zones.empty() ? 0 : zones[random.below(zones.size())];
}

}  // namespace

Request random_zone_request(Random& random, const Zones& zones) {
  const ZoneTable& table = zones.table();
  const ZoneTable::Shape& shape = table.shape();
  const std::uint64_t unit = zones.unit_bytes();
  const std::uint32_t number = some_zone(random, table);
  const ZoneTable::Zone& zone = table[number];
  const std::uint64_t start = table.start_of(number);
  Request request{.offset = start * unit};
  const std::uint64_t kind = random.below(100);
  const auto length = [&](std::uint64_t most) {
    const std::uint64_t units = 1 + random.below(random.chance(0.8) ? 4 : 64);
    return std::clamp<std::uint64_t>(units, 1, std::max<std::uint64_t>(most, 1)) * unit;
  };
  const std::uint64_t left = shape.capacity - zone.written;
  if (kind < 6) {
    request = {.kind = RequestKind::Flush};
  } else if (kind < 30 && !zone.random_area) {
    request.kind = RequestKind::ZoneAppend;
    request.length = length(left);
  } else if (kind < 62) {
    request.kind = RequestKind::Write;
    const std::uint64_t ahead = zone.random_area ? random.below(2 * shape.random_area) : random.chance(0.03) ? 1 : 0;
    request.offset += (zone.written + ahead) * unit;
    request.length = length(zone.random_area ? std::min<std::uint64_t>(2 * shape.random_area - ahead, left) : left);
  } else if (kind < 76) {
    request.kind = RequestKind::Read;
    const std::uint64_t at = random.below(shape.capacity);
    request.offset += at * unit;
    request.length = length(shape.capacity - at);
  } else if (kind < 84) {
    request.kind = RequestKind::ZoneReset;
    request.all_zones = random.chance(0.05);
  } else if (kind < 88) {
    request.kind = RequestKind::ZoneFinish;
  } else if (kind < 93) {
    request.kind = RequestKind::ZoneOpen;
    request.random_write_area = shape.random_area != 0 && random.chance(0.7);
  } else if (kind < 95) {
    request.kind = RequestKind::ZoneClose;
    request.all_zones = random.chance(0.3);
  } else if (kind < 98 && zone.random_area) {
    request.kind = RequestKind::ZoneCommit;
    request.offset += (zone.written + random.below(shape.random_area)) * unit;
  } else {
    request.kind = random.chance(0.5) ? RequestKind::ZoneReport : RequestKind::ZoneOffline;
  }
  const bool writes = request.kind == RequestKind::Write || request.kind == RequestKind::ZoneAppend;
  request.fua = writes && random.chance(0.1);
  return request;
}

void SafePointers::after(const Zones& zones, bool all_durable) {
  const ZoneTable& table = zones.table();
  written_.resize(table.shape().zones);
  for (std::uint32_t zone = 0; zone < written_.size(); ++zone)
    written_[zone] = all_durable ? pointer(table, zone) : std::min(written_[zone], pointer(table, zone));
}

void SafePointers::note_ended(const Zones& zones) {
  ended_.resize(zones.table().shape().zones);
  for (std::uint32_t zone = 0; zone < ended_.size(); ++zone)
    ended_[zone] = std::max(ended_[zone], ended(zones.table(), zone));
}

std::string SafePointers::check(const Zones& zones) const {
  // A worn-out device, all of whose zones have ended, may have had no room to record these states.
  const ZoneTable& table = zones.table();
  const bool all = table.count(ZoneState::ReadOnly) + table.count(ZoneState::Offline) == table.shape().zones;
  for (std::uint32_t zone = 0; zone < ended_.size() && !all; ++zone)
    if (ended(table, zone) < ended_[zone])
      return fmt::format("zone {} was {} and is not any more", zone, ended_[zone] == 1 ? "read-only" : "offline");
  for (std::uint32_t zone = 0; zone < written_.size(); ++zone)
    if (pointer(table, zone) < written_[zone])
      return fmt::format("the write pointer of zone {} has gone back to {}, and {} units were confirmed", zone,
                         pointer(table, zone), written_[zone]);
  return {};
}

}  // namespace flashloom
