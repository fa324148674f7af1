// A PCI slot of a guest: its driver's accesses become transactions on TLM sockets, and the device's transactions
// accesses to the guest's memory and interrupts (virtio-pcidev: Linux, include/uapi/linux/virtio_pcidev.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "sc_main/linux/vhost_user.hpp"

namespace flashloom {

class PciSlot : public sc_core::sc_module, private tlm::tlm_bw_transport_if<>, private tlm::tlm_fw_transport_if<> {
 public:
  explicit PciSlot(const sc_core::sc_module_name& name);

  /// Listens for a guest at `path`, and forgets the one before.
  void listen_at(const std::string& path);

  tlm::tlm_initiator_socket<> bar0;
  tlm::tlm_initiator_socket<> configuration;
  /// The guest's memory, and where its interrupts go.
  tlm::tlm_target_socket<> memory;

  VhostUser& connection() { return *connection_; }
  /// Carries out what the guest has asked for.
  void serve();
  /// Called when the device has raised an interrupt.
  void on_interrupt(std::function<void()> handler) { on_interrupt_ = std::move(handler); }
  /// There is an interrupt for which the guest is to be called.
  bool interrupts() const { return !messages_.empty() && connection_->queue(kInterrupts).ready(); }
  /// Calls the guest, which waits in its calendar. connection().answered() waits for the end of that.
  void call();

  std::uint64_t accesses() const { return accesses_; }

 private:
  static constexpr std::size_t kCommands = 0;  // queues
  static constexpr std::size_t kInterrupts = 1;
  struct Message;

  void carry_out(const Virtqueue::Chain& chain);
  bool access(const Message& message, bool write, unsigned char* data, std::uint32_t bytes);
  tlm::tlm_response_status reach_memory(tlm::tlm_generic_payload& transaction);

  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override {
    return tlm::TLM_ACCEPTED;
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) override;
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override;

  std::unique_ptr<VhostUser> connection_;
  tlm::tlm_generic_payload payload_;
  std::deque<std::uint32_t> messages_;  // interrupts that the guest has not been called for
  std::uint32_t posted_ = 0;            // writes whose buffers the guest has not been told to free
  std::uint64_t accesses_ = 0;
  std::function<void()> on_interrupt_;
};

}  // namespace flashloom
