#include "models/memory/memory_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/common/timer_queue.hpp"

namespace flashloom {

MemoryModel::MemoryModel(const sc_core::sc_module_name& name, const MemoryConfig& config, const std::string& kind,
                         EnergyLedger& ledger)
    : sc_core::sc_module(name), socket("socket"), config_(config), bandwidth_(config.bandwidth) {
  if (config.size == 0) throw std::invalid_argument(kind + ": size must be above 0");
  double standby = config.background_power;
  if (config.refresh_interval != 0) {
    if (config.refresh_time >= config.refresh_interval) {
      throw std::invalid_argument(kind + ": refresh_time must be below refresh_interval");
    }
    const double open = static_cast<double>(config.refresh_interval - config.refresh_time) /
                        static_cast<double>(config.refresh_interval);
    bandwidth_ = static_cast<std::uint64_t>(std::llround(static_cast<double>(config.bandwidth) * open));
    standby += config.refresh_energy / (static_cast<double>(config.refresh_interval) * 1e-12);
  }
  meter_ = &ledger.add(this->name(), kind, {{"standby", standby, kBackground}},
                       {{"read", config.read_energy, kind + ".read"}, {"write", config.write_energy, kind + ".write"}});
  socket.bind(*this);
}

double MemoryModel::wear() const {
  if (config_.endurance == 0) return 0;
  return static_cast<double>(counters_.write_bytes) /
         (static_cast<double>(config_.size) * static_cast<double>(config_.endurance));
}

void MemoryModel::drop_all() { free_ = std::min(free_, kernel_now()); }

Picoseconds MemoryModel::serve(tlm::tlm_generic_payload& transaction, Picoseconds arrival) {
  const std::uint64_t address = transaction.get_address();
  const std::uint64_t bytes = transaction.get_data_length();
  transaction.set_dmi_allowed(false);
  if (address > config_.size || bytes > config_.size - address) [[unlikely]] {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return arrival;
  }
  if (transaction.get_byte_enable_ptr() != nullptr) [[unlikely]] {
    transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    return arrival;
  }
  if (transaction.get_streaming_width() < bytes) [[unlikely]] {
    transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    return arrival;
  }
  transaction.set_response_status(tlm::TLM_OK_RESPONSE);
  const bool write = transaction.is_write();
  if (!write && !transaction.is_read()) return arrival;  // TLM_IGNORE_COMMAND
  const Picoseconds start = std::max(arrival, free_);
  free_ = start + occupancy(bytes);
  if (write) {
    ++counters_.writes;
    counters_.write_bytes += bytes;
  } else {
    ++counters_.reads;
    counters_.read_bytes += bytes;
  }
  meter_->count(write ? 1 : 0, bytes, start);
  report_(write ? 1 : 0, bytes, start, free_);
  return free_ + (write ? config_.write_latency : config_.read_latency);
}

tlm::tlm_sync_enum MemoryModel::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;  // a phase that the base protocol lets a target ignore
  const Picoseconds now = kernel_now();
  delay = kernel_time(serve(transaction, now + delay.value()) - now);
  return tlm::TLM_COMPLETED;
}

void MemoryModel::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const Picoseconds now = kernel_now();
  const Picoseconds end = serve(transaction, now);
  if (end != now) wait(kernel_time(end - now));
}

bool MemoryModel::get_direct_mem_ptr(tlm::tlm_generic_payload& /*transaction*/, tlm::tlm_dmi& /*dmi*/) { return false; }

unsigned int MemoryModel::transport_dbg(tlm::tlm_generic_payload& /*transaction*/) { return 0; }

}  // namespace flashloom
