#include "controllers/nvme/identify.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "controllers/nvme/error_log.hpp"
#include "controllers/nvme/events.hpp"
#include "controllers/nvme/host_memory.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/zoned_namespace.hpp"

namespace flashloom::nvme {
namespace {

enum Cns : std::uint8_t {
  kNamespace = 0x00,
  kController = 0x01,
  kActiveNamespaces = 0x02,
  kDescriptors = 0x03,
  kAllocatedNamespaces = 0x10,
  kAllocatedNamespace = 0x11,
  kControllersOfNamespace = 0x12,
  kControllers = 0x13,
};

constexpr std::uint32_t kLeastPage = 4096;
constexpr std::size_t kListEntries = kIdentifyBytes / sizeof(std::uint32_t);
constexpr std::uint32_t kOui = 0x02f1a5;  // locally administered: of no manufacturer

// 16 bytes that name a namespace, or (0) the controller, the same in every run.
std::uint64_t unique_number(const ControllerParts& parts, std::uint32_t number) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : parts.config.serial) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash << 8U) ^ number;
}

std::array<std::byte, 16> guid(const ControllerParts& parts, std::uint32_t number) {
  // NAA 6: company identifier, then 100 bits that the company gives.
  const std::uint64_t unique = unique_number(parts, number);
  std::array<std::byte, 16> bytes{};
  bytes[0] = std::byte{0x60 | kOui >> 20U};
  bytes[1] = static_cast<std::byte>(kOui >> 12U);
  bytes[2] = static_cast<std::byte>(kOui >> 4U);
  bytes[3] = static_cast<std::byte>(kOui << 4U);
  for (std::size_t i = 0; i < 8; ++i) bytes[8 + i] = static_cast<std::byte>(unique >> (56 - 8 * i));
  return bytes;
}

void put_power_states(const ControllerParts& parts, std::byte* into) {
  const std::vector<PowerStateConfig>& states = parts.device.power_states();
  const auto microseconds_of = [](Picoseconds time) {
    return static_cast<std::uint32_t>((time + kMicrosecond - 1) / kMicrosecond);
  };
  for (std::size_t i = 0; i < states.size(); ++i) {
    const PowerStateConfig& state = states[i];
    std::byte* const descriptor = into + 2048 + 32 * i;
    const double watts = state.operational ? state.max_power : state.idle_power;
    // In units of 0.01 W, or where that says too little of 0.0001 W.
    const bool fine = watts < 1;
    put(descriptor, 0, static_cast<std::uint16_t>(std::min(std::ceil(watts * (fine ? 1e4 : 1e2)), 65535.0)));
    put(descriptor, 3, static_cast<std::uint8_t>((fine ? 1U : 0U) | (state.operational ? 0U : 2U)));
    put(descriptor, 4, microseconds_of(state.entry_latency));
    put(descriptor, 8, microseconds_of(state.exit_latency));
    const auto rank = static_cast<std::uint8_t>(std::min<std::size_t>(i, 31));
    for (std::size_t field = 12; field < 16; ++field) put(descriptor, field, rank);
  }
}

