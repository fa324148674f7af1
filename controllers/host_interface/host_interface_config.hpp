// What a device file says of the front end of the device: [host_interface].
#pragma once

#include <cstdint>

#include "models/block/namespaces.hpp"
#include "models/common/quantity.hpp"
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

  /// The keys of [host_interface].
  template <class Keys>
  static void describe(Keys& keys) {
    keys.timed_only()
        .part("kind", &HostInterfaceConfig::kind, "host_interface",
              "command protocol; sata sets the default of queue_depth")
        .brings({"queue_depth", "commands"})
        .count("queue_depth", &HostInterfaceConfig::queue_depth, 1, 65536,
               "entries a submission queue; SATA: tags, at most 32, 1: no native command queueing")
        .count("commands", &HostInterfaceConfig::commands, 1, 1048576, "commands in the device at once")
        .shapes_state()
        .key("sector_size", &HostInterfaceConfig::sector_size, Quantity::Bytes, {512, 4096},
             "logical block: 512 B or 4 KiB")
        .timed_only()
        .rare()
        .key("atomic_write", &HostInterfaceConfig::atomic_write, Quantity::Bytes, {0, 1 << 20},
             "AWUPF: what a power cut never tears, within a mapping unit; 0 B: ftl.mapping_unit")
        .key("namespaces", &HostInterfaceConfig::namespaces, Quantity::Bytes, {512, kMaxBytes},
             "sizes of the namespaces, a list, one behind the other on the device; []: one that is all of it")
        .samples({R"(["4 MiB"])", R"(["1 MiB", "2 MiB"])"});
  }
};

/// Throws ConfigProblem for a sector size, or an atomic write, that no device has. `mapping_unit`: bytes.
void check_config(const HostInterfaceConfig& interface, std::uint32_t mapping_unit);

}  // namespace flashloom
