#include "controllers/nvme/data_placement.hpp"

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

std::byte* blank(std::vector<std::byte>& page, std::size_t bytes) {
  page.assign(bytes, std::byte{0});
  return page.data();
}

std::uint8_t isolation(const NvmePlacement& placement, std::uint32_t handle) {
  return placement.persistent[handle] ? kPersistentlyIsolated : kInitiallyIsolated;
}

// One configuration, with a descriptor of each handle.
void put_configurations(const NvmePlacement& placement, std::vector<std::byte>& page) {
  constexpr std::size_t kHead = 16;
  constexpr std::size_t kFixed = 64;
  const std::size_t descriptor = kFixed + 4 * placement.persistent.size();
  std::byte* const into = blank(page, kHead + descriptor);
  put<std::uint16_t>(into, 0, 0);  // one configuration
  put(into, 4, static_cast<std::uint32_t>(page.size()));
  std::byte* const one = into + kHead;
  put(one, 0, static_cast<std::uint16_t>(descriptor));
  put(one, 2, static_cast<std::uint8_t>(placement.group_bits | 1U << 7U));  // FDPA: RGIF, valid
  put<std::uint16_t>(one, 4, static_cast<std::uint16_t>(placement.groups));
  put<std::uint16_t>(one, 6, static_cast<std::uint16_t>(placement.persistent.size()));
  put<std::uint16_t>(one, 8, static_cast<std::uint16_t>(placement.persistent.size() - 1));  // most placement handles
  put<std::uint32_t>(one, 12, 1);                                                           // namespaces
  put(one, 16, placement.unit_bytes);
  for (std::uint32_t handle = 0; handle < placement.persistent.size(); ++handle)
    put(one + kFixed, 4 * handle, isolation(placement, handle));
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

Status write_placement_log(const ControllerParts& parts, std::uint8_t number, std::vector<std::byte>& page) {
  const NvmePlacement placement = parts.device.placement();
  if (placement.groups == 0) return Status::InvalidLogPage;
  switch (number) {
    case kFdpConfigurationsLog:
      put_configurations(placement, page);
      return Status::Success;
    case kHandleUsageLog: {
      std::byte* const into = blank(page, 8 + 8 * placement.persistent.size());
      put(into, 0, static_cast<std::uint16_t>(placement.persistent.size()));
      for (std::size_t handle = 0; handle < placement.persistent.size(); ++handle)
        put(into, 8 + 8 * handle, kHostSpecified);
      return Status::Success;
    }
    case kFdpStatisticsLog: {
      std::byte* const into = blank(page, 64);
      put(into, 0, placement.host_bytes);
      put(into, 16, placement.media_bytes);
      put(into, 32, placement.erased_bytes);
      return Status::Success;
    }
    default:
      return Status::InvalidLogPage;
  }
}

}  // namespace flashloom::nvme
