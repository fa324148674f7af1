// Requests of files that lie in slots of a region: what the generators of storage engines and file systems share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "workloads/address_fit.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// Rooms of one size, a stride apart: over a zoned device one a zone.
struct SlotShape {
  std::uint64_t stride = 0;    ///< bytes from one's begin to the next one's
  std::uint64_t capacity = 0;  ///< bytes that one holds
  bool zones = false;          ///< freed by a zone reset, not by a trim

  std::uint64_t count(std::uint64_t bytes) const { return (bytes + capacity - 1) / capacity; }
};

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

/// The bytes [from, to) of a file, in its order, at most `chunk` a request. Calls f(request) for each.
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

/// A slot a zone of the device, else of so many bytes.
inline SlotShape slots_over(const DeviceSpace& space, std::uint64_t bytes) {
  if (space.zones.bytes == 0) return {.stride = bytes, .capacity = bytes};
  return {.stride = space.zones.bytes, .capacity = space.zones.capacity, .zones = true};
}

/// Gives the slot back to the device: a trim, or of a zone a reset.
inline Request freed(const SlotShape& shape, std::uint64_t slot) {
  Request request;
  request.kind = shape.zones ? RequestKind::ZoneReset : RequestKind::Trim;
  request.offset = slot * shape.stride;
  request.length = shape.zones ? 0 : shape.capacity;
  return request;
}

/// A file that ends within a zone finishes it, so that it is active no longer; true if it is such a file.
inline bool finishes(const SlotShape& shape, const std::vector<std::uint64_t>& slots, std::uint64_t bytes,
                     Request& request) {
  if (!shape.zones || bytes % shape.capacity == 0) return false;
  request = Request{};
  request.kind = RequestKind::ZoneFinish;
  request.offset = slots.back() * shape.stride;
  return true;
}

/// Splits the bytes that an application wrote over the writes that carry them, by length.
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
