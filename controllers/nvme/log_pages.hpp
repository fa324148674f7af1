// Get Log Page (section 5.14.1): the pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

enum LogPage : std::uint8_t {
  kErrorLog = 0x01,
  kHealthLog = 0x02,
  kFirmwareLog = 0x03,
  kChangedNamespacesLog = 0x04,
  kEffectsLog = 0x05,
  kSelfTestLog = 0x06,
  kSanitizeLog = 0x81,
  kCloudHealthLog = 0xc0,
};

/// Fills `page` with the page as it is now. InvalidLogPage: there is none of this number.
Status write_log_page(ControllerParts& parts, const Entry& entry, std::vector<std::byte>& page);
/// Bits of the health log's critical warning that hold now.
std::uint8_t critical_warning(ControllerParts& parts, const NvmeHealth& health);

}  // namespace flashloom::nvme
