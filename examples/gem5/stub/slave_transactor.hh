// A STUB of gem5's util/tlm, see sim_control.hh.
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <sim_control.hh>

namespace Gem5SystemC {

class Gem5SlaveTransactor : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Gem5SlaveTransactor> socket;
  sc_core::sc_port<Gem5SimControlInterface> sim_control;

  Gem5SlaveTransactor(sc_core::sc_module_name name, const std::string&) : sc_module(name) {
    socket.register_nb_transport_bw(this, &Gem5SlaveTransactor::hear);
  }

 private:
  void before_end_of_elaboration() override { sim_control->processor = &socket; }
  tlm::tlm_sync_enum hear(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) sim_control->answered.notify(delay);
    return tlm::TLM_ACCEPTED;
  }
};

}  // namespace Gem5SystemC
