// The payload of the block socket: one host command. Its initiator owns it and keeps it alive until it completes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/block/latency_breakdown.hpp"
#include "models/block/placement_id.hpp"
#include "models/common/sector_token.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// WriteZeroes (NVMe): later reads return zeroes; it moves no data. The operations after it are for zoned devices (NVMe
/// Zoned Namespace Command Set 1.1): Zone Append, the actions of Zone Management Send, and ZoneReport, which is Zone
/// Management Receive. ZoneCommit is the action Flush Explicit ZRWA Range.
enum class IoOperation : std::uint8_t {
  Read,
  Write,
  Trim,
  Flush,
  WriteZeroes,
  ZoneAppend,
  ZoneOpen,
  ZoneClose,
  ZoneFinish,
  ZoneReset,
  ZoneOffline,
  ZoneCommit,
  ZoneReport,
};
inline constexpr std::size_t kIoOperations = 13;
inline constexpr std::size_t kPlainOperations = 5;  ///< the first operations, those of devices without zones
inline constexpr const char* kIoOperationNames[kIoOperations] = {
    "read",       "write",       "trim",       "flush",        "write_zeroes", "zone_append", "zone_open",
    "zone_close", "zone_finish", "zone_reset", "zone_offline", "zone_commit",  "zone_report"};
constexpr bool is_zone_operation(IoOperation operation) { return operation >= IoOperation::ZoneAppend; }
/// Whether the host sends data.
constexpr bool is_write(IoOperation operation) {
  return operation == IoOperation::Write || operation == IoOperation::ZoneAppend;
}
/// Whether data go from or to the host.
constexpr bool moves_data(IoOperation operation) { return operation == IoOperation::Read || is_write(operation); }

/// The statuses after WriteProtected are for zoned devices, named as in the NVMe Zoned Namespace Command Set; a command
/// that fails with one of them has done nothing.
enum class IoStatus : std::uint8_t {
  Ok,
  PowerLost,       ///< the device lost power before it completed; a write may or may not have happened
  OutOfRange,      ///< beyond the device's or the namespace's capacity, or too many ranges; nothing was done
  MediaError,      ///< data could not be read from flash; never returned as data
  WriteProtected,  ///< a write, trim or flush of a device that is, or becomes, read-only; part of it
                   ///< may have been done
  ZoneBoundaryError,
  ZoneIsFull,
  ZoneIsReadOnly,
  ZoneIsOffline,
  ZoneInvalidWrite,  ///< not at the write pointer, or not within the zone's random write area
  TooManyActiveZones,
  TooManyOpenZones,
  InvalidZoneStateTransition,
  InvalidZoneOperation,  ///< Invalid Zone Operation Request: the zone's random write area, or its absence, forbids it
  InvalidField,          ///< an unsupported field, or an address that is not the start of a zone
  NoRandomWriteArea,     ///< ZRWA Resources Unavailable: all random write areas are in use
};
inline constexpr std::size_t kIoStatuses = 16;
inline constexpr std::size_t kPlainStatuses = 5;  ///< the first statuses, those of devices without zones
inline constexpr const char* kIoStatusNames[kIoStatuses] = {"ok",
                                                            "power_lost",
                                                            "out_of_range",
                                                            "media_error",
                                                            "write_protected",
                                                            "zone_boundary_error",
                                                            "zone_is_full",
                                                            "zone_is_read_only",
                                                            "zone_is_offline",
                                                            "zone_invalid_write",
                                                            "too_many_active_zones",
                                                            "too_many_open_zones",
                                                            "invalid_zone_state_transition",
                                                            "invalid_zone_operation_request",
                                                            "invalid_field",
                                                            "zrwa_resources_unavailable"};
/// A zoned device has refused the command by the rules of zones: nothing was done.
constexpr bool is_zone_error(IoStatus status) { return status >= IoStatus::ZoneBoundaryError; }

/// What happens to the data of a read.
enum class ReadUse : std::uint8_t {
  Host,     ///< go to the host
  Check,    ///< are only read (NVMe: Verify)
  Compare,  ///< the device compares them with data fetched from the host
};

/// One range of a trim.
struct IoRange {
  std::uint64_t offset = 0;  ///< bytes, a multiple of the sector size
  std::uint64_t length = 0;  ///< bytes, a multiple of the sector size
};
/// Maximum number of ranges of Dataset Management (NVM Command Set Specification 1.0, section 3.2.3).
inline constexpr std::uint32_t kMostRanges = 256;

