// A memory that answers at once, and whose initiators need not speak the protocol with it.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/types.hpp"

namespace flashloom {

/// A target of memory sockets that completes everything at once, with the delay annotated, and can be asked for the
/// time of an access by a plain call: an initiator that finds one right behind its socket (MemoryPort) may leave out
/// the transaction, as with TLM-2.0's direct memory interface. Not where data are moved, which take the protocol.
///
/// It speaks the base protocol by serve(): nb_transport_fw answers TLM_COMPLETED, b_transport waits; byte enables are
/// refused, no DMI.
class PromptMemory : public tlm::tlm_fw_transport_if<> {
 public:
  /// When an access that arrives at `arrival`, now or later, is complete: as a transaction without data pointer that is
  /// sent now. kNever: it is one that the memory refuses, and nothing was done; the response to a transaction says why.
  virtual Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) = 0;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) final;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) final;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) final { return false; }
  unsigned int transport_dbg(tlm::tlm_generic_payload&) final { return 0; }

 protected:
  /// Whether it has all of these addresses; an access beyond them gets an address error.
  virtual bool holds(std::uint64_t /*address*/, std::uint64_t /*bytes*/) const { return true; }

 private:
  Picoseconds answer(tlm::tlm_generic_payload& transaction, Picoseconds arrival);
};

}  // namespace flashloom
