// How the power that a device declares is split between what is governed and what is not.
#pragma once

#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// The most that a part of the drive can draw behind the regulators, in W; infinite where nothing limits it.
struct PartPower {
  std::string part;
  double watts = 0;
};

/// Every part but the arrays of the dies and the bytes on the link, each with the highest power of any state.
std::vector<PartPower> states_beside_arrays(const DeviceConfig& config);

/// The maximum power of an operational power state, of the whole device.
struct PowerSplit {
  std::vector<PartPower> parts;  ///< that are not governed, with the bytes that they move
  double rest = 0;               ///< W from the supply for `parts` and the capacitors
  double shared = 0;             ///< W behind the regulators that are left to the arrays and the bytes on the link
};
PowerSplit split_power(const DeviceConfig& config, double max_power);

/// Throws ConfigProblem if the chosen power state declares less than its device needs to do anything.
void check_power_states(const DeviceConfig& config);

}  // namespace flashloom
