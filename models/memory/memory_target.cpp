#include "models/memory/memory_target.hpp"

#include <stdexcept>

#include "models/common/timer_queue.hpp"

namespace flashloom {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind)
    : sc_core::sc_module(name), socket("socket"), size_(config.size), endurance_(config.endurance) {
  if (config.size == 0) throw std::invalid_argument(kind + ": size must be above 0");
  if (config.refresh_interval != 0 && config.refresh_time >= config.refresh_interval)
    throw std::invalid_argument(kind + ": refresh_time must be below refresh_interval");
  socket.bind(*this);
}

double MemoryTarget::wear() const {
  if (endurance_ == 0) return 0;
  return static_cast<double>(counters_.write_bytes) / (static_cast<double>(size_) * static_cast<double>(endurance_));
}

/// Whether `transaction` is to be served; if not, its response says why, or it is one that does nothing.
bool MemoryTarget::accept(tlm::tlm_generic_payload& transaction) const {
  const std::uint64_t bytes = transaction.get_data_length();
  transaction.set_dmi_allowed(false);
  if (!holds(transaction.get_address(), bytes)) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  if (transaction.get_byte_enable_ptr() != nullptr) {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return false;
  }
  if (transaction.get_streaming_width() < bytes) {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return false;
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  return transaction.is_write() || transaction.is_read();  // else TLM_IGNORE_COMMAND
}

Picoseconds MemoryTarget::answer(tlm::tlm_generic_payload& transaction, Picoseconds arrival) {
  if (!accept(transaction)) return arrival;
  return serve(transaction.is_write(), transaction.get_address(), transaction.get_data_length(), arrival);
}

tlm::tlm_sync_enum MemoryTarget::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // a phase that the base protocol lets a target ignore
  const Picoseconds now = kernel_now();
  delay = kernel_time(answer(transaction, now + delay.value()) - now);
  return tlm::TLM_COMPLETED;
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const Picoseconds now = kernel_now();
  const Picoseconds end = answer(transaction, now);
  if (end != now) wait(kernel_time(end - now));
}

bool MemoryTarget::get_direct_mem_ptr(tlm::tlm_generic_payload& /*transaction*/, tlm::tlm_dmi& /*dmi*/) {
  return false;
}

unsigned int MemoryTarget::transport_dbg(tlm::tlm_generic_payload& /*transaction*/) { return 0; }

}  // namespace flashloom
