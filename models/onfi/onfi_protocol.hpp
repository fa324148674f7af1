// The ONFI socket: flash controller -> channel -> die, one binding a die.
//
// Phases (of TLM's AT set):
//   BEGIN_REQ  (forward)   the command is handed over; it waits until the channel grants it the bus
//   END_REQ    (backward)  command, address and data-in cycles are over; the bus is free for other dies
//   BEGIN_RESP (backward)  R/B# goes ready: the array is done. Never waits for the bus
//   END_RESP   (backward)  data-out cycles are over (reads; for others at once): the command is complete
// A channel is lazy: it wakes only for completions, so it *delivers* only END_RESP, with the instants of the other
// phases in OnfiCommand::at; an observer that attaches to a channel is told every phase in time order (OnfiObserver).
#pragma once

#include <systemc>
#include <tlm>

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct OnfiProtocol {
  using tlm_payload_type = OnfiCommand;
  using tlm_phase_type = tlm::tlm_phase;
};

using OnfiForward = tlm::tlm_fw_transport_if<OnfiProtocol>;
using OnfiBackward = tlm::tlm_bw_transport_if<OnfiProtocol>;
using OnfiInitiatorSocket = tlm::tlm_initiator_socket<8, OnfiProtocol>;
using OnfiTargetSocket = tlm::tlm_target_socket<8, OnfiProtocol>;

enum class OnfiPhase : std::uint8_t { BeginRequest, BusGranted, EndRequest, BeginResponse, BeginData, EndResponse };

/// Told every phase of every command on a channel, in time order; `at` may lie before the kernel's now. Pages read
/// together are told as one, their first, up to BeginResponse, and then one by one: their data, their ends.
class OnfiObserver {
 public:
  virtual ~OnfiObserver() = default;
  virtual void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) = 0;
};

}  // namespace flashloom
