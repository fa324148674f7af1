#include "sc_main/attach/linux/pci_port.hpp"

#include <stdexcept>

namespace flashloom {

PciPort::PciPort(const sc_core::sc_module_name& name)
    : sc_module(name), bar0("bar0"), configuration("configuration"), memory("memory") {
  bar0.bind(*this);
  configuration.bind(*this);
  memory.bind(*this);
}

bool PciPort::access(tlm::tlm_initiator_socket<>& socket, bool write, std::uint64_t address, unsigned char* data,
                     std::uint32_t bytes) {
  payload_.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload_.set_address(address);
  payload_.set_data_ptr(data);
  payload_.set_data_length(bytes);
  payload_.set_streaming_width(bytes);
  payload_.set_byte_enable_ptr(nullptr);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (socket->nb_transport_fw(payload_, phase, delay) != tlm::TLM_COMPLETED)
    throw std::runtime_error("a PCI device that does not answer at once");
  return payload_.is_response_ok();
}

tlm::tlm_sync_enum PciPort::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                            sc_core::sc_time&) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  transaction.set_response_status(reach_memory(transaction));
  return tlm::TLM_COMPLETED;
}

void PciPort::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time&) {
  transaction.set_response_status(reach_memory(transaction));
}

unsigned PciPort::transport_dbg(tlm::tlm_generic_payload& transaction) {
  transaction.set_response_status(reach_memory(transaction));
  return transaction.is_response_ok() ? transaction.get_data_length() : 0;
}

}  // namespace flashloom
