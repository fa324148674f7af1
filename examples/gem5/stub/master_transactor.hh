// A STUB of gem5's util/tlm, see sim_control.hh.
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <sim_control.hh>

namespace Gem5SystemC {

class Gem5MasterTransactor : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Gem5MasterTransactor> socket;
  sc_core::sc_port<Gem5SimControlInterface> sim_control;

  Gem5MasterTransactor(sc_core::sc_module_name name, const std::string&) : sc_module(name) {
    socket.register_b_transport(this, &Gem5MasterTransactor::access);
  }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    std::vector<unsigned char>& memory = sim_control->memory;
    const bool crosses = payload.get_address() / 64 != (payload.get_address() + payload.get_data_length() - 1) / 64;
    if (crosses || payload.get_address() + payload.get_data_length() > memory.size())
      SC_REPORT_FATAL("gem5 stub", "a packet that crosses cache lines, or outside of the memory");
    unsigned char* const place = &memory[payload.get_address()];
    if (payload.is_read())
      std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    else
      std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    delay += sc_core::sc_time(50, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

}  // namespace Gem5SystemC
