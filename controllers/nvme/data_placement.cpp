#include "controllers/nvme/data_placement.hpp"

#include <algorithm>
#include <cstring>

#include "controllers/nvme/admin_commands.hpp"
#include "controllers/nvme/little_endian.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::uint32_t kHandleStatus = 1;  // operation of I/O Management Receive
constexpr std::uint32_t kHandleUpdate = 1;  // and of Send
constexpr std::size_t kStatusHead = 16;
constexpr std::size_t kStatusEntry = 32;
constexpr std::uint8_t kInitiallyIsolated = 1;
constexpr std::uint8_t kPersistentlyIsolated = 2;
constexpr std::uint8_t kHostSpecified = 1;  // attributes of a handle: placement identifiers of the host use it
constexpr std::uint32_t kEnduranceGroup = 1;
constexpr std::size_t kEventBytes = 64;          // and those of the head before the events
constexpr std::uint32_t kHostEvents = 1U << 8U;  // FDPET of Get Log Page
// Flags of an event.
constexpr std::uint8_t kIdentifierValid = 1;
constexpr std::uint8_t kNamespaceValid = 1U << 1U;
constexpr std::uint8_t kLocationValid = 1U << 2U;
constexpr std::uint8_t kAddressValid = 1;  // of its specific flags

std::byte* blank(std::vector<std::byte>& page, std::size_t bytes) {
  page.assign(bytes, std::byte{0});
  return page.data();
}

std::uint8_t isolation(const NvmePlacement& placement, std::uint32_t handle) {
  return placement.persistent[handle] ? kPersistentlyIsolated : kInitiallyIsolated;
}

// One configuration, with a descriptor of each handle (figures 279 to 281).
void put_configurations(const ControllerParts& parts, const NvmePlacement& placement, std::vector<std::byte>& page) {
  constexpr std::size_t kHead = 16;
  constexpr std::size_t kFixed = 64;
  const std::size_t descriptor = kFixed + 4 * placement.persistent.size();
  const unsigned volatile_cache = parts.device.volatile_cache() ? 1U << 4U : 0;
  std::byte* const into = blank(page, kHead + descriptor);
  put<std::uint16_t>(into, 0, 0);  // one configuration
  put(into, 4, static_cast<std::uint32_t>(page.size()));
  std::byte* const one = into + kHead;
  put(one, 0, static_cast<std::uint16_t>(descriptor));
  put(one, 2, static_cast<std::uint8_t>(placement.group_bits | volatile_cache | 1U << 7U));  // FDPA: RGIF, VWC, valid
  put(one, 4, placement.groups);
  put(one, 8, static_cast<std::uint16_t>(placement.persistent.size()));
  put(one, 10, static_cast<std::uint16_t>(placement.handles.size() - 1));  // most placement identifiers of an update
  put(one, 12, parts.namespaces.most());
  put(one, 16, placement.unit_bytes);
  put(one, 24, placement.unit_seconds);  // ERUTL
  for (std::uint32_t handle = 0; handle < placement.persistent.size(); ++handle)
    put(one + kFixed, 4 * handle, isolation(placement, handle));
}

// The namespace that a logical unit is in now, and its first sector there; where the two do not begin alike, the first
// sector of the unit that the namespace has.
void put_address(const ControllerParts& parts, const FdpEvent& event, std::byte* into, std::uint8_t& flags) {
  if (event.unit == FdpEvent::kNoUnit) return;
  const std::uint64_t offset = std::uint64_t{event.unit} * parts.device.unit_bytes();
  for (std::uint32_t number = 1; number <= parts.namespaces.most(); ++number) {
    const Namespace* const space = parts.namespaces.active(number);
    if (space == nullptr || offset + parts.device.unit_bytes() <= space->begin || offset >= space->begin + space->bytes)
      continue;
    flags |= kNamespaceValid;
    put(into, 12, number);
    if (event.type != FdpEventType::MediaReallocated) return;
    put(into, 16, kAddressValid);
    put(into, 20, (std::max(offset, space->begin) - space->begin) / parts.device.sector_bytes());
    return;
  }
}

