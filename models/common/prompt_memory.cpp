#include "models/common/prompt_memory.hpp"

#include "models/common/timer_queue.hpp"

namespace flashloom {

// Sets the response of a transaction that arrives at `arrival`; returns its completion.
Picoseconds PromptMemory::answer(tlm::tlm_generic_payload& transaction, Picoseconds arrival) {
  const std::uint32_t bytes = transaction.get_data_length();
  transaction.set_dmi_allowed(false);
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  if (!holds(transaction.get_address(), bytes))
    response = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  else if (transaction.get_byte_enable_ptr() != nullptr)
    response = tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  else if (transaction.get_streaming_width() < bytes)
    response = tlm::TLM_BURST_ERROR_RESPONSE;
  transaction.set_response_status(response);
  const bool moves = transaction.is_write() || transaction.is_read();  // else TLM_IGNORE_COMMAND
  if (response != tlm::TLM_OK_RESPONSE || !moves) return arrival;
  return serve(transaction.is_write(), transaction.get_address(), bytes, arrival);
}

tlm::tlm_sync_enum PromptMemory::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // a target may ignore other phases of the base protocol
  const Picoseconds now = kernel_now();
  delay = kernel_time(answer(transaction, now + delay.value()) - now);
  return tlm::TLM_COMPLETED;
}

void PromptMemory::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const Picoseconds now = kernel_now();
  const Picoseconds end = answer(transaction, now);
  if (end != now) sc_core::wait(kernel_time(end - now));
}

}  // namespace flashloom
