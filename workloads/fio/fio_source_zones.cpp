// FioSource with zonemode=zbd.
#include <utility>

#include "workloads/fio/fio_source.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kTrimDirection = 2;

}  // namespace

bool FioSource::place_in_zone(File& file, std::size_t d, Place& place, std::uint64_t& bytes) {
  const std::uint64_t base = file.place.offset + file.window;
  const std::optional<FioZones::Place> found = file.zones->adjust(d, {.at = base + place.at, .length = bytes});
  if (!found) return false;
  zone_place_ = *found;
  place.at = found->at - base;
  bytes = found->length;
  return bytes != 0;
}

// Returns false if there is nothing to send: a trim of an empty zone, or of zones that only fio keeps.
bool FioSource::send_to_zone(Request& request, File& file, std::size_t d, const Place& place, std::uint64_t bytes) {
  send(request, file, d, place, bytes);
  file.zones->sent(d, zone_place_.at, bytes);
  pace_.drain = pace_.drain || zone_place_.drain;
  if (zone_place_.after) pace_.after = file.place.begin + *zone_place_.after;
  if (request.kind == RequestKind::ZoneAppend) request.offset = file.place.begin + file.zones->start_of(zone_place_.at);
  if (!zone_place_.reset) return d != kTrimDirection;
  if (d != kTrimDirection) {
    after_reset_ = request;
    pace_.goes_on = true;
  }
  // fio resets a zone by a blocking call, after the job's requests in flight have completed.
  request.kind = RequestKind::ZoneReset;
  request.offset = file.place.begin + *zone_place_.reset;
  request.length = 0;
  request.fua = false;
  request.directive = RequestDirective::None;
  request.identifier = 0;
  pace_.drain = pace_.alone = true;
  return true;
}

bool FioSource::next_after_reset(Request& request) {
  request = std::exchange(after_reset_, Request{});
  pace_ = Pace{};
  return true;
}

}  // namespace flashloom
