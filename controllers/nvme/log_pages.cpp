#include "controllers/nvme/log_pages.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "controllers/nvme/data_placement.hpp"
#include "controllers/nvme/error_log.hpp"
#include "controllers/nvme/features.hpp"
#include "controllers/nvme/identify.hpp"
#include "controllers/nvme/life.hpp"
#include "controllers/nvme/little_endian.hpp"
#include "controllers/nvme/self_test.hpp"

namespace flashloom::nvme {
namespace {

constexpr std::size_t kHealthBytes = 512;
constexpr std::uint64_t kDataUnit = 512'000;  // bytes
constexpr std::uint8_t kSpareThreshold = 10;  // percent
constexpr std::size_t kMostChanges = 1024;
constexpr std::uint64_t kBadBlockMask = (std::uint64_t{1} << 48U) - 1;

// Composite: over and under, of TMPSEL 0.
constexpr std::uint32_t kUnder = 1U << 4U;

std::uint8_t percent(double share, double most) {
  return static_cast<std::uint8_t>(std::clamp(std::floor(share * 100), 0.0, most));
}

std::uint16_t composite_temperature(const ControllerParts& parts, const NvmeHealth& health) {
  return health.kelvins[0] != 0 ? health.kelvins[0] : static_cast<std::uint16_t>(parts.config.temperature);
}

void put_health(ControllerParts& parts, std::byte* into) {
  const NvmeHealth health = parts.device.health();
  const Life& life = parts.life;
  put(into, 0, critical_warning(parts, health));
  put(into, 1, composite_temperature(parts, health));
  put(into, 3, percent(health.spare, 100));
  put(into, 4, kSpareThreshold);
  put(into, 5, percent(health.used, 255));
  put(into, 32, (health.bytes_read + kDataUnit - 1) / kDataUnit);
  put(into, 48, (health.bytes_written + kDataUnit - 1) / kDataUnit);
  put(into, 64, health.reads);
  put(into, 80, health.writes);
  put(into, 96, static_cast<std::uint64_t>(seconds(life.busy) / 60));
  put(into, 112, life.power_cycles);
  put(into, 128, life.hours(parts.powered_for()));
  put(into, 144, life.unsafe_shutdowns);
  put(into, 160, life.media_errors);
  put(into, 176, life.errors);
  for (std::size_t sensor = 1; sensor < health.kelvins.size(); ++sensor)
    put(into, 198 + 2 * sensor, health.kelvins[sensor]);
}

void put_effects(const ControllerParts& parts, std::byte* into) {
  constexpr std::uint32_t kSupported = 1;
  constexpr std::uint32_t kContent = 1U << 1U;       // changes what logical blocks hold
  constexpr std::uint32_t kCapabilities = 1U << 2U;  // changes what a namespace can do
  constexpr std::uint32_t kInventory = 1U << 3U;     // changes which namespaces there are
  constexpr std::uint32_t kAlone = 1U << 16U;        // no other command to the namespace beside it
  for (const std::uint8_t opcode :
       {kDeleteSubmissionQueue, kCreateSubmissionQueue, kGetLogPage, kDeleteCompletionQueue, kCreateCompletionQueue,
        kIdentify, kAbort, kSetFeatures, kGetFeatures, kAsynchronousEventRequest, kKeepAlive, kDeviceSelfTest})
    put(into, 4U * opcode, kSupported);
  put(into, 4U * kNamespaceManagement, kSupported | kInventory);
  put(into, 4U * kNamespaceAttachment, kSupported | kInventory);
  put(into, 4U * kFormat, kSupported | kContent | kCapabilities | kAlone);
  std::byte* const io = into + 1024;
  for (const std::uint8_t opcode : {kRead, kCompare, kVerify}) put(io, 4U * opcode, kSupported);
  for (const std::uint8_t opcode : {kFlush, kWrite, kWriteUncorrectable, kWriteZeroes, kDatasetManagement})
    put(io, 4U * opcode, kSupported | kContent);
  if (parts.device.placement().groups == 0) return;
  put(io, 4U * kIoManagementReceive, kSupported);
  put(io, 4U * kIoManagementSend, kSupported);
}

// SMART / Health Information Extended of the Open Compute Project (Datacenter NVMe SSD Specification 2.0, section
// 4.8.6): what was written to the media, which the page of NVMe does not tell. What the model does not know is 0.
void put_cloud_health(ControllerParts& parts, std::byte* into) {
  constexpr std::array<std::uint8_t, 16> kGuid = {0xc5, 0xaf, 0x10, 0x28, 0xea, 0xbf, 0xf2, 0xa4,
                                                  0x9c, 0x4f, 0x6f, 0x7c, 0xc9, 0x14, 0xd5, 0xaf};
  const NvmeHealth health = parts.device.health();
  put(into, 0, health.nand_bytes_written);
  put(into, 16, health.nand_bytes_read);
  put(into, 32, health.bad_blocks & kBadBlockMask);
  put<std::uint16_t>(into, 38, percent(health.spare, 100));
  put(into, 56, parts.life.media_errors);
  put(into, 80, percent(health.used, 255));
  put(into, 88, health.most_erases);
  put(into, 92, health.least_erases);
  put(into, 112, static_cast<std::uint32_t>(parts.life.unsafe_shutdowns));
  put(into, 120, percent(health.spare, 100));
  put<std::uint16_t>(into, 494, 2);
  std::memcpy(into + 496, kGuid.data(), kGuid.size());
}

}  // namespace

std::uint8_t critical_warning(ControllerParts& parts, const NvmeHealth& health) {
  unsigned warning = 0;
  if (health.spare * 100 < kSpareThreshold) warning |= 1U;
  const std::uint32_t temperature = composite_temperature(parts, health);
  if (temperature >= parts.features.current(kTemperatureThreshold, 0) ||
      temperature <= parts.features.current(kTemperatureThreshold, kUnder))
    warning |= 1U << 1U;
  if (health.used >= 1) warning |= 1U << 2U;
  if (health.read_only) warning |= 1U << 3U;
  return static_cast<std::uint8_t>(warning);
}

Status write_log_page(ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page) {
  const auto blank = [&page](std::size_t bytes) {
    page.assign(bytes, std::byte{0});
    return page.data();
  };
  switch (entry.dword10 & 0xffU) {
    case kErrorLog:
      parts.errors.write_page(blank(std::size_t{ErrorLog::kEntries} * ErrorLog::kEntryBytes));
      return Status::Success;
    case kHealthLog:
      put_health(parts, blank(kHealthBytes));
      return Status::Success;
    case kFirmwareLog: {
      std::byte* const into = blank(512);
      put<std::uint8_t>(into, 0, 1);  // slot 1 is active
      put_text(into, 8, 8, kFirmwareRevision);
      return Status::Success;
    }
    case kChangedNamespacesLog: {
      std::byte* const into = blank(4 * kMostChanges);
      const std::vector<std::uint32_t>& changes = parts.namespaces.changes();
      if (changes.size() > kMostChanges)
        put(into, 0, kAllNamespaces);
      else
        std::copy(changes.begin(), changes.end(), reinterpret_cast<std::uint32_t*>(into));
      return Status::Success;
    }
    case kEffectsLog:
      put_effects(parts, blank(4096));
      return Status::Success;
    case kSelfTestLog:
      parts.self_test->write_page(blank(SelfTest::kLogBytes));
      return Status::Success;
    case kSanitizeLog:
      put<std::uint16_t>(blank(512), 0, 0xffff);  // never sanitized: the drive has no way to do so
      return Status::Success;
    case kCloudHealthLog:
      put_cloud_health(parts, blank(512));
      return Status::Success;
    default:
      return write_placement_log(parts, entry, page);
  }
}

}  // namespace flashloom::nvme
