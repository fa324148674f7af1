// What a device file says of the logic of the controller beside its cores: [controller].
#pragma once

#include "models/common/types.hpp"

namespace flashloom {

/// [controller]
struct ControllerConfig {
  double idle_power = 0;   ///< W, at all times
  double byte_energy = 0;  ///< J a byte that the host has read or written
  // Latencies that occupy nothing: a pipeline takes the next command, or page, at once.
  Picoseconds read_latency = 0;   ///< each read command, between its entry and firmware
  Picoseconds write_latency = 0;  ///< each write command, the same
  /// Each page that is read, from its last data cycle until the data are handed on. Without bit errors alone: with
  /// them EccConfig::decode_time is that.
  Picoseconds read_page_latency = 0;

  /// It draws something.
  bool present() const { return idle_power != 0 || byte_energy != 0; }
};

}  // namespace flashloom