// Figure 289, and figure 112 of the NVM Command Set Specification 1.1.
void put_event(const ControllerParts& parts, const NvmePlacement& placement, const FdpEvent& event, std::byte* into) {
  const auto handles = static_cast<std::uint32_t>(placement.persistent.size());
  std::uint8_t flags = 0;
  put(into, 0, static_cast<std::uint8_t>(event.type));
  if (const auto identifier = parts.device.fdp_events()->identifier_of(event)) {
    flags |= kIdentifierValid;
    put(into, 2, *identifier);
  }
  put(into, 4, event.timestamp);
  put_address(parts, event, into, flags);
  if (event.type == FdpEventType::MediaReallocated) {
    const std::uint64_t sectors = event.units_moved * (parts.device.unit_bytes() / parts.device.sector_bytes());
    put(into, 18, static_cast<std::uint16_t>(std::min<std::uint64_t>(sectors, 0xffff)));  // NLBAM
  }
  if (event.located) {
    flags |= kLocationValid;
    put(into, 32, static_cast<std::uint16_t>(event.stream / handles));
    put(into, 34, static_cast<std::uint16_t>(event.stream % handles));
  }
  put(into, 1, flags);
}

void put_events(const ControllerParts& parts, const NvmePlacement& placement, bool of_host,
                std::vector<std::byte>& page) {
  std::byte* into = blank(page, kEventBytes * (1 + FdpEvents::kMost));
  const auto& events = parts.device.fdp_events()->events(of_host);
  put(into, 0, static_cast<std::uint32_t>(events.size()));
  for (const FdpEvent& event : events) put_event(parts, placement, event, into += kEventBytes);
}

// What of the feature FDP Events both of its commands say: a handle, and how many event types.
Status read_events_feature(const ControllerParts& parts, const Entry& entry, std::uint32_t& handle,
                           std::uint32_t& types) {
  handle = entry.dword11 & 0xffffU;
  types = entry.dword11 >> 16U & 0xffU;
  return handle < parts.device.placement().persistent.size() && types != 0 ? Status::Success : Status::InvalidField;
}

}  // namespace

Status read_directive(const ControllerParts& parts, const Entry& entry, PlacementId& placement) {
  const std::uint32_t type = entry.dword12 >> 20U & 0xfU;
  placement = {};
  if (type == static_cast<std::uint32_t>(Directive::None)) return Status::Success;
  const NvmePlacement device = parts.device.placement();
  const bool known = type == static_cast<std::uint32_t>(Directive::DataPlacement) ? device.groups != 0
                     : type == static_cast<std::uint32_t>(Directive::Streams)     ? device.streams
                                                                                  : false;
  if (!known) return Status::InvalidField;
  placement = {static_cast<Directive>(type), static_cast<std::uint16_t>(entry.dword13 >> 16U)};
  return Status::Success;
}

Status write_io_management(const ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page) {
  const NvmePlacement placement = parts.device.placement();
  if (placement.groups == 0) return Status::InvalidOpcode;
  if ((entry.dword10 & 0xffU) != kHandleStatus) return Status::InvalidField;
  std::byte* const into = blank(page, kStatusHead + kStatusEntry * placement.handles.size());
  put(into, 14, static_cast<std::uint16_t>(placement.handles.size()));
  for (std::size_t i = 0; i < placement.handles.size(); ++i) {
    std::byte* const one = into + kStatusHead + kStatusEntry * i;
    put(one, 0, placement.handles[i].identifier);
    put(one, 2, static_cast<std::uint16_t>(i % placement.persistent.size()));
    put(one, 4, placement.handles[i].seconds_left);                                   // EARUTR
    put(one, 8, placement.handles[i].available_bytes / parts.device.sector_bytes());  // RUAMW
  }
  return Status::Success;
}

Status read_handle_update(const ControllerParts& parts, const Entry& entry, std::uint32_t& bytes) {
  const NvmePlacement placement = parts.device.placement();
  if (placement.groups == 0) return Status::InvalidOpcode;
  if ((entry.dword10 & 0xffU) != kHandleUpdate) return Status::InvalidField;
  const std::uint32_t count = (entry.dword10 >> 16U) + 1;
  if (count > placement.handles.size()) return Status::InvalidField;
  bytes = count * 2;
  return Status::Success;
}

