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
  Error,  ///< throw a WorkloadError that names the request and its line
  Wrap,   ///< offset modulo the capacity; a request that would cross the end is moved down to end there
  Scale,  ///< all offsets times capacity / extent of the source, if the source extends beyond the device
};

/// Consecutive zones of a device.
struct ZoneSpace {
  std::uint64_t bytes = 0;           ///< zone size: from one zone's start to the next one's; 0: the device has no zones
  std::uint64_t capacity = 0;        ///< writable bytes of a zone
  std::uint32_t max_open = 0;        ///< zones; 0: no limit
  std::uint32_t max_active = 0;      ///< zones; 0: no limit
  std::uint64_t random_area = 0;     ///< bytes of a zone's random write area; 0: zones have none
  std::uint64_t random_granule = 0;  ///< bytes; a commit of a random write area covers a multiple of this
  std::vector<std::uint64_t> written{};  ///< bytes in each zone before the workload begins; empty: all zones are empty
};

struct DeviceSpace {
  std::uint64_t capacity = 0;       ///< bytes; the part beyond the last whole sector is not used
  std::uint32_t sector_size = 512;  ///< bytes
  /// Bytes of each namespace, in order; the first one's are `capacity`. Empty: the device has no further namespaces.
  std::vector<std::uint64_t> namespaces{};
  ZoneSpace zones{};
  /// Placement identifiers of flexible data placement, in the device's order; empty: the device has none; nullopt: the
  /// device is not known.
  std::optional<std::vector<std::uint16_t>> placement_identifiers{};
};

/// Opens the same source again, from its beginning.
using SourceOpener = std::function<std::unique_ptr<RequestSource>()>;

/// A source with offsets aligned down and ends aligned up to sectors, inside the device. Scale reads the source once
/// beforehand for its extent, so `open` may be called twice. Throws WorkloadError, here or from next(); a request
/// larger than the device is an error in every mode. Flushes pass unchanged.
std::unique_ptr<RequestSource> fit_addresses(const SourceOpener& open, const DeviceSpace& device, AddressFit mode);

}  // namespace flashloom
