// Data structures and constants of NVM Express: queue entries, opcodes, status codes.
// Source: NVM Express Base Specification 1.4 (figures and sections are named where they matter).
#pragma once

#include <cstdint>
#include <type_traits>

namespace flashloom::nvme {

inline constexpr std::uint32_t kAllNamespaces = 0xffffffff;
inline constexpr std::uint32_t kEntryBytes = 64;       ///< of a submission queue entry
inline constexpr std::uint32_t kCompletionBytes = 16;  ///< of a completion queue entry

/// Submission queue entry (figure 104).
struct Entry {
  std::uint8_t opcode;
  std::uint8_t flags;  ///< FUSE in bits 1:0, PSDT in bits 7:6
  std::uint16_t id;
  std::uint32_t name_space;
  std::uint32_t dword2;
  std::uint32_t dword3;
  std::uint64_t metadata;
  std::uint64_t pointer1;  ///< PRP entry 1, or the first half of an SGL descriptor
  std::uint64_t pointer2;
  std::uint32_t dword10;
  std::uint32_t dword11;
  std::uint32_t dword12;
  std::uint32_t dword13;
  std::uint32_t dword14;
  std::uint32_t dword15;

  std::uint32_t fuse() const { return flags & 3U; }
  std::uint32_t data_transfer() const { return flags >> 6U; }  ///< PSDT: 0 PRPs, 1 and 2 SGLs
  std::uint64_t lba() const { return dword10 | static_cast<std::uint64_t>(dword11) << 32U; }
  std::uint32_t blocks() const { return (dword12 & 0xffffU) + 1; }
};
static_assert(sizeof(Entry) == kEntryBytes && std::is_trivially_copyable_v<Entry>);

/// Completion queue entry (figure 121).
struct Completion {
  std::uint32_t result;
  std::uint32_t result_high;  ///< dword 1
  std::uint16_t sq_head;
  std::uint16_t sq;
  std::uint16_t id;
  std::uint16_t status;  ///< phase tag in bit 0
};
static_assert(sizeof(Completion) == kCompletionBytes);

enum AdminOpcode : std::uint8_t {
  kDeleteSubmissionQueue = 0x00,
  kCreateSubmissionQueue = 0x01,
  kGetLogPage = 0x02,
  kDeleteCompletionQueue = 0x04,
  kCreateCompletionQueue = 0x05,
  kIdentify = 0x06,
  kAbort = 0x08,
  kSetFeatures = 0x09,
  kGetFeatures = 0x0a,
  kAsynchronousEventRequest = 0x0c,
  kNamespaceManagement = 0x0d,
  kNamespaceAttachment = 0x15,
  kDeviceSelfTest = 0x14,
  kKeepAlive = 0x18,
  kFormat = 0x80,
};

enum IoOpcode : std::uint8_t {
  kFlush = 0x00,
  kWrite = 0x01,
  kRead = 0x02,
  kWriteUncorrectable = 0x04,
  kCompare = 0x05,
  kWriteZeroes = 0x08,
  kDatasetManagement = 0x09,
  kVerify = 0x0c,
  kIoManagementReceive = 0x12,
  kIoManagementSend = 0x1d,
  kZoneManagementSend = 0x79,
  kZoneManagementReceive = 0x7a,
  kZoneAppend = 0x7d,
};

/// I/O command sets (CSI): of a namespace, of Identify (CNS) and of log pages.
enum CommandSet : std::uint8_t { kNvmCommandSet = 0x00, kZonedCommandSet = 0x02 };

/// Status code type in bits 10:8, status code in bits 7:0 (figures 126 to 130).
enum class Status : std::uint16_t {
  Success = 0x000,
  InvalidOpcode = 0x001,
  InvalidField = 0x002,
  IdConflict = 0x003,
  DataTransferError = 0x004,
  PowerLoss = 0x005,
  InternalError = 0x006,
  AbortRequested = 0x007,
  SqDeletion = 0x008,
  FailedFused = 0x009,
  MissingFused = 0x00a,
  InvalidNamespace = 0x00b,
  SequenceError = 0x00c,
  InvalidSglSegment = 0x00d,
  InvalidSglCount = 0x00e,
  DataSglLength = 0x00f,
  SglTypeInvalid = 0x011,
  PrpOffset = 0x013,
  SglOffset = 0x016,
  NamespaceWriteProtected = 0x020,
  LbaOutOfRange = 0x080,
  CapacityExceeded = 0x081,
  NamespaceNotReady = 0x082,
  FormatInProgress = 0x084,
  InvalidCompletionQueue = 0x100,
  InvalidQueueId = 0x101,
  InvalidQueueSize = 0x102,
  AbortLimit = 0x103,
  EventLimit = 0x105,
  InvalidFirmwareSlot = 0x106,
  InvalidVector = 0x108,
  InvalidLogPage = 0x109,
  InvalidFormat = 0x10a,
  InvalidQueueDeletion = 0x10c,
  NotSaveable = 0x10d,
  NotChangeable = 0x10e,
  NotNamespaceSpecific = 0x10f,
  InsufficientCapacity = 0x115,
  NamespaceIdUnavailable = 0x116,
  AlreadyAttached = 0x118,
  NotAttached = 0x11a,
  ThinProvisioning = 0x11b,
  InvalidControllerList = 0x11c,
  SelfTestInProgress = 0x11d,
  CommandSetNotSupported = 0x129,
  CommandSetCombinationRejected = 0x12b,
  InvalidCommandSet = 0x12c,
  ConflictingAttributes = 0x180,
  InvalidProtection = 0x181,
  InvalidZoneOperation = 0x1b6,  // up to 1bfh: Zoned Namespace Command Set
  RandomWriteAreasUnavailable = 0x1b7,
  ZoneBoundaryError = 0x1b8,
  ZoneIsFull = 0x1b9,
  ZoneIsReadOnly = 0x1ba,
  ZoneIsOffline = 0x1bb,
  ZoneInvalidWrite = 0x1bc,
  TooManyActiveZones = 0x1bd,
  TooManyOpenZones = 0x1be,
  InvalidZoneStateTransition = 0x1bf,
  ReadOnlyRange = 0x182,
  WriteFault = 0x280,
  UnrecoveredRead = 0x281,
  CompareFailure = 0x285,
  /// Internal to the model, never sent to the host: the command completes later.
  Held = 0xffff,
};

/// The status field of a completion: Do Not Retry unless a retry may succeed.
constexpr std::uint16_t status_field(Status status, bool more) {
  if (status == Status::Success) return 0;
  bool retry = false;
  switch (status) {
    case Status::DataTransferError:
    case Status::PowerLoss:
    case Status::InternalError:
    case Status::AbortRequested:
    case Status::SqDeletion:
    case Status::NamespaceNotReady:
    case Status::FormatInProgress:
    case Status::FailedFused:
    case Status::SelfTestInProgress:
      retry = true;
      break;
    default:
      break;
  }
  return static_cast<std::uint16_t>(static_cast<unsigned>(status) << 1U | (more ? 0x4000U : 0U) |
                                    (retry ? 0U : 0x8000U));
}

}  // namespace flashloom::nvme
