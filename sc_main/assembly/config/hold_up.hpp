// The energy that a drive's capacitors must deliver to flush a full data buffer to flash.
#pragma once

#include <cstdint>

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Upper bounds for a flush on capacitors (docs/reference/power_cuts.md): program units of a full buffer and of data that waits
/// for its program unit to fill; program units that garbage collection copies for them, by the over-provisioning; their
/// time in s on all dies in parallel; and the energy in J, with all other parts at maximum power.
struct HoldUpNeed {
  std::uint64_t programs = 0;
  double copies = 0;
  double seconds = 0;
  double joules = 0;
};

/// For a device whose geometry has been checked, and whose FTL maps pages.
HoldUpNeed hold_up_need(const DeviceConfig& config);

/// Throws ConfigProblem if flushes are acknowledged from a buffer that the capacitors cannot flush.
void check_hold_up(const DeviceConfig& config);

}  // namespace flashloom
