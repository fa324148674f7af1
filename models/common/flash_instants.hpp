// Instants of the phases of a flash command.
#pragma once

#include "models/common/types.hpp"

namespace flashloom {

/// Instants of a flash command's phases, for statistics, observers and tests.
struct FlashInstants {
  Picoseconds queued = 0;       ///< handed to the flash back end
  Picoseconds issued = 0;       ///< BEGIN_REQ: the die is free for it
  Picoseconds granted = 0;      ///< bus granted for the command cycles
  Picoseconds loaded = 0;       ///< END_REQ: command and data-in cycles are over
  Picoseconds array_begin = 0;  ///< the array starts: at once, or for a cached command after the previous one
  Picoseconds array_end = 0;    ///< BEGIN_RESP: R/B# ready; for a suspended command: when it was suspended
  Picoseconds data_begin = 0;   ///< bus granted for data-out
  Picoseconds complete = 0;     ///< END_RESP
  Picoseconds suspended = 0;    ///< time between array_begin and array_end in which the array was suspended
  Picoseconds resumed = 0;      ///< with `suspended`: when the array last resumed
  /// Read: end of its decoding, or of the controller's pipeline; 0 with neither.
  Picoseconds decoded = 0;
  Picoseconds switch_wait = 0;  ///< time right after `queued` that it waited for its channel's turn (ChannelSwitch)
  Picoseconds power_wait = 0;   ///< time right before `issued` that it waited for power alone (PowerGovernor)
};

}  // namespace flashloom
