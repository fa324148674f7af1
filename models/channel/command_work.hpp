// A channel's or network's record of a command, and how it hands the command to its die.
#pragma once

#include "models/nand/nand_timing.hpp"
#include "models/onfi/onfi_ports.hpp"

namespace flashloom {

/// A command with the durations of its phases; for pages read together, the one with the next data-out.
struct CommandWork {
  OnfiCommand* command = nullptr;
  Picoseconds command_time = 0;
  Picoseconds select_time = 0;  ///< before each data-out
  Picoseconds data_time = 0;
  Picoseconds array_time = 0;

  CommandWork() = default;
  /// For a command that has just arrived: its instants are not known yet.
  [[gnu::always_inline]] CommandWork(OnfiCommand& first, const NandTiming& timing)
      : command(&first),
        command_time(timing.request_time(first)),
        select_time(timing.data_out_setup(first.together != nullptr && first.bytes != 0)),
        data_time(first.operation == FlashOperation::Erase ? 0 : timing.data_time(first.bytes)),
        array_time(timing.array_time(first)) {
    for (OnfiCommand* each = &first; each != nullptr; each = each->together) {
      each->at.granted = each->at.loaded = each->at.array_begin = each->at.array_end = kNever;
      each->at.data_begin = each->at.complete = kNever;
      each->at.suspended = 0;
    }
  }

  /// Not granted the wires yet.
  bool waits() const { return command->at.granted == kNever; }
  bool sends_data() const { return command->operation == FlashOperation::Read && data_time != 0; }
};

/// Asks the die to begin `command` at command.at.array_begin, for `array_time`; false: the die returns another time.
inline bool begin_array(OnfiInitiatorSocket& die, OnfiCommand& command, Picoseconds array_time) {
  const Picoseconds begin = command.at.array_begin;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  if (die->nb_transport_fw(command, phase, delay) != tlm::TLM_UPDATED || phase != tlm::BEGIN_RESP ||
      delay.value() != array_time) [[unlikely]]
    return false;
  for (OnfiCommand* each = &command; each != nullptr; each = each->together) {
    each->at.array_begin = begin;
    each->at.array_end = begin + array_time;
  }
  return true;
}

/// Tells the die to carry `command` out.
inline void end_response(OnfiInitiatorSocket& die, OnfiCommand& command) {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay;
  die->nb_transport_fw(command, phase, delay);
}

/// Tells the controller that `command` is complete.
inline void end_response(OnfiTargetSocket& controller, OnfiCommand& command) {
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay;
  controller->nb_transport_bw(command, phase, delay);
}

}  // namespace flashloom
