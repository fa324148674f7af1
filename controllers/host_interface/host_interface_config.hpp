// What a device file says of the front end of the device: [host_interface].
#pragma once

#include <cstdint>

#include "models/block/namespaces.hpp"
#include "policies/parameters.hpp"

namespace flashloom {

/// [host_interface]: NVMe or SATA front end of the device.
struct HostInterfaceConfig {
  PolicyChoice kind{"nvme", {}};
  std::uint32_t queue_depth = 1024;  ///< entries a submission queue
  std::uint32_t commands = 1024;     ///< commands in the device at once
  std::uint32_t sector_size = 512;   ///< bytes a logical block: 512 or 4096
  /// AWUPF, bytes: a write of so many that lies in one mapping unit is never torn by a cut; 0 = the unit.
  std::uint32_t atomic_write = 0;
  NamespaceSizes namespaces;
};

/// Throws ConfigProblem for a sector size, or an atomic write, that no device has. `mapping_unit`: bytes.
void check_config(const HostInterfaceConfig& interface, std::uint32_t mapping_unit);

}  // namespace flashloom
