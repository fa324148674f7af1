// The block socket: anything that stores logical blocks is a target; a host, a tier, an object heap are initiators.
// One binding a submission queue, so that a full queue does not block the others.
//
// Phases (of TLM's AT set):
//   BEGIN_REQ  (forward)   the command is submitted
//   END_REQ    (backward)  accepted into the queue; withheld while the queue is full: back pressure
//   BEGIN_RESP (backward)  complete, in any order; the annotated delay is the way back to the initiator
//   END_RESP   (forward)   optional: the initiator answers BEGIN_RESP with TLM_COMPLETED
//
// transport_dbg of a write asks for its cost, and does nothing: it returns the write's length if the target could store
// it now without a merge (copies of stored data and an erase on its account), else 0. Also 0 if the target does not
// know, and for all other operations.
#pragma once

#include <systemc>
#include <tlm>

#include "models/block/io_command.hpp"

namespace flashloom {

struct BlockProtocol {
  using tlm_payload_type = IoCommand;
  using tlm_phase_type = tlm::tlm_phase;
};

using BlockForward = tlm::tlm_fw_transport_if<BlockProtocol>;
using BlockBackward = tlm::tlm_bw_transport_if<BlockProtocol>;
using BlockInitiatorSocket = tlm::tlm_initiator_socket<32, BlockProtocol>;
using BlockTargetSocket = tlm::tlm_target_socket<32, BlockProtocol>;

}  // namespace flashloom
