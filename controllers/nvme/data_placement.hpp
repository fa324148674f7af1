// Flexible data placement at the registers (NVM Express Base Specification 2.1, section 8.1.10; TP4146 before): the
// placement identifiers of writes, I/O Management Receive and Send, and the log pages and features of the endurance
// group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

/// Reads a write's directive (DTYPE, DSPEC); InvalidField: the device does not support such a directive.
Status read_directive(const ControllerParts& parts, const Entry& entry, PlacementId& placement);

/// The page of I/O Management Receive, reclaim unit handle status; InvalidField: none of that operation.
Status write_io_management(const ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page);

/// Bytes of the list of placement identifiers of I/O Management Send (reclaim unit handle update). InvalidField:
/// another operation, or more identifiers than handles.
Status read_handle_update(const ControllerParts& parts, const Entry& entry, std::uint32_t& bytes);

enum PlacementLog : std::uint8_t {
  kFdpConfigurationsLog = 0x20,
  kHandleUsageLog = 0x21,
  kFdpStatisticsLog = 0x22,
  kFdpEventsLog = 0x23,
};
/// Fills `page` with the log page that the command asks for; InvalidLogPage: the device has no flexible data placement,
/// or there is none of this number; InvalidField: another endurance group.
Status write_placement_log(const ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page);

/// The feature Flexible Data Placement: what it is cannot be changed.
Status get_placement_feature(NvmeCommand& command);
Status set_placement_feature(const ControllerParts& parts, const Entry& entry);
/// The feature FDP Events: which are logged, of a reclaim unit handle.
Task<Status> get_fdp_events(ControllerParts& parts, NvmeCommand& command);
Task<Status> set_fdp_events(ControllerParts& parts, NvmeCommand& command);

}  // namespace flashloom::nvme
