// How long wires were in use.
#pragma once

#include <algorithm>

#include "models/common/types.hpp"

namespace flashloom {

/// Time that the wires of a channel, or the links of a controller's port, were in use.
struct BusTime {
  Picoseconds command = 0;  ///< command and address cycles, way switches; in a network also scout and hops
  Picoseconds data = 0;     ///< data-in and data-out cycles
};

/// One use of wires: its start, the end of its command cycles, its end.
struct BusGrant {
  Picoseconds begin = 0;
  Picoseconds command_end = 0;
  Picoseconds end = 0;

  /// `time`, which includes this use in full, minus the part of this use after `now`.
  BusTime until(Picoseconds now, BusTime time) const {
    time.command -= command_end - std::clamp(now, begin, command_end);
    time.data -= end - std::clamp(now, command_end, end);
    return time;
  }
};

}  // namespace flashloom
