// A memory whose initiators need not speak the protocol with it.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/types.hpp"

namespace flashloom {

/// A target of memory sockets that completes everything at once, with the delay annotated, and can be asked for the
/// time of an access by a plain call: an initiator that finds one right behind its socket (MemoryPort) may leave out
/// the transaction, as with TLM-2.0's direct memory interface. Not where data are moved, which take the protocol.
class PromptMemory : public tlm::tlm_fw_transport_if<> {
 public:
  /// When an access that arrives at `arrival`, now or later, is complete: as a transaction without data pointer that is
  /// sent now. kNever: it is one that the memory refuses, and nothing was done; the response to a transaction says why.
  virtual Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) = 0;
};

}  // namespace flashloom
