// Idle time of a device on the instant clock.
#pragma once

#include <cstdint>

#include "controllers/host/instant_host.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Lets the device do its background work in an idle time of `gap` ps: as many steps as copies of a program unit fit
/// into it. Returns the number of steps.
inline std::uint64_t rest_instantly(InstantHost& host, const DeviceConfig& config, Picoseconds gap) {
  if (gap <= config.ftl.gc_idle_time || !config.works_in_idle_time()) return 0;
  const NandConfig& nand = config.nand;
  const Picoseconds copy = nand.read_time.back() + nand.first_pass() + nand.program_time.back();
  return host.idle((gap - config.ftl.gc_idle_time) / copy);
}

}  // namespace flashloom
