// Fits the requests of a source to a device: whole sectors, and addresses within its capacity.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/request.hpp"

namespace flashloom {

/// What to do with a request that ends beyond the device.
enum class AddressFit : std::uint8_t {
  Error,  ///< WorkloadError that names the request and its line
  Wrap,   ///< offset modulo the capacity; one that would cross the end begins earlier, so that it ends there
  Scale,  ///< all offsets times capacity / extent of the source, if the source extends beyond the device at all
};

struct DeviceSpace {
  std::uint64_t capacity = 0;       ///< bytes; what lies beyond the last whole sector is not used
  std::uint32_t sector_size = 512;  ///< bytes
  /// Bytes of each namespace, one behind the other, of which `capacity` is the first; none: the device has no others.
  std::vector<std::uint64_t> namespaces{};
  /// Placement identifiers of flexible data placement, in the order in which the device lists them; empty: it has none;
  /// nothing: nobody knows the device.
  std::optional<std::vector<std::uint16_t>> placement_identifiers{};
  // Of a device with zones: bytes from one to the next, and of each that can be written; zones open at a time.
  std::uint64_t zone_size = 0;  ///< 0: it has none
  std::uint64_t zone_capacity = 0;
  std::uint32_t zones_open = 0;
};

/// Opens the same source anew, from its beginning.
using SourceOpener = std::function<std::unique_ptr<RequestSource>()>;

/// A source with offsets aligned down and ends aligned up to sectors, inside the device. Scale reads the source once
/// beforehand for its extent, so `open` may be called twice. Throws WorkloadError, here or from next(); a request
/// larger than the device is an error in every mode. Flushes pass unchanged.
std::unique_ptr<RequestSource> fit_addresses(const SourceOpener& open, const DeviceSpace& device, AddressFit mode);

}  // namespace flashloom
