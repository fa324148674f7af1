// Requests of files that lie in slots of a region, for the generators of storage engines and file systems.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Slots of one size at a fixed stride; on a zoned device each slot is a zone.
struct SlotShape {
  std::uint64_t stride = 0;    ///< bytes from the start of a slot to the start of the next one
  std::uint64_t capacity = 0;  ///< bytes that a slot holds
  bool zones = false;          ///< slots are zones: freed by a zone reset, not by a trim

  std::uint64_t count(std::uint64_t bytes) const { return (bytes + capacity - 1) / capacity; }
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// Splits the bytes [from, to) of a file into requests of at most `chunk` bytes, in the order of the file, and calls
/// f(request) for each.
template <class F>
void for_each_piece(const SlotShape& shape, const std::vector<std::uint64_t>& slots, RequestKind kind,
                    std::uint64_t from, std::uint64_t to, std::uint64_t chunk, F&& f) {
  while (from < to) {
    const std::uint64_t in_slot = from % shape.capacity;
    Request request;
    request.kind = kind;
    request.offset = slots[from / shape.capacity] * shape.stride + in_slot;
    request.length = std::min({chunk, to - from, shape.capacity - in_slot});
    from += request.length;
    f(request);
  }
}

/// One slot per zone on a zoned device, else slots of `bytes` each.
inline SlotShape slots_over(const DeviceSpace& space, std::uint64_t bytes) {
  if (space.zones.bytes == 0) return {.stride = bytes, .capacity = bytes};
  return {.stride = space.zones.bytes, .capacity = space.zones.capacity, .zones = true};
}

/// The request that frees a slot on the device: a trim, or the reset of a zone.
inline Request freed(const SlotShape& shape, std::uint64_t slot) {
  Request request;
  request.kind = shape.zones ? RequestKind::ZoneReset : RequestKind::Trim;
  request.offset = slot * shape.stride;
  request.length = shape.zones ? 0 : shape.capacity;
  return request;
}

/// If a file of `bytes` ends within a zone, puts the command that finishes this zone into `request`, so that the zone
/// is no longer active. Returns whether it did.
inline bool finishes(const SlotShape& shape, const std::vector<std::uint64_t>& slots, std::uint64_t bytes,
                     Request& request) {
  if (!shape.zones || bytes % shape.capacity == 0) return false;
  request = Request{};
  request.kind = RequestKind::ZoneFinish;
  request.offset = slots.back() * shape.stride;
  return true;
}

/// Divides the bytes that an application wrote among the writes that carry them, in proportion to their lengths.
inline void share_application_bytes(std::vector<Request>& writes, std::uint64_t bytes) {
  std::uint64_t length = 0;
  for (const Request& write : writes) length += write.kind == RequestKind::Write ? write.length : 0;
  std::uint64_t given = 0;
  std::uint64_t done = 0;
  for (Request& write : writes) {
    if (write.kind != RequestKind::Write) continue;
    done += write.length;
    const auto upto = static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(done) /
                                                 static_cast<double>(length));
    const std::uint64_t up = done == length ? bytes : upto;
    write.application_bytes = static_cast<std::uint32_t>(up - given);
    given = up;
  }
}

}  // namespace flashloom
