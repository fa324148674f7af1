// When the phases of a flash command were.
#pragma once

#include "models/common/types.hpp"

namespace flashloom {

/// Instants of a flash command's phases, for statistics, observers and tests.
struct FlashInstants {
  Picoseconds queued = 0;       ///< handed to the flash back end
  Picoseconds issued = 0;       ///< BEGIN_REQ: the die's turn has come to it
  Picoseconds granted = 0;      ///< bus granted for the command cycles
  Picoseconds loaded = 0;       ///< END_REQ: command and data-in cycles are over
  Picoseconds array_begin = 0;  ///< the array starts: at once, or of a cached command when the one before is done
  Picoseconds array_end = 0;    ///< BEGIN_RESP: R/B# ready; of one that stands suspended, since when
  Picoseconds data_begin = 0;   ///< bus granted for data-out
  Picoseconds complete = 0;     ///< END_RESP
  Picoseconds suspended = 0;    ///< time between array_begin and array_end that the array stood still
  Picoseconds resumed = 0;      ///< with `suspended`: since when the array runs again
  /// Read: when its decoding is over, or it has passed the controller's pipeline; 0 with neither.
  Picoseconds decoded = 0;
  Picoseconds switch_wait = 0;  ///< time right after `queued` for its channel's turn (ChannelSwitch)
  Picoseconds power_wait = 0;   ///< time right before `issued` that it waited for power alone (PowerGovernor)
};

}  // namespace flashloom
