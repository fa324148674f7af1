// A target socket for registers: every access is over at once.
#pragma once

#include <functional>
#include <systemc>
#include <tlm>

namespace flashloom::nvme {

/// Blocking, non-blocking (answered TLM_COMPLETED) and debug accesses all go to one function, and take no time.
class RegisterPort final : private tlm::tlm_fw_transport_if<> {
 public:
  /// Reads or writes payload data, which is there, without byte enables or streaming; returns the response.
  using Access = std::function<tlm::tlm_response_status(tlm::tlm_generic_payload&)>;

  RegisterPort(tlm::tlm_target_socket<>& socket, Access access) : access_(std::move(access)) { socket.bind(*this); }

 private:
  void serve(tlm::tlm_generic_payload& payload) {
    payload.set_dmi_allowed(false);
    if (payload.get_byte_enable_ptr() != nullptr)
      payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    else if (payload.get_data_ptr() == nullptr || payload.get_data_length() == 0 ||
             payload.get_streaming_width() < payload.get_data_length())
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else if (payload.get_command() == tlm::TLM_IGNORE_COMMAND)
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    else
      payload.set_response_status(access_(payload));
  }
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time&) override {
    if (phase == tlm::BEGIN_REQ) serve(payload);
    return tlm::TLM_COMPLETED;
  }
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override { serve(payload); }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override {
    serve(payload);
    return payload.is_response_ok() ? payload.get_data_length() : 0;
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

  Access access_;
};

}  // namespace flashloom::nvme
