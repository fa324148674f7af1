// Front ends that may drive a device in place of a workload, and their requirements on the device.
#pragma once

#include <cstdint>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/load.hpp"

namespace flashloom {

enum class Front : std::uint8_t {
  Linux,           ///< the NVMe driver of a guest, `flashloom linux`
  LinuxTorture,    ///< the same, `flashloom torture --linux`, which cuts the power itself
  VfioUser,        ///< clients of `flashloom vfio-user`
  Nbd,             ///< clients of `flashloom nbd`
  KeptNbd,         ///< the same with --state
  NvmeController,  ///< a virtual platform's driver, through the registers of an NVMe controller
  Platform,        ///< a virtual platform, through block sockets
};

/// Throws ConfigProblem for a device that the front end cannot drive.
void check_front(const DeviceConfig& device, Front front);

/// The same for a device file: throws ConfigError, which names file, line, key and what would be valid.
void require_front(const LoadedConfig& config, Front front);

}  // namespace flashloom
