// What a device file says of the logic of the controller beside its cores: [controller].
#pragma once

namespace flashloom {

/// [controller]
struct ControllerConfig {
  double idle_power = 0;   ///< W, at all times
  double byte_energy = 0;  ///< J a byte that the host has read or written

  bool present() const { return idle_power != 0 || byte_energy != 0; }
};

}  // namespace flashloom
