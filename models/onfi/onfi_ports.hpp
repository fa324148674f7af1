// The two ends of an ONFI binding, with default implementations of the unused transports.
#pragma once

#include <stdexcept>

#include "models/onfi/onfi_protocol.hpp"

namespace flashloom {

/// Base of command receivers, which implement nb_transport_fw. There is neither blocking nor debug transport, nor DMI.
class OnfiTarget : public OnfiForward {
 public:
  void b_transport(OnfiCommand&, sc_core::sc_time&) override {
    SC_REPORT_FATAL("/flashloom/onfi", "the ONFI socket has no blocking transport");
  }
  bool get_direct_mem_ptr(OnfiCommand&, tlm::tlm_dmi&) override { return false; }
  unsigned int transport_dbg(OnfiCommand&) override { return 0; }

 protected:
  ~OnfiTarget() override = default;
};

/// Base of completion receivers, which implement nb_transport_bw.
class OnfiInitiator : public OnfiBackward {
 public:
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

 protected:
  ~OnfiInitiator() override = default;
};

/// Initiator end for a die, which answers on the forward path only.
class DieEnd final : public OnfiInitiator {
 public:
  tlm::tlm_sync_enum nb_transport_bw(OnfiCommand&, tlm::tlm_phase&, sc_core::sc_time&) override {
    throw std::logic_error("a die answers BEGIN_REQ with its array time, and calls nobody");
  }
};

}  // namespace flashloom
