// The commands of zones. What a zone allows the device decides; here is what a command's entry must say.
#include <algorithm>
#include <cstring>

#include "controllers/nvme/data_placement.hpp"
#include "controllers/nvme/data_pointer.hpp"
#include "controllers/nvme/io_commands.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/zoned_namespace.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kRemapProtection = 1U << 25U;  // PIREMAP of an append, in dword 12
constexpr std::uint32_t kSelectAll = 1U << 8U;         // of Zone Management Send, in dword 13
constexpr std::uint32_t kSendOption = 1U << 9U;        // Zone Send Action Specific Option
constexpr std::uint32_t kPartialReport = 1U << 16U;    // of Zone Management Receive, in dword 13
constexpr std::uint32_t kReportZones = 0;              // action of it; descriptors have no extensions to report

enum SendAction : std::uint8_t {
  kCloseZone = 0x01,
  kFinishZone = 0x02,
  kOpenZone = 0x03,
  kResetZone = 0x04,
  kOfflineZone = 0x05,
  kCommitRandomArea = 0x11,  // Flush Explicit ZRWA Range
};

// InvalidField: an action that there is not, or (10h) one on descriptor extensions, which there are none of.
Status find_operation(std::uint32_t action, IoOperation& operation) {
  switch (action) {
    case kCloseZone:
      operation = IoOperation::ZoneClose;
      return Status::Success;
    case kFinishZone:
      operation = IoOperation::ZoneFinish;
      return Status::Success;
    case kOpenZone:
      operation = IoOperation::ZoneOpen;
      return Status::Success;
    case kResetZone:
      operation = IoOperation::ZoneReset;
      return Status::Success;
    case kOfflineZone:
      operation = IoOperation::ZoneOffline;
      return Status::Success;
    case kCommitRandomArea:
      operation = IoOperation::ZoneCommit;
      return Status::Success;
    default:
      return Status::InvalidField;
  }
}

}  // namespace

// The sector that the command names; the extent has no length.
Status IoCommands::locate_zone(NvmeCommand& command, Extent& extent) const {
  const Namespace* space = nullptr;
  if (const Status status = find_space(command, space); status != Status::Success) return status;
  command.failed_lba = command.entry.lba();
  if (command.entry.lba() >= sector(space->bytes)) return Status::LbaOutOfRange;
  extent = {space->begin + command.entry.lba() * parts_.device.sector_bytes(), 0};
  return Status::Success;
}

Task<Status> IoCommands::zone_append(NvmeCommand& command) {
  Extent extent;
  Status status = locate_zone(command, extent);
  if (status == Status::Success && (command.entry.dword12 & kRemapProtection) != 0) status = Status::InvalidProtection;
  if (status == Status::Success) status = read_directive(parts_, command.entry, command.wanted);
  if (status != Status::Success) co_return status;
  extent.bytes = std::uint64_t{command.entry.blocks()} * parts_.device.sector_bytes();
  status = co_await receive(command, extent);
  if (status != Status::Success) co_return status;
  status = co_await carry_out(command, IoOperation::ZoneAppend, extent);
  if (status == Status::Success) {
    command.result = sector(command.placed - parts_.namespaces.allocated(kZonedNamespace)->begin);
    written({command.placed, extent.bytes});
  }
  co_return status;
}

Task<Status> IoCommands::zone_management_send(NvmeCommand& command) {
  const std::uint32_t options = command.entry.dword13;
  const bool all = (options & kSelectAll) != 0;
  IoOperation operation = IoOperation::ZoneClose;
  Extent extent;
  Status status = Status::Success;
  if (all) {
    const Namespace* space = nullptr;
    status = find_space(command, space);
    if (status == Status::Success) extent.offset = space->begin;
  } else {
    status = locate_zone(command, extent);
  }
  if (status == Status::Success) status = find_operation(options & 0xffU, operation);
  if (status == Status::Success && all && operation == IoOperation::ZoneCommit) status = Status::InvalidField;
  if (status != Status::Success) co_return status;
  prepare(command, operation, extent.offset, 0);
  command.all_zones = all;
  command.random_write_area = operation == IoOperation::ZoneOpen && (options & kSendOption) != 0;
  co_await parts_.queues.send(command);
  look_at_zones(parts_);
  co_return status_of(command.status);
}

Task<Status> IoCommands::zone_management_receive(NvmeCommand& command) {
  const std::uint32_t options = command.entry.dword13;
  const std::uint32_t filter = options >> 8U & 0xffU;
  const std::uint64_t bytes = (std::uint64_t{command.entry.dword12} + 1) * 4;
  Extent extent;
  Status status = locate_zone(command, extent);
  if (status == Status::Success && ((options & 0xffU) != kReportZones || !knows_filter(filter) || too_long(bytes)))
    status = Status::InvalidField;
  if (status == Status::Success) status = co_await find_data(parts_, command, bytes, true);
  if (status != Status::Success) co_return status;
  const NvmeZones zones = parts_.device.zones();
  const std::uint64_t begin = parts_.namespaces.allocated(kZonedNamespace)->begin;
  const auto first = static_cast<std::uint32_t>((extent.offset - begin) / zones.zone_bytes);
  prepare(command, IoOperation::ZoneReport, begin + first * zones.zone_bytes, bytes);
  command.zones.resize(zones.count - first);
  command.zone_report = {command.zones.data(), zones.count - first, 0};
  command.report = &command.zone_report;
  co_await parts_.queues.send(command);
  if (command.status != IoStatus::Ok) co_return status_of(command.status);
  command.take_buffer(bytes);
  std::memset(command.data, 0, bytes);
  const std::uint64_t room = bytes < kZoneReportHead ? 0 : (bytes - kZoneReportHead) / kZoneDescriptorBytes;
  std::uint64_t matching = 0;
  for (const ZoneDescriptor& zone : command.zones) {
    if (!passes_filter(filter, zone.state)) continue;
    if (matching < room)
      put_zone_descriptor(zone, begin, parts_.device.sector_bytes(),
                          command.data + kZoneReportHead + matching * kZoneDescriptorBytes);
    ++matching;
  }
  const std::uint64_t told = (options & kPartialReport) != 0 ? std::min(matching, room) : matching;
  std::memcpy(command.data, &told, std::min<std::size_t>(sizeof told, bytes));
  co_return co_await parts_.dma.write(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

}  // namespace flashloom::nvme
