#include "controllers/nvme/zoned_namespace.hpp"

#include <algorithm>
#include <array>

#include "controllers/nvme/events.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/log_pages.hpp"

namespace flashloom::nvme {
namespace {

enum CommandSetCns : std::uint8_t {
  kNamespaceOfSet = 0x05,
  kControllerOfSet = 0x06,
  kActiveNamespacesOfSet = 0x07,
  kAnyNamespace = 0x08,
  kAllocatedNamespacesOfSet = 0x1a,
  kAllocatedNamespaceOfSet = 0x1b,
  kCommandSets = 0x1c,
};

constexpr std::uint16_t kAnyController = 0xffff;
constexpr std::size_t kLbaFormatExtensions = 2816;
constexpr std::uint16_t kReadsAcrossBoundaries = 1;    // of OZCS
constexpr std::uint16_t kRandomWriteAreas = 1U << 1U;  // of OZCS
constexpr std::uint8_t kExplicitCommits = 1;           // of ZRWACAP
constexpr std::uint8_t kSequentialWriteRequired = 2;   // zone type
constexpr std::uint32_t kSupported = 1;                // of a command's effects
constexpr std::uint32_t kContent = 1U << 1U;           // changes what logical blocks hold
constexpr std::size_t kIoEffects = 1024;
constexpr std::size_t kMostChangedZones = 511;
constexpr std::uint16_t kTooManyChangedZones = 0xffff;

constexpr std::array kFilters = {
    ZoneState::Empty, ZoneState::ImplicitlyOpened, ZoneState::ExplicitlyOpened, ZoneState::Closed,
    ZoneState::Full,  ZoneState::ReadOnly,         ZoneState::Offline};

bool known(std::uint8_t command_set) { return command_set == kNvmCommandSet || command_set == kZonedCommandSet; }

void put_zoned_namespace(const NvmeDevice& device, std::byte* into) {
  const NvmeZones zones = device.zones();
  const std::uint64_t sector = device.sector_bytes();
  const bool random = zones.random_area_bytes != 0;
  put<std::uint16_t>(into, 0, 0);  // ZOC: capacities do not change, no zone is finished by the controller
  put<std::uint16_t>(into, 2, kReadsAcrossBoundaries | (random ? kRandomWriteAreas : 0));
  put(into, 4, zones.max_active - 1);  // MAR
  put(into, 8, zones.max_open - 1);    // MOR
  if (random) {
    put(into, 44, zones.max_random_areas - 1);                                       // NUMZRWA
    put(into, 48, static_cast<std::uint16_t>(zones.random_granule_bytes / sector));  // ZRWAFG
    put(into, 50, static_cast<std::uint16_t>(zones.random_area_bytes / sector));     // ZRWAS
    put(into, 52, kExplicitCommits);                                                 // ZRWACAP
  }
  put(into, kLbaFormatExtensions, zones.zone_bytes / sector);  // ZSZE; ZDES: descriptors have no extension
}

Status identify_namespace(ControllerParts& parts, const Entry& entry, bool active, std::byte* into) {
  const std::uint32_t number = entry.name_space;
  if (number == 0 || number > parts.namespaces.most()) return Status::InvalidNamespace;
  if (!known(command_set_of(entry))) return Status::InvalidCommandSet;
  const Namespace* const space = active ? parts.namespaces.active(number) : parts.namespaces.allocated(number);
  // That of the NVM command set tells of protection information, of which there is none.
  if (space != nullptr && command_set_of(entry) == kZonedCommandSet) put_zoned_namespace(parts.device, into);
  return Status::Success;
}

// Whatever its I/O command set.
void put_any_namespace(const Namespace& space, std::byte* into) {
  constexpr std::uint8_t kReady = 1;                                  // of NSTAT
  put(into, 3, static_cast<std::uint8_t>(0x80U | space.formatting));  // FPI
  put(into, 14, kReady);
}

Status list_namespaces(ControllerParts& parts, const Entry& entry, bool active, std::byte* into) {
  if (entry.name_space >= kAllNamespaces - 1) return Status::InvalidNamespace;
  if (!known(command_set_of(entry))) return Status::InvalidField;
  if (command_set_of(entry) == kZonedCommandSet) put_namespace_list(parts, entry.name_space, active, into);
  return Status::Success;
}

}  // namespace

Status identify_by_command_set(ControllerParts& parts, const Entry& entry, std::byte* into) {
  if (!parts.device.zones().present()) return Status::InvalidField;
  switch (entry.dword10 & 0xffU) {
    case kNamespaceOfSet:
      return identify_namespace(parts, entry, true, into);
    case kAllocatedNamespaceOfSet:
      return identify_namespace(parts, entry, false, into);
    case kControllerOfSet:
      // Of zones: ZASL 0, an append has as many data as any command. Of the NVM command set: no limits.
      return known(command_set_of(entry)) ? Status::Success : Status::InvalidField;
    case kActiveNamespacesOfSet:
      return list_namespaces(parts, entry, true, into);
    case kAllocatedNamespacesOfSet:
      return list_namespaces(parts, entry, false, into);
    case kAnyNamespace: {
      if (entry.name_space == 0 || entry.name_space > parts.namespaces.most()) return Status::InvalidNamespace;
      if (const Namespace* const space = parts.namespaces.active(entry.name_space)) put_any_namespace(*space, into);
      return Status::Success;
    }
    case kCommandSets: {
      const auto controller = static_cast<std::uint16_t>(entry.dword10 >> 16U);
      if (controller != kAnyController && controller != kControllerId) return Status::InvalidField;
      put(into, 0, std::uint64_t{1} << kNvmCommandSet | std::uint64_t{1} << kZonedCommandSet);  // the one combination
      return Status::Success;
    }
    default:
      return Status::InvalidField;
  }
}

Status write_log_page_of_zones(ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page) {
  const auto number = static_cast<std::uint8_t>(entry.dword10);
  if (number == kChangedZonesLog) {
    if (parts.namespaces.active(entry.name_space) == nullptr) return Status::InvalidNamespace;
    parts.changed_zones.look(parts.device);
    page.assign(ChangedZones::kPageBytes, std::byte{0});
    parts.changed_zones.write_page(parts.device.sector_bytes(), page.data());
    return Status::Success;
  }
  const auto command_set = static_cast<std::uint8_t>(entry.dword14 >> 24U);
  if (number == kEffectsLog && !known(command_set)) return Status::CommandSetNotSupported;
  const Status status = write_log_page(parts, entry, page);
  if (number != kEffectsLog || status != Status::Success) return status;
  std::byte* const io = page.data() + kIoEffects;
  for (const std::uint8_t opcode : {kWriteUncorrectable, kWriteZeroes, kDatasetManagement}) put(io, 4U * opcode, 0U);
  for (const std::uint8_t opcode : {kNamespaceManagement, kNamespaceAttachment}) put(page.data(), 4U * opcode, 0U);
  if (command_set != kZonedCommandSet) return status;
  put(io, 4U * kZoneManagementSend, kSupported | kContent);
  put(io, 4U * kZoneManagementReceive, kSupported);
  put(io, 4U * kZoneAppend, kSupported | kContent);
  return status;
}

bool ChangedZones::look(NvmeDevice& device) {
  const std::size_t before = starts_.size();
  device.take_zone_changes(starts_);
  if (starts_.size() == before) return false;
  std::ranges::sort(starts_);
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  return true;
}

void look_at_zones(ControllerParts& parts) {
  if (parts.changed_zones.look(parts.device) && (parts.features.current(kEventConfiguration) & kZoneNotices) != 0)
    parts.events.happened(EventType::Notice, kZoneDescriptorChanged, kChangedZonesLog, kZonedNamespace);
}

void ChangedZones::write_page(std::uint64_t sector_bytes, std::byte* into) const {
  if (starts_.size() > kMostChangedZones) return put(into, 0, kTooManyChangedZones);
  put(into, 0, static_cast<std::uint16_t>(starts_.size()));
  for (std::size_t i = 0; i < starts_.size(); ++i) put(into, 8 + 8 * i, starts_[i] / sector_bytes);
}

bool knows_filter(std::uint32_t filter) { return filter <= kFilters.size(); }

bool passes_filter(std::uint32_t filter, ZoneState state) { return filter == 0 || kFilters[filter - 1] == state; }

void put_zone_descriptor(const ZoneDescriptor& zone, std::uint64_t begin, std::uint64_t sector_bytes, std::byte* into) {
  put(into, 0, kSequentialWriteRequired);
  put(into, 1, static_cast<std::uint8_t>(static_cast<unsigned>(zone.state) << 4U));
  put(into, 2,
      static_cast<std::uint8_t>((zone.finish_recommended ? 1U << 1U : 0U) | (zone.reset_recommended ? 1U << 2U : 0U) |
                                (zone.random_write_area ? 1U << 3U : 0U)));
  put(into, 8, zone.capacity / sector_bytes);
  put(into, 16, (zone.start - begin) / sector_bytes);
  put(into, 24, (zone.write_pointer - begin) / sector_bytes);
}

}  // namespace flashloom::nvme