void put_controller(const ControllerParts& parts, std::byte* into) {
  const NvmeDevice& device = parts.device;
  put<std::uint16_t>(into, 0, 0x1d1d);
  put<std::uint16_t>(into, 2, 0x1d1d);
  put_text(into, 4, 20, parts.config.serial);
  put_text(into, 24, 40, parts.config.model.empty() ? device.name() : parts.config.model);
  put_text(into, 64, 8, kFirmwareRevision);
  put<std::uint8_t>(into, 72, 3);  // RAB: recommended arbitration burst, 2^3
  for (std::size_t i = 0; i < 3; ++i) put(into, 73 + i, static_cast<std::uint8_t>(kOui >> (8 * i)));
  put(into, 77, static_cast<std::uint8_t>(std::bit_width(parts.config.max_transfer / kLeastPage) - 1));
  put(into, 78, kControllerId);
  put(into, 80, kVersion);
  const NvmeZones zones = device.zones();
  put(into, 92, zones.present() ? 1U << 8U | kZoneNotices : 1U << 8U);  // OAES: namespace attribute notices
  if (device.placement().groups != 0) {
    put<std::uint32_t>(into, 96, 1U << 4U | 1U << 19U);  // CTRATT: endurance groups, flexible data placement
    put<std::uint16_t>(into, 340, 1);                    // ENDGIDMAX
  }
  put<std::uint8_t>(into, 111, 1);  // an I/O controller
  // OACS: Format, self-test, namespace management where namespaces are no zones
  put<std::uint16_t>(into, 256, 1U << 1U | 1U << 4U | (zones.present() ? 0U : 1U << 3U));
  put<std::uint8_t>(into, 258, 3);  // ACL
  put<std::uint8_t>(into, 259, EventQueue::kMostRequests - 1);
  put<std::uint8_t>(into, 260, 1U | 1U << 1U);        // FRMW: one slot, which is read-only
  put<std::uint8_t>(into, 261, 1U << 1U | 1U << 2U);  // LPA: commands supported, offsets
  put<std::uint8_t>(into, 262, ErrorLog::kEntries - 1);
  put(into, 263, static_cast<std::uint8_t>(std::max<std::size_t>(device.power_states().size(), 1) - 1));
  put(into, 266, kWarningTemperature);
  put(into, 268, kCriticalTemperature);
  if (const HostMemoryWish wish = device.host_memory(); wish.preferred != 0) {
    const auto units = [](std::uint64_t bytes) {
      return static_cast<std::uint32_t>(
          std::min<std::uint64_t>((bytes + HostMemory::kUnit - 1) / HostMemory::kUnit, UINT32_MAX));
    };
    put(into, 272, units(wish.preferred));                                     // HMPRE
    put(into, 276, units(wish.minimum));                                       // HMMIN
    put(into, 336, static_cast<std::uint16_t>(HostMemory::kMostDescriptors));  // HMMAXD
  }
  put(into, 280, zones.present() ? zones.written_at_most() : parts.namespaces.capacity());
  put(into, 296, parts.namespaces.unallocated());
  put<std::uint16_t>(into, 320, 10);   // KAS, 100 ms
  put<std::uint16_t>(into, 316, 1);    // EDSTT: minutes, rounded up
  put<std::uint8_t>(into, 318, 1);     // DSTO: one self-test at a time
  put<std::uint8_t>(into, 512, 0x66);  // entries of 64 bytes
  put<std::uint8_t>(into, 513, 0x44);  // and of 16
  put(into, 516, parts.namespaces.most());
  const bool bytes = device.keeps_bytes();
  // ONCS: compare, save and select, timestamp, verify; where sectors are written in any order write uncorrectable,
  // dataset management, write zeroes
  put<std::uint16_t>(
      into, 520,
      (bytes ? 1U : 0U) | 1U << 4U | 1U << 6U | 1U << 7U | (zones.present() ? 0U : 1U << 1U | 1U << 2U | 1U << 3U));
  put<std::uint16_t>(into, 522, bytes && !zones.present() ? 1 : 0);  // FUSES: compare and write
  put<std::uint8_t>(into, 524, 0);                                   // FNA: a format is of the namespaces that it names
  put(into, 525, static_cast<std::uint8_t>((device.volatile_cache() ? 1U : 0U) | 3U << 1U));
  const auto atomic = static_cast<std::uint16_t>(device.atomic_bytes() / device.sector_bytes() - 1);
  put(into, 526, atomic);  // AWUN
  put(into, 528, atomic);  // AWUPF
  put<std::uint8_t>(into, 530, 1);
  put(into, 532, bytes && !zones.present() ? atomic : std::uint16_t{0});  // ACWU
  put<std::uint32_t>(into, 536,
                     1U | 1U << 16U | 1U << 18U);  // SGLS: of any alignment, bit buckets, longer than the data
  const std::string name = "nqn.2026-11.org.flashloom:" + parts.config.serial;
  std::memcpy(into + 768, name.data(), std::min<std::size_t>(name.size(), 223));
  put_power_states(parts, into);
}

