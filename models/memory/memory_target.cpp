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

bool MemoryTarget::refuse(tlm::tlm_generic_payload& transaction) const {
  const std::uint64_t address = transaction.get_address();
  const std::uint64_t bytes = transaction.get_data_length();
  if (address > size_ || bytes > size_ - address)
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  else if (transaction.get_byte_enable_ptr() != nullptr)
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  else
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  return false;
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const Picoseconds now = kernel_now();
  const Picoseconds end = serve(transaction, now);
  if (end != now) wait(kernel_time(end - now));
}

bool MemoryTarget::get_direct_mem_ptr(tlm::tlm_generic_payload& /*transaction*/, tlm::tlm_dmi& /*dmi*/) {
  return false;
}

unsigned int MemoryTarget::transport_dbg(tlm::tlm_generic_payload& /*transaction*/) { return 0; }

}  // namespace flashloom
