// What the capacitors of a drive must give, so that a full data buffer comes to flash on them.
#pragma once

#include <cstdint>

#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// The arithmetic of a flush on capacitors (docs/power_cuts.md): program units that a full buffer, and what waits for
/// its program unit to fill, are at most; those that garbage collection copies for them, by the over-provisioning; the
/// time that they take on all dies together; and the energy of all that, with all other parts at their most, in J from
/// the supply.
struct HoldUpNeed {
  std::uint64_t programs = 0;
  double copies = 0;
  double seconds = 0;
  double joules = 0;
};

/// Of a device whose geometry has been checked, and whose FTL maps pages.
HoldUpNeed hold_up_need(const DeviceConfig& config);

/// Throws ConfigProblem where flushes are acknowledged from a buffer that the capacitors do not hold up.
void check_hold_up(const DeviceConfig& config);

}  // namespace flashloom