void put_namespace(const ControllerParts& parts, const Namespace& space, std::uint32_t number, std::byte* into) {
  const NvmeDevice& device = parts.device;
  const std::uint64_t sectors = space.bytes / device.sector_bytes();
  const NvmeZones zones = device.zones();
  const bool zoned = zones.present() && space.exists();
  const std::uint64_t capacity = zoned ? zones.written_at_most() : space.bytes;
  put(into, 0, sectors);                                                                         // NSZE
  for (const std::size_t offset : {8, 16}) put(into, offset, capacity / device.sector_bytes());  // NCAP, NUSE
  put<std::uint8_t>(into, 24, 1U << 1U | 1U << 4U);  // NSFEAT: NAWUN and the like, NPWG and the like say something
  put(into, 32, static_cast<std::uint8_t>(0x80U | space.formatting));  // FPI
  // DLFEAT: deallocated sectors are zeroes, Write Zeroes deallocates
  put<std::uint8_t>(into, 33, 1U | (zones.present() ? 0U : 1U << 3U));
  const auto granule = static_cast<std::uint16_t>(device.unit_bytes() / device.sector_bytes() - 1);
  const auto atomic = static_cast<std::uint16_t>(device.atomic_bytes() / device.sector_bytes() - 1);
  put(into, 34, atomic);   // NAWUN
  put(into, 36, atomic);   // NAWUPF
  put(into, 38, atomic);   // NACWU
  put(into, 40, granule);  // NABSN
  put(into, 42,
      static_cast<std::uint16_t>((device.unit_bytes() - space.begin % device.unit_bytes()) % device.unit_bytes() /
                                 device.sector_bytes()));                                         // NABO
  put(into, 44, granule);                                                                         // NABSPF
  put(into, 48, capacity);                                                                        // NVMCAP
  put(into, 64, granule);                                                                         // NPWG
  put(into, 66, granule);                                                                         // NPWA
  put(into, 68, granule);                                                                         // NPDG
  put(into, 70, granule);                                                                         // NPDA
  put(into, 72, static_cast<std::uint16_t>(device.program_bytes() / device.sector_bytes() - 1));  // NOWS
  if (device.placement().groups != 0) put<std::uint16_t>(into, 102, 1);                           // ENDGID
  const std::array<std::byte, 16> name = guid(parts, number);
  std::memcpy(into + 104, name.data(), name.size());
  put<std::uint32_t>(into, 128, static_cast<std::uint32_t>(std::countr_zero(device.sector_bytes())) << 16U);  // LBAF0
}

void put_descriptors(const ControllerParts& parts, std::uint32_t number, std::byte* into) {
  put<std::uint8_t>(into, 0, 2);  // NGUID
  put<std::uint8_t>(into, 1, 16);
  const std::array<std::byte, 16> name = guid(parts, number);
  std::memcpy(into + 4, name.data(), name.size());
  if (!parts.device.zones().present()) return;
  put<std::uint8_t>(into, 20, 4);  // CSI
  put<std::uint8_t>(into, 21, 1);
  put<std::uint8_t>(into, 24, kZonedCommandSet);
}

}  // namespace

void put_namespace_list(ControllerParts& parts, std::uint32_t after, bool active, std::byte* into) {
  NamespaceTable& namespaces = parts.namespaces;
  std::size_t count = 0;
  for (std::uint32_t number = after + 1; number <= namespaces.most() && count < kListEntries; ++number)
    if ((active ? namespaces.active(number) : namespaces.allocated(number)) != nullptr) put(into, 4 * count++, number);
}

Status identify(ControllerParts& parts, const Entry& entry, std::byte* into) {
  NamespaceTable& namespaces = parts.namespaces;
  const std::uint32_t number = entry.name_space;
  const auto controllers = static_cast<std::uint16_t>(entry.dword10 >> 16U);
  const bool last_of_lists = number >= kAllNamespaces - 1;
  const bool nameable = number != 0 && number <= namespaces.most();
  switch (entry.dword10 & 0xffU) {
    case kNamespace:
      // Of all namespaces: what they have in common.
      if (number == kAllNamespaces) {
        put_namespace(parts, {}, 0, into);
        return Status::Success;
      }
      if (!nameable) return Status::InvalidNamespace;
      if (const Namespace* const found = namespaces.active(number)) put_namespace(parts, *found, number, into);
      return Status::Success;
    case kController:
      put_controller(parts, into);
      return Status::Success;
    case kActiveNamespaces:
      if (last_of_lists) return Status::InvalidNamespace;
      put_namespace_list(parts, number, true, into);
      return Status::Success;
    case kDescriptors:
      if (!nameable || namespaces.active(number) == nullptr) return Status::InvalidNamespace;
      put_descriptors(parts, number, into);
      return Status::Success;
    case kAllocatedNamespaces:
      if (last_of_lists) return Status::InvalidNamespace;
      put_namespace_list(parts, number, false, into);
      return Status::Success;
    case kAllocatedNamespace:
      if (!nameable) return Status::InvalidNamespace;
      if (const Namespace* const found = namespaces.allocated(number)) put_namespace(parts, *found, number, into);
      return Status::Success;
    case kControllersOfNamespace:
      if (!nameable) return Status::InvalidNamespace;
      if (namespaces.active(number) == nullptr || controllers > kControllerId) return Status::Success;
      put<std::uint16_t>(into, 0, 1);
      put(into, 2, kControllerId);
      return Status::Success;
    case kControllers:
      if (controllers > kControllerId) return Status::Success;
      put<std::uint16_t>(into, 0, 1);
      put(into, 2, kControllerId);
      return Status::Success;
    default:
      return identify_by_command_set(parts, entry, into);
  }
}

}  // namespace flashloom::nvme
