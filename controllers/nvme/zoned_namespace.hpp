// Identify data, log pages and zone descriptors of a zoned namespace. NVM Express Base Specification
// 2.0 for I/O command sets, Zoned Namespace Command Set Specification 1.1, with TP4076 for random write areas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// CSI of Identify.
constexpr std::uint8_t command_set_of(const Entry& identify) {
  return static_cast<std::uint8_t>(identify.dword11 >> 24U);
}

/// What Identify has by I/O command set: CNS 05h to 08h, 1Ah to 1Ch. InvalidField: another CNS, or the device has no
/// zones.
Status identify_by_command_set(ControllerParts& parts, const Entry& entry, std::byte* into);

/// Of a device with zones: a log page by I/O command set (commands and effects), the changed zone list, or any other
/// page.
Status write_log_page_of_zones(ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page);

/// The zones are one namespace, of this number, which is never removed.
inline constexpr std::uint32_t kZonedNamespace = 1;
inline constexpr std::uint8_t kChangedZonesLog = 0xbf;
inline constexpr std::uint32_t kZoneNotices = 1U << 27U;  ///< of OAES, and of the event configuration

/// Changed zones that have not been reported to the host.
class ChangedZones {
 public:
  /// Asks the device. True: there are new ones.
  bool look(NvmeDevice& device);
  /// Changed zone list: identifiers of zones in order, or that there are too many.
  void write_page(std::uint64_t sector_bytes, std::byte* into) const;
  void forget() { starts_.clear(); }
  static constexpr std::size_t kPageBytes = 4096;

 private:
  std::vector<std::uint64_t> starts_;  // bytes, in order
};

/// Reports zones that the device has changed by itself with an event, if the host has enabled it.
void look_at_zones(ControllerParts& parts);

/// Zone Receive Action Specific Field of Report Zones: which zones it is about.
bool knows_filter(std::uint32_t filter);
bool passes_filter(std::uint32_t filter, ZoneState state);

inline constexpr std::size_t kZoneReportHead = 64;
inline constexpr std::size_t kZoneDescriptorBytes = 64;
/// A zone descriptor, with addresses in sectors of the namespace that begins at `begin` (bytes).
void put_zone_descriptor(const ZoneDescriptor& zone, std::uint64_t begin, std::uint64_t sector_bytes, std::byte* into);

}  // namespace flashloom::nvme
