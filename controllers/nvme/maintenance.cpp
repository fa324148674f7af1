#include "controllers/nvme/maintenance.hpp"

#include <algorithm>
#include <utility>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/events.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/io_commands.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/log_pages.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint64_t kSteps = 100;          // of a format, for its progress
constexpr std::uint64_t kLeastStep = 1 << 20;  // bytes
constexpr std::uint32_t kNamespaceNotices = 1U << 8U;
constexpr std::uint32_t kStructureBytes = 4096;

}  // namespace

// All sectors of a namespace read as zeroes from now on.
Task<Status> Maintenance::empty(NvmeCommand& command, Namespace& space) {
  const std::uint64_t sector = parts_.device.sector_bytes();
  const std::uint64_t begin = space.begin;
  const std::uint64_t bytes = space.bytes;
  const std::uint64_t step = std::max(kLeastStep, (bytes / kSteps + sector - 1) / sector * sector);
  const bool zoned = parts_.device.zones().present();
  Status status = Status::Success;
  if (zoned) {
    space.formatting = 100;
    prepare(command, IoOperation::ZoneReset, 0, 0);
    command.all_zones = true;
    command.queue = 0;
    co_await parts_.queues.send(command);
    status = status_of(command.status);
  }
  for (std::uint64_t done = 0; !zoned && done < bytes && status == Status::Success; done += step) {
    space.formatting = static_cast<std::uint32_t>(std::max<std::uint64_t>(100 - done * 100 / bytes, 1));
    prepare(command, IoOperation::WriteZeroes, begin + done, std::min(step, bytes - done));
    command.queue = 0;
    co_await parts_.queues.send(command);
    status = status_of(command.status);
  }
  if (status == Status::Success) {
    prepare(command, IoOperation::Flush, 0, 0);
    command.queue = 0;
    co_await parts_.queues.send(command);
    status = status_of(command.status);
  }
  space.formatting = 0;
  if (status == Status::Success) parts_.life.uncorrectable.clear(begin / sector, (begin + bytes) / sector);
  co_return status;
}

Task<Status> Maintenance::format(NvmeCommand& command) {
  const std::uint32_t options = command.entry.dword10;
  const std::uint32_t erase = options >> 9U & 7U;
  if ((options & 0xfU) != 0 || (options >> 4U & 0xfU) != 0) co_return Status::InvalidFormat;  // one format, no metadata
  if (erase > 1) co_return Status::InvalidField;                                              // nothing is encrypted
  NamespaceTable& namespaces = parts_.namespaces;
  const std::uint32_t wanted = command.entry.name_space;
  if (wanted != kAllNamespaces && namespaces.allocated(wanted) == nullptr) co_return Status::InvalidNamespace;
  for (std::uint32_t number = 1; number <= namespaces.most(); ++number) {
    Namespace* const space = namespaces.allocated(number);
    if (space != nullptr && (wanted == kAllNamespaces || wanted == number) && space->formatting != 0)
      co_return Status::FormatInProgress;
  }
  parts_.formatted(wanted);
  for (std::uint32_t number = 1; number <= namespaces.most(); ++number) {
    Namespace* const space = namespaces.allocated(number);
    if (space == nullptr || (wanted != kAllNamespaces && wanted != number)) continue;
    const Status status = co_await empty(command, *space);
    if (status != Status::Success) co_return status;
  }
  co_return Status::Success;
}

void Maintenance::changed(std::uint32_t number) {
  parts_.namespaces.note_change(number);
  if ((parts_.features.current(kEventConfiguration) & kNamespaceNotices) != 0)
    parts_.events.happened(EventType::Notice, kNamespaceChanged, kChangedNamespacesLog);
}

Task<Status> Maintenance::manage(NvmeCommand& command) {
  switch (command.entry.dword10 & 0xfU) {
    case 0:
      return create(command);
    case 1:
      return remove(command);
    default:
      return settled(Status::InvalidField);
  }
}

Task<Status> Maintenance::create(NvmeCommand& command) {
  const Status status = co_await receive_data(parts_, command, kStructureBytes);
  if (status != Status::Success) co_return status;
  const auto size = get_field<std::uint64_t>(command.data, 0);
  const auto capacity = get_field<std::uint64_t>(command.data, 8);
  const auto format = get_field<std::uint8_t>(command.data, 26);
  const auto protection = get_field<std::uint8_t>(command.data, 29);
  if ((format & 0xfU) != 0 || protection != 0) co_return Status::InvalidFormat;
  if (size == 0) co_return Status::InvalidField;
  if (capacity != size) co_return Status::ThinProvisioning;
  const std::uint64_t sector = parts_.device.sector_bytes();
  if (!parts_.namespaces.has_free_number()) co_return Status::NamespaceIdUnavailable;
  if (size > parts_.namespaces.capacity() / sector) co_return Status::InsufficientCapacity;
  command.result = parts_.namespaces.create(size * sector);
  co_return command.result == 0 ? Status::InsufficientCapacity : Status::Success;
}

Task<Status> Maintenance::remove(NvmeCommand& command) {
  NamespaceTable& namespaces = parts_.namespaces;
  const std::uint32_t wanted = command.entry.name_space;
  if (wanted != kAllNamespaces && namespaces.allocated(wanted) == nullptr) co_return Status::InvalidNamespace;
  for (std::uint32_t number = 1; number <= namespaces.most(); ++number) {
    Namespace* const space = namespaces.allocated(number);
    if (space == nullptr || (wanted != kAllNamespaces && wanted != number)) continue;
    if (space->formatting != 0) co_return Status::FormatInProgress;
    const bool attached = std::exchange(space->attached, 0) != 0;
    parts_.formatted(number);
    const Status status = co_await empty(command, *space);
    if (status != Status::Success) {
      space->attached = attached ? 1 : 0;
      co_return status;
    }
    namespaces.remove(number);
    if (attached) changed(number);
  }
  co_return Status::Success;
}

Task<Status> Maintenance::attach(NvmeCommand& command) {
  const std::uint32_t select = command.entry.dword10 & 0xfU;
  if (select > 1) co_return Status::InvalidField;
  const std::uint32_t number = command.entry.name_space;
  const Status status = co_await receive_data(parts_, command, kStructureBytes);
  if (status != Status::Success) co_return status;
  Namespace* const space = parts_.namespaces.allocated(number);
  if (space == nullptr) co_return Status::InvalidNamespace;
  if (get_field<std::uint16_t>(command.data, 0) != 1 || get_field<std::uint16_t>(command.data, 2) != kControllerId)
    co_return Status::InvalidControllerList;
  const bool attaches = select == 0;
  if (attaches && space->attached != 0) co_return Status::AlreadyAttached;
  if (!attaches && space->attached == 0) co_return Status::NotAttached;
  space->attached = attaches ? 1 : 0;
  changed(number);
  co_return Status::Success;
}

}  // namespace flashloom::nvme
