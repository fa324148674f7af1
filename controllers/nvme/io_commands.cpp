#include "controllers/nvme/io_commands.hpp"

#include <algorithm>
#include <cstring>

#include "controllers/nvme/data_pointer.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kForceUnitAccess = 1U << 30U;  // in dword 12
constexpr std::uint32_t kDeallocate = 1U << 2U;        // attribute of dataset management
constexpr std::uint32_t kRange = 16;                   // bytes of one of its ranges

Task<Status> refuse(Status status) { co_return status; }

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
  }
  return Status::InternalError;
}

Task<Status> IoCommands::serve(NvmeCommand& command) {
  switch (command.entry.opcode) {
    case kRead:
      return read(command);
    case kWrite:
      return write(command);
    case kFlush:
      return flush(command);
    case kWriteZeroes:
      return write_zeroes(command);
    case kDatasetManagement:
      return dataset_management(command);
    default:
      return refuse(Status::InvalidOpcode);
  }
}

Status IoCommands::locate(NvmeCommand& command, Extent& extent) const {
  const Namespace* const space = parts_.namespaces.active(command.entry.name_space);
  if (space == nullptr) return Status::InvalidNamespace;
  if (space->formatting != 0) return Status::FormatInProgress;
  const std::uint64_t sector = parts_.device.sector_bytes();
  const std::uint64_t sectors = space->bytes / sector;
  const std::uint64_t first = command.entry.lba();
  const std::uint64_t count = command.entry.blocks();
  command.failed_lba = first;
  if (count > sectors || first > sectors - count) return Status::LbaOutOfRange;
  extent = {space->begin + first * sector, count * sector};
  return Status::Success;
}

// Whether a write is complete only when it is on flash.
bool IoCommands::through(const NvmeCommand& command) const {
  return (command.entry.dword12 & kForceUnitAccess) != 0 ||
         (parts_.features.knows(kVolatileWriteCache) && parts_.features.current(kVolatileWriteCache) == 0);
}

Task<Status> IoCommands::carry_out(NvmeCommand& command, IoOperation operation, Extent extent) {
  command.operation = operation;
  command.offset = extent.offset;
  command.length = extent.bytes;
  command.fua = operation == IoOperation::Write && through(command);
  command.tokens = nullptr;
  command.ranges = nullptr;
  command.range_count = 0;
  command.queue = static_cast<std::uint16_t>(command.from->id - 1);
  co_await parts_.queues.send(command);
  if (command.status == IoStatus::MediaError) ++parts_.life.media_errors;
  co_return status_of(command.status);
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

Task<Status> IoCommands::write(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  if (too_long(extent.bytes)) co_return Status::InvalidField;
  status = co_await find_data(parts_, command, extent.bytes, false);
  if (status != Status::Success) co_return status;
  command.take_buffer(extent.bytes);
  if (!co_await parts_.dma.read(command.segments, command.data)) co_return Status::DataTransferError;
  co_return co_await carry_out(command, IoOperation::Write, extent);
}

Task<Status> IoCommands::flush(NvmeCommand& command) {
  if (command.entry.name_space != kAllNamespaces && parts_.namespaces.active(command.entry.name_space) == nullptr)
    co_return Status::InvalidNamespace;
  co_return co_await carry_out(command, IoOperation::Flush, {});
}

Task<Status> IoCommands::write_zeroes(NvmeCommand& command) {
  Extent extent;
  Status status = locate(command, extent);
  if (status != Status::Success) co_return status;
  status = co_await carry_out(command, IoOperation::WriteZeroes, extent);
  if (status == Status::Success && through(command)) status = co_await carry_out(command, IoOperation::Flush, {});
  co_return status;
}

Task<Status> IoCommands::dataset_management(NvmeCommand& command) {
  const Namespace* const space = parts_.namespaces.active(command.entry.name_space);
  if (space == nullptr) co_return Status::InvalidNamespace;
  if (space->formatting != 0) co_return Status::FormatInProgress;
  const Extent whole{space->begin, space->bytes};
  const std::uint32_t count = (command.entry.dword10 & 0xffU) + 1;
  const std::uint32_t bytes = count * kRange;
  Status status = co_await find_data(parts_, command, bytes, false);
  if (status != Status::Success) co_return status;
  command.take_buffer(bytes);
  if (!co_await parts_.dma.read(command.segments, command.data)) co_return Status::DataTransferError;
  const std::uint64_t sector = parts_.device.sector_bytes();
  command.ranges_held.clear();
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::byte* const range = command.data + std::size_t{i} * kRange;
    const std::uint64_t sectors = get_field<std::uint32_t>(range, 4);
    const auto first = get_field<std::uint64_t>(range, 8);
    if (sectors == 0) continue;
    command.failed_lba = first;
    if (sectors > whole.bytes / sector || first > whole.bytes / sector - sectors) co_return Status::LbaOutOfRange;
    command.ranges_held.push_back({whole.offset + first * sector, sectors * sector});
    sum += sectors * sector;
  }
  if ((command.entry.dword11 & kDeallocate) == 0 || sum == 0) co_return Status::Success;
  command.operation = IoOperation::Trim;
  command.offset = 0;
  command.length = sum;
  command.fua = false;
  command.tokens = nullptr;
  command.ranges = command.ranges_held.data();
  command.range_count = static_cast<std::uint32_t>(command.ranges_held.size());
  command.queue = static_cast<std::uint16_t>(command.from->id - 1);
  co_await parts_.queues.send(command);
  co_return status_of(command.status);
}

}  // namespace flashloom::nvme