/// Frames of a link protocol around the data of a command, in bytes (Serial ATA).
struct DataFrames {
  std::uint32_t setup = 0;     ///< device to host, ahead of the first data; 0: none
  std::uint32_t activate = 0;  ///< device to host, ahead of each further frame of host data
  std::uint32_t data = 0;      ///< maximum data of one frame
};

/// States of a zone, with the values of the zone descriptor (NVMe Zoned Namespace Command Set 1.1, figure 37).
enum class ZoneState : std::uint8_t {
  Empty = 0x1,
  ImplicitlyOpened = 0x2,
  ExplicitlyOpened = 0x3,
  Closed = 0x4,
  ReadOnly = 0xD,
  Full = 0xE,
  Offline = 0xF,
};
const char* to_string(ZoneState state);  ///< "empty", "implicitly_opened", ...

/// A zone's entry in a report.
struct ZoneDescriptor {
  std::uint64_t start = 0;          ///< bytes from the start of the device
  std::uint64_t capacity = 0;       ///< bytes that can be written
  std::uint64_t write_pointer = 0;  ///< bytes from the start of the device; of a full, read-only or
                                    ///< offline zone, start + zone size
  ZoneState state = ZoneState::Empty;
  bool random_write_area = false;   ///< ZRWA Valid: the zone has one
  bool finish_recommended = false;  ///< Zone Descriptor attributes
  bool reset_recommended = false;
};

/// Output of a ZoneReport.
struct ZoneReportBuffer {
  ZoneDescriptor* descriptors = nullptr;  ///< out: the zones from command.offset on, in order
  std::uint32_t room = 0;                 ///< capacity, in descriptors
  std::uint32_t count = 0;                ///< out: descriptors filled in
};

inline constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

struct IoCommand {
  IoOperation operation = IoOperation::Read;
  IoStatus status = IoStatus::Ok;
  bool fua = false;               ///< write: complete only when durable
  ReadUse use = ReadUse::Host;    ///< read; a device that supports only Host (a tier) treats all as Host
  std::uint8_t stream = 0;        ///< job or trace device
  std::uint16_t queue = 0;        ///< submission queue
  PlacementId placement{};        ///< write; flush: the reclaim unit handle that then advances to its next reclaim unit
  std::uint64_t number = 0;       ///< of the run's requests, counted from 1; 0: not numbered
  std::uint64_t offset = 0;       ///< bytes, a multiple of the sector size; on the device, whatever the namespace
  std::uint64_t length = 0;       ///< bytes, a multiple of the sector size; 0 for a flush; of all ranges together
  std::uint32_t name_space = 0;   ///< number, counted from 1, of the namespace that it must lie in; 0: any
  std::uint32_t range_count = 0;  ///< trim: number of `ranges`
  const IoRange* ranges = nullptr;     ///< trim: ranges that replace offset and length; null: none
  bool all_zones = false;              ///< zone open, close, finish, reset, offline: Select All, whatever the offset
  bool random_write_area = false;      ///< zone open: Zone Random Write Area Allocation
  std::uint64_t placed = kNowhere;     ///< out: where a zone append (whose offset is the zone's start) put its data
  ZoneReportBuffer* report = nullptr;  ///< of a ZoneReport, whose length goes to the host; null: not filled in
  SectorToken* tokens = nullptr;       ///< one a sector, or null when verify is off. Write: in. Read: out
  struct {
    Picoseconds arrival = 0;   ///< when the workload issues it
    Picoseconds submit = 0;    ///< BEGIN_REQ
    Picoseconds accepted = 0;  ///< END_REQ
    Picoseconds complete = 0;  ///< BEGIN_RESP reaches the initiator
  } at;
  LatencyBreakdown breakdown;  ///< from arrival to complete
  std::uint32_t slot = 0;      ///< the target's number for this command
  IoCommand* next = nullptr;   ///< link of the queue that holds it now
  // For the device's own use.
  const DataFrames* frames = nullptr;  ///< frames of the link's protocol around its data; null: none
  Picoseconds ready = 0;               ///< earliest instant of its completion entry, if later than now
  Picoseconds power_wait = 0;          ///< time from its arrival until the device has left a low-power state
  Picoseconds data_done = 0;           ///< when its last data are in the host's memory (reads)
};

/// Calls f(offset, length) for each range of a trim.
template <class F>
void for_each_range(const IoCommand& command, F&& f) {
  if (command.ranges == nullptr) return f(command.offset, command.length);
  for (std::uint32_t i = 0; i < command.range_count; ++i) f(command.ranges[i].offset, command.ranges[i].length);
}

}  // namespace flashloom
