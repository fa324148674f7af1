// Flexible data placement at the registers (NVM Express Base Specification 2.0 with TP4146): the placement identifiers
// of writes, I/O Management Receive and Send, and the log pages of the endurance group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// What a write's directive (DTYPE, DSPEC) says; InvalidField: the device does not know such a directive.
Status read_directive(const ControllerParts& parts, const Entry& entry, PlacementId& placement);

/// The page of I/O Management Receive, reclaim unit handle status; InvalidField: none of that operation.
Status write_io_management(const ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page);

/// Placement identifiers whose handles I/O Management Send moves on: how many bytes of them the host has. InvalidField:
/// another operation, or more than there are handles.
Status read_handle_update(const ControllerParts& parts, const Entry& entry, std::uint32_t& bytes);

enum PlacementLog : std::uint8_t {
  kFdpConfigurationsLog = 0x20,
  kHandleUsageLog = 0x21,
  kFdpStatisticsLog = 0x22,
};
/// Fills `page` with that log page; InvalidLogPage: the device has no flexible data placement, or there is none of this
/// number.
Status write_placement_log(const ControllerParts& parts, std::uint8_t number, std::vector<std::byte>& page);

}  // namespace flashloom::nvme
