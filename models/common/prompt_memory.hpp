// A memory that completes accesses at once, and offers a shortcut around the protocol.
#pragma once

#include <cstdint>
#include <tlm>

#include "models/common/types.hpp"

namespace flashloom {

/// A target of memory sockets that completes everything at once, with the delay annotated, and offers the
/// time of an access by a plain call: an initiator that finds one directly behind its socket (MemoryPort) may skip
/// the transaction, as with TLM-2.0's direct memory interface. Accesses that move data still need the protocol.
///
/// It implements the base protocol by serve(): nb_transport_fw answers TLM_COMPLETED, b_transport waits; byte enables
/// are refused, no DMI.
class PromptMemory : public tlm::tlm_fw_transport_if<> {
 public:
  /// Completion instant of an access that arrives at `arrival` >= now; same effect as a transaction without data
  /// pointer sent now. kNever: the memory refuses the access, and did nothing; the response to a transaction says why.
  virtual Picoseconds serve(bool write, std::uint64_t address, std::uint32_t bytes, Picoseconds arrival) = 0;

  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) final;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) final;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) final { return false; }
  unsigned int transport_dbg(tlm::tlm_generic_payload&) final { return 0; }

 protected:
  /// Whether all these addresses exist; other accesses get an address error.
  virtual bool holds(std::uint64_t /*address*/, std::uint64_t /*bytes*/) const { return true; }

 private:
  Picoseconds answer(tlm::tlm_generic_payload& transaction, Picoseconds arrival);
};

}  // namespace flashloom
