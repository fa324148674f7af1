// The ONFI socket: flash controller -> channel -> die, one binding a die.
//
// Phases (of TLM's AT set):
//   BEGIN_REQ  (forward)   the command is handed over; it waits until the channel grants it the bus
//   END_REQ    (backward)  command, address and data-in cycles are over; the bus is free for other dies
//   BEGIN_RESP (backward)  R/B# goes ready: the array is done. Never waits for the bus
//   END_RESP   (backward)  data-out cycles are over (reads; for others at once): the command is complete
//   ARRAY_STANDS (forward, channel to die) the array of a program or an erase is suspended, since at.array_end
//   ARRAY_RUNS (forward)   to the channel: the controller resumes the operation; to the die: it continues, for the
//                          annotated time, until at.array_end
// With cache commands a binding may hold a second command of the same operation, which follows the first; with
// suspension also a read beside a program or an erase, which it interrupts as soon as allowed (see OnfiChannel).
// A channel is lazy: it wakes only for completions, so it *delivers* only END_RESP, with the instants of the other
// phases in OnfiCommand::at; an observer attached to a channel receives every phase in time order (OnfiObserver).
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

TLM_DECLARE_EXTENDED_PHASE(ARRAY_STANDS);
TLM_DECLARE_EXTENDED_PHASE(ARRAY_RUNS);

/// ArrayStands, ArrayRuns: between EndRequest and BeginResponse the array stops working on the command: a cached
/// command waits for the previous one, a suspended one for reads.
enum class OnfiPhase : std::uint8_t {
  BeginRequest,
  BusGranted,
  EndRequest,
  ArrayStands,
  ArrayRuns,
  BeginResponse,
  BeginData,
  EndResponse
};

/// Receives every phase of every command on a channel, in time order; `at` may lie before the kernel's now. Pages read
/// together are reported as their first command up to BeginResponse, and then one by one.
class OnfiObserver {
 public:
  virtual ~OnfiObserver() = default;
  virtual void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) = 0;
};

}  // namespace flashloom