Status write_placement_log(const ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page) {
  const auto number = static_cast<std::uint8_t>(entry.dword10);
  const NvmePlacement placement = parts.device.placement();
  if (placement.groups == 0 || number < kFdpConfigurationsLog || number > kFdpEventsLog) return Status::InvalidLogPage;
  if (entry.dword11 >> 16U != kEnduranceGroup) return Status::InvalidField;
  switch (number) {
    case kFdpConfigurationsLog:
      put_configurations(parts, placement, page);
      break;
    case kHandleUsageLog: {
      std::byte* const into = blank(page, 8 + 8 * placement.persistent.size());
      put(into, 0, static_cast<std::uint16_t>(placement.persistent.size()));
      for (std::size_t handle = 0; handle < placement.persistent.size(); ++handle)
        put(into, 8 + 8 * handle, kHostSpecified);
      break;
    }
    case kFdpStatisticsLog: {
      std::byte* const into = blank(page, 64);
      put(into, 0, placement.host_bytes);
      put(into, 16, placement.media_bytes);
      put(into, 32, placement.erased_bytes);
      break;
    }
    default:
      put_events(parts, placement, (entry.dword10 & kHostEvents) != 0, page);
  }
  return Status::Success;
}

// FDPE, and FDPCIDX 0.
Status get_placement_feature(NvmeCommand& command) {
  if ((command.entry.dword11 & 0xffffU) != kEnduranceGroup) return Status::InvalidField;
  command.result = 1;
  return Status::Success;
}

// What it is may be set again. Anything else comes out of sequence as long as the endurance group has namespaces, and
// without these, the device cannot do it.
Status set_placement_feature(const ControllerParts& parts, const Entry& entry) {
  if ((entry.dword11 & 0xffffU) != kEnduranceGroup) return Status::InvalidField;
  if ((entry.dword12 & 0xff01U) == 1) return Status::Success;
  for (std::uint32_t number = 1; number <= parts.namespaces.most(); ++number)
    if (parts.namespaces.allocated(number) != nullptr) return Status::SequenceError;
  return Status::NotChangeable;
}

// A descriptor of each event type there is, as far as the host wants; the default is that none is enabled.
Task<Status> get_fdp_events(ControllerParts& parts, NvmeCommand& command) {
  std::uint32_t handle = 0;
  std::uint32_t types = 0;
  const Status status = read_events_feature(parts, command.entry, handle, types);
  if (status != Status::Success) co_return status;
  const bool current = (command.entry.dword10 >> 8U & 7U) == 0;
  command.take_buffer(types * 2);
  std::memset(command.data, 0, types * std::size_t{2});
  for (std::uint32_t i = 0; i < std::min<std::size_t>(types, kFdpEventTypes.size()); ++i) {
    const FdpEventType type = kFdpEventTypes[i];
    put(command.data, 2 * i, static_cast<std::uint8_t>(type));
    put(command.data, 2 * i + 1,
        static_cast<std::uint8_t>(current && parts.device.fdp_events()->enabled(handle, type) ? 1 : 0));
  }
  command.result = static_cast<std::uint32_t>(kFdpEventTypes.size());
  co_return co_await send_data(parts, command, types * 2);
}

// All types are looked at before the first is enabled.
Task<Status> set_fdp_events(ControllerParts& parts, NvmeCommand& command) {
  std::uint32_t handle = 0;
  std::uint32_t types = 0;
  Status status = read_events_feature(parts, command.entry, handle, types);
  if (status != Status::Success) co_return status;
  status = co_await receive_data(parts, command, types);
  if (status != Status::Success) co_return status;
  const auto type_at = [&](std::uint32_t i) { return static_cast<FdpEventType>(command.data[i]); };
  for (std::uint32_t i = 0; i < types; ++i)
    if (std::ranges::find(kFdpEventTypes, type_at(i)) == kFdpEventTypes.end()) co_return Status::InvalidField;
  const bool enable = (command.entry.dword12 & 1U) != 0;
  for (std::uint32_t i = 0; i < types; ++i) parts.device.fdp_events()->enable(handle, type_at(i), enable);
  co_return Status::Success;
}

}  // namespace flashloom::nvme
