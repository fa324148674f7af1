// Identify (section 5.15): what controller and namespaces are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "controllers/nvme/controller_parts.hpp"

namespace flashloom::nvme {

inline constexpr std::uint32_t kIdentifyBytes = 4096;
inline constexpr const char* kFirmwareRevision = "1.0";
inline constexpr std::uint32_t kVersion = 0x00010400;  ///< NVMe 1.4
inline constexpr std::uint16_t kControllerId = 1;
/// Temperature at which the controller says that it is too hot, and that it is far too hot, K.
inline constexpr std::uint16_t kWarningTemperature = 343;
inline constexpr std::uint16_t kCriticalTemperature = 353;

/// Numbers of namespaces behind `after` that are active, or allocated, in order.
void put_namespace_list(ControllerParts& parts, std::uint32_t after, bool active, std::byte* into);

/// Writes the structure that the command's CNS asks for into `into`, kIdentifyBytes of zeroes.
Status identify(ControllerParts& parts, const Entry& entry, std::byte* into);

}  // namespace flashloom::nvme
