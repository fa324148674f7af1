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

/// Zones of a device, one behind the other.
struct ZoneSpace {
  std::uint64_t bytes = 0;      ///< from the begin of one to that of the next; 0: the device has none
  std::uint64_t capacity = 0;   ///< bytes of one that can be written
  std::uint32_t max_open = 0;   ///< zones; 0: no limit
  std::uint32_t max_active = 0; ///< zones; 0: no limit
  std::uint64_t random_area = 0;     ///< bytes of a zone's random write area; 0: there are none
  std::uint64_t random_granule = 0;  ///< bytes of which multiples of it are committed
  std::vector<std::uint64_t> written{};  ///< bytes in each zone before the workload begins; none: all are empty
};

struct DeviceSpace {
  std::uint64_t capacity = 0;       ///< bytes; what lies beyond the last whole sector is not used
  std::uint32_t sector_size = 512;  ///< bytes
  /// Bytes of each namespace, one behind the other, of which `capacity` is the first; none: the device has no others.
  std::vector<std::uint64_t> namespaces{};
  ZoneSpace zones{};
  /// Placement identifiers of flexible data placement, in the order in which the device lists them; empty: it has none;
  /// nothing: nobody knows the device.
  std::optional<std::vector<std::uint16_t>> placement_identifiers{};
};

/// Opens the same source anew, from its beginning.
using SourceOpener = std::function<std::unique_ptr<RequestSource>()>;

/// A source with offsets aligned down and ends aligned up to sectors, inside the device. Scale reads the source once
/// beforehand for its extent, so `open` may be called twice. Throws WorkloadError, here or from next(); a request
/// larger than the device is an error in every mode. Flushes pass unchanged.
std::unique_ptr<RequestSource> fit_addresses(const SourceOpener& open, const DeviceSpace& device, AddressFit mode);

}  // namespace flashloom
