#include "controllers/nvme/io_commands.hpp"

#include <algorithm>
#include <cstring>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/data_placement.hpp"
#include "controllers/nvme/data_pointer.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/zoned_namespace.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kForceUnitAccess = 1U << 30U;  // in dword 12
constexpr std::uint32_t kDeallocate = 1U << 2U;        // attribute of dataset management
constexpr std::uint32_t kRange = 16;                   // bytes of one of its ranges
constexpr std::uint64_t kHealthInterval = 4096;        // writes between two looks at the drive's health

}  // namespace

Status status_of(IoStatus status) {
  switch (status) {
    case IoStatus::Ok:
      return Status::Success;
    case IoStatus::PowerLost:
      return Status::PowerLoss;
    case IoStatus::OutOfRange:
      return Status::LbaOutOfRange;
    case IoStatus::MediaError:
      return Status::UnrecoveredRead;
    case IoStatus::WriteProtected:
      return Status::NamespaceWriteProtected;
    case IoStatus::ZoneBoundaryError:
      return Status::ZoneBoundaryError;
    case IoStatus::ZoneIsFull:
      return Status::ZoneIsFull;
    case IoStatus::ZoneIsReadOnly:
      return Status::ZoneIsReadOnly;
    case IoStatus::ZoneIsOffline:
      return Status::ZoneIsOffline;
    case IoStatus::ZoneInvalidWrite:
      return Status::ZoneInvalidWrite;
    case IoStatus::TooManyActiveZones:
      return Status::TooManyActiveZones;
    case IoStatus::TooManyOpenZones:
      return Status::TooManyOpenZones;
    case IoStatus::InvalidZoneStateTransition:
      return Status::InvalidZoneStateTransition;
    case IoStatus::InvalidZoneOperation:
      return Status::InvalidZoneOperation;
    case IoStatus::NoRandomWriteArea:
      return Status::RandomWriteAreasUnavailable;
    case IoStatus::InvalidField:
      return Status::InvalidField;
  }
  return Status::InternalError;
}

void prepare(NvmeCommand& command, IoOperation operation, std::uint64_t offset, std::uint64_t bytes) {
  command.operation = operation;
  command.offset = offset;
  command.length = bytes;
  command.data = nullptr;
  command.fua = false;
  command.placement = {};
  command.use = ReadUse::Host;
  command.tokens = nullptr;
  command.ranges = nullptr;
  command.range_count = 0;
  command.all_zones = false;
  command.random_write_area = false;
  command.placed = kNowhere;
  command.report = nullptr;
  command.queue = static_cast<std::uint16_t>(command.from == nullptr ? 0 : command.from->id - 1);
}

Task<Status> IoCommands::serve(NvmeCommand& command) {
  if (command.partner != nullptr) return compare_and_write(command);
  const bool compares = parts_.device.keeps_bytes();
  switch (command.entry.opcode) {
    case kRead:
      return read(command);
    case kWrite:
      return write(command);
    case kFlush:
      return flush(command);
    case kCompare:
      return compares ? compare(command) : settled(Status::InvalidOpcode);
    case kVerify:
      return verify(command);
    case kWriteZeroes:
      return zoned_ ? settled(Status::InvalidOpcode) : write_zeroes(command);
    case kWriteUncorrectable:
      return zoned_ ? settled(Status::InvalidOpcode) : write_uncorrectable(command);
    case kDatasetManagement:
      return zoned_ ? settled(Status::InvalidOpcode) : dataset_management(command);
    case kIoManagementReceive:
      return io_management_receive(command);
    case kIoManagementSend:
      return io_management_send(command);
    case kZoneManagementSend:
      return zoned_ ? zone_management_send(command) : settled(Status::InvalidOpcode);
    case kZoneManagementReceive:
      return zoned_ ? zone_management_receive(command) : settled(Status::InvalidOpcode);
    case kZoneAppend:
      return zoned_ ? zone_append(command) : settled(Status::InvalidOpcode);
    default:
      return settled(Status::InvalidOpcode);
  }
}

