// The host's end of a PCI device on TLM sockets.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace flashloom {

/// Sends the driver's accesses as transactions, which the device answers at once, and receives the device's accesses to
/// memory. These take no time here: the drive's link models their time.
class PciPort : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>, private tlm::tlm_fw_transport_if<> {
 public:
  explicit PciPort(const sc_core::sc_module_name& name);

  tlm::tlm_initiator_socket<> bar0;
  tlm::tlm_initiator_socket<> configuration;
  /// Target for the device's accesses to the host's memory, and for its message interrupts.
  tlm::tlm_target_socket<> memory;

 protected:
  /// False: the device refuses the access. Throws std::runtime_error for a device that does not answer at once.
  bool access(tlm::tlm_initiator_socket<>& socket, bool write, std::uint64_t address, unsigned char* data,
              std::uint32_t bytes);
  virtual tlm::tlm_response_status reach_memory(tlm::tlm_generic_payload& transaction) = 0;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;

  tlm::tlm_generic_payload payload_;
};

}  // namespace flashloom