Status IoCommands::find_space(NvmeCommand& command, const Namespace*& space) const {
  space = parts_.namespaces.active(command.entry.name_space);
  if (space == nullptr) return Status::InvalidNamespace;
  return space->formatting != 0 ? Status::FormatInProgress : Status::Success;
}

Status IoCommands::locate(NvmeCommand& command, Extent& extent) const {
  const Namespace* space = nullptr;
  if (const Status status = find_space(command, space); status != Status::Success) return status;
  const std::uint64_t sectors = sector(space->bytes);
  const std::uint64_t first = command.entry.lba();
  const std::uint64_t count = command.entry.blocks();
  command.failed_lba = first;
  if (count > sectors || first > sectors - count) return Status::LbaOutOfRange;
  const std::uint64_t sector_bytes = parts_.device.sector_bytes();
  extent = {space->begin + first * sector_bytes, count * sector_bytes};
  return Status::Success;
}

// Whether a write completes only when it is on flash.
bool IoCommands::through(const NvmeCommand& command) const {
  return (command.entry.dword12 & kForceUnitAccess) != 0 ||
         (parts_.features.knows(kVolatileWriteCache) && parts_.features.current(kVolatileWriteCache) == 0);
}

Task<Status> IoCommands::carry_out(NvmeCommand& command, IoOperation operation, Extent extent, ReadUse use) {
  prepare(command, operation, extent.offset, extent.bytes);
  command.fua = is_write(operation) && through(command);
  command.use = use;
  if (is_write(operation)) command.placement = command.wanted;
  if (is_write(operation) || (operation == IoOperation::Read && use != ReadUse::Check))
    command.data = command.buffer.data();
  co_await parts_.queues.send(command);
  Status status = status_of(command.status);
  if (status == Status::Success && operation == IoOperation::Read && !parts_.life.uncorrectable.empty()) {
    const std::uint64_t end = sector(extent.offset + extent.bytes);
    const std::uint64_t marked = parts_.life.uncorrectable.first(sector(extent.offset), end);
    if (marked != end) {
      command.failed_lba += marked - sector(extent.offset);
      status = Status::UnrecoveredRead;
    }
  }
  if (status == Status::UnrecoveredRead) ++parts_.life.media_errors;
  if (status == Status::NamespaceWriteProtected) parts_.health_may_have_changed();
  if (zoned_) look_at_zones(parts_);
  co_return status;
}

// Sectors were written: clears their Write Uncorrectable marks.
void IoCommands::written(const Extent& extent) {
  parts_.life.uncorrectable.clear(sector(extent.offset), sector(extent.offset + extent.bytes));
  if (++writes_ % kHealthInterval == 0) parts_.health_may_have_changed();
}

Task<Status> IoCommands::read(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  if (too_long(extent.bytes)) co_return Status::InvalidField;
  status = co_await find_data(parts_, command, extent.bytes, true);
  if (status != Status::Success) co_return status;
  command.take_buffer(extent.bytes);
  if (!parts_.device.keeps_bytes()) std::memset(command.data, 0, extent.bytes);
  status = co_await carry_out(command, IoOperation::Read, extent);
  if (status != Status::Success) co_return status;
  co_return co_await parts_.dma.write(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

// The command's data come from the host.
Task<Status> IoCommands::receive(NvmeCommand& command, const Extent& extent) {
  if (too_long(extent.bytes)) co_return Status::InvalidField;
  const Status status = co_await find_data(parts_, command, extent.bytes, false);
  if (status != Status::Success) co_return status;
  command.take_buffer(extent.bytes);
  co_return co_await parts_.dma.read(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

Task<Status> IoCommands::put(NvmeCommand& command, Extent extent) {
  const Status status = co_await carry_out(command, IoOperation::Write, extent);
  if (status == Status::Success) written(extent);
  co_return status;
}

Task<Status> IoCommands::write(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status == Status::Success) status = read_directive(parts_, command.entry, command.wanted);
  if (status != Status::Success) co_return status;
  status = co_await receive(command, extent);
  if (status != Status::Success) co_return status;
  while (!locks_.enter(command, extent.offset, extent.bytes, false)) co_await locks_.waits();
  status = co_await put(command, extent);
  locks_.leave(command);
  co_return status;
}

Task<Status> IoCommands::flush(NvmeCommand& command) {
  if (command.entry.name_space != kAllNamespaces && parts_.namespaces.active(command.entry.name_space) == nullptr)
    co_return Status::InvalidNamespace;
  co_return co_await carry_out(command, IoOperation::Flush, {});
}

// The host's data are in the command's buffer.
Task<Status> IoCommands::compare_with(NvmeCommand& command, Extent extent) {
  command.expected.swap(command.buffer);
  command.take_buffer(extent.bytes);
  const Status status = co_await carry_out(command, IoOperation::Read, extent, ReadUse::Compare);
  if (status != Status::Success) co_return status;
  co_return std::memcmp(command.expected.data(), command.data, extent.bytes) == 0 ? Status::Success
                                                                                  : Status::CompareFailure;
}

Task<Status> IoCommands::compare(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  status = co_await receive(command, extent);
  if (status != Status::Success) co_return status;
  co_return co_await compare_with(command, extent);
}

// Completes both commands before it returns. If either fails, nothing was written, or the write has failed halfway.
Task<Status> IoCommands::compare_and_write(NvmeCommand& first) {
  NvmeCommand& second = *first.partner;
  Extent extent;
  Extent of_second;
  Status compared = Status::InvalidField;
  Status stored = Status::FailedFused;
  const bool pair = parts_.device.keeps_bytes() && !zoned_ && first.entry.opcode == kCompare &&
                    second.entry.opcode == kWrite && first.entry.name_space == second.entry.name_space &&
                    first.entry.lba() == second.entry.lba() && first.entry.blocks() == second.entry.blocks();
  if (pair) compared = locate(first, extent);
  if (compared == Status::Success) compared = co_await receive(first, extent);
  if (compared == Status::Success) {
    stored = locate(second, of_second);
    if (stored == Status::Success) stored = read_directive(parts_, second.entry, second.wanted);
    if (stored == Status::Success) stored = co_await receive(second, of_second);
    if (stored != Status::Success) compared = Status::FailedFused;
  }
  if (compared == Status::Success) {
    while (!locks_.enter(first, extent.offset, extent.bytes, true)) co_await locks_.waits();
    compared = co_await compare_with(first, extent);
    stored = Status::FailedFused;
    if (compared == Status::Success) {
      stored = co_await put(second, of_second);
      if (stored != Status::Success) compared = Status::FailedFused;
    }
    locks_.leave(first);
  }
  co_await parts_.queues.complete(first, compared);
  co_await parts_.queues.complete(second, stored);
  co_return Status::Held;
}

Task<Status> IoCommands::verify(NvmeCommand& command) {
  Extent extent;
  const Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  co_return co_await carry_out(command, IoOperation::Read, extent, ReadUse::Check);
}

Task<Status> IoCommands::write_zeroes(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  while (!locks_.enter(command, extent.offset, extent.bytes, false)) co_await locks_.waits();
  status = co_await carry_out(command, IoOperation::WriteZeroes, extent);
  if (status == Status::Success) written(extent);
  locks_.leave(command);
  if (status == Status::Success && through(command)) status = co_await carry_out(command, IoOperation::Flush, {});
  co_return status;
}

// Reclaim unit handle status.
Task<Status> IoCommands::io_management_receive(NvmeCommand& command) {
  if (parts_.namespaces.active(command.entry.name_space) == nullptr) co_return Status::InvalidNamespace;
  std::vector<std::byte> page;
  Status status = write_io_management(parts_, command.entry, page);
  if (status != Status::Success) co_return status;
  const std::uint64_t bytes = (std::uint64_t{command.entry.dword11} + 1) * 4;
  if (too_long(bytes)) co_return Status::InvalidField;
  status = co_await find_data(parts_, command, bytes, true);
  if (status != Status::Success) co_return status;
  command.take_buffer(bytes);
  std::memset(command.data, 0, bytes);
  std::memcpy(command.data, page.data(), std::min<std::size_t>(bytes, page.size()));
  co_return co_await parts_.dma.write(command.segments, command.data) ? Status::Success : Status::DataTransferError;
}

// Reclaim unit handle update: all identifiers are checked before the first handle is moved.
Task<Status> IoCommands::io_management_send(NvmeCommand& command) {
  if (parts_.namespaces.active(command.entry.name_space) == nullptr) co_return Status::InvalidNamespace;
  std::uint32_t bytes = 0;
  Status status = read_handle_update(parts_, command.entry, bytes);
  if (status != Status::Success) co_return status;
  status = co_await receive(command, {0, bytes});
  if (status != Status::Success) co_return status;
  const std::vector<NvmePlacement::Handle> handles = parts_.device.placement().handles;
  std::vector<std::uint16_t> identifiers;
  for (std::uint32_t at = 0; at < bytes; at += 2) {
    identifiers.push_back(get_field<std::uint16_t>(command.data, at));
    if (std::ranges::find(handles, identifiers.back(), &NvmePlacement::Handle::identifier) == handles.end())
      co_return Status::InvalidField;
  }
  for (const std::uint16_t identifier : identifiers) {
    prepare(command, IoOperation::Flush, 0, 0);
    command.placement = {Directive::DataPlacement, identifier};
    co_await parts_.queues.send(command);
    status = status_of(command.status);
    if (status != Status::Success) break;
  }
  co_return status;
}

// Trims the sectors, and marks them as uncorrectable.
Task<Status> IoCommands::write_uncorrectable(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  while (!locks_.enter(command, extent.offset, extent.bytes, false)) co_await locks_.waits();
  status = co_await carry_out(command, IoOperation::Trim, extent);
  if (status == Status::Success)
    parts_.life.uncorrectable.mark(sector(extent.offset), sector(extent.offset + extent.bytes));
  locks_.leave(command);
  co_return status;
}

Task<Status> IoCommands::dataset_management(NvmeCommand& command) {
  const Namespace* space = nullptr;
  if (const Status found = find_space(command, space); found != Status::Success) co_return found;
  const Extent whole{space->begin, space->bytes};
  const std::uint32_t count = (command.entry.dword10 & 0xffU) + 1;
  const std::uint32_t bytes = count * kRange;
  const Status status = co_await receive(command, {0, bytes});
  if (status != Status::Success) co_return status;
  const std::uint64_t sector_bytes = parts_.device.sector_bytes();
  const std::uint64_t most = sector(whole.bytes);
  command.ranges_held.clear();
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte* const range = command.data + std::size_t{i} * kRange;
    const std::uint64_t sectors = get_field<std::uint32_t>(range, 4);
    const auto first = get_field<std::uint64_t>(range, 8);
    if (sectors == 0) continue;
    command.failed_lba = first;
    if (sectors > most || first > most - sectors) co_return Status::LbaOutOfRange;
    command.ranges_held.push_back({whole.offset + first * sector_bytes, sectors * sector_bytes});
    sum += sectors * sector_bytes;
  }
  if ((command.entry.dword11 & kDeallocate) == 0 || sum == 0) co_return Status::Success;
  prepare(command, IoOperation::Trim, 0, sum);
  command.ranges = command.ranges_held.data();
  command.range_count = static_cast<std::uint32_t>(command.ranges_held.size());
  co_await parts_.queues.send(command);
  co_return status_of(command.status);
}

}  // namespace flashloom::nvme
