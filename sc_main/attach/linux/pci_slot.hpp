// A PCI slot of a guest: turns the driver's accesses into transactions on TLM sockets, and the device's transactions
// into accesses to the guest's memory and interrupts (virtio-pcidev: Linux, include/uapi/linux/virtio_pcidev.h).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "sc_main/attach/linux/pci_port.hpp"
#include "sc_main/attach/linux/vhost_user.hpp"

namespace flashloom {

class PciSlot : public PciPort {
 public:
  explicit PciSlot(const sc_core::sc_module_name& name);

  /// Listens for a guest at `path`, and drops the connection to the previous guest.
  void listen_at(const std::string& path);

  VhostUser& connection() { return *connection_; }
  /// Carries out the guest's accesses.
  void serve();
  /// Called when the device has raised an interrupt.
  void on_interrupt(std::function<void()> handler) { on_interrupt_ = std::move(handler); }
  /// Whether there is an interrupt for the guest.
  bool interrupts() const { return !messages_.empty() && connection_->queue(kInterrupts).ready(); }
  /// Interrupts the guest, which waits in its calendar. connection().answered() waits until it has handled that.
  void call();

  std::uint64_t accesses() const { return accesses_; }

 private:
  static constexpr std::size_t kCommands = 0;  // queues
  static constexpr std::size_t kInterrupts = 1;
  struct Message;

  void carry_out(const Virtqueue::Chain& chain);
  bool carry_out(const Message& message, bool write, unsigned char* data);
  tlm::tlm_response_status reach_memory(tlm::tlm_generic_payload& transaction) override;

  std::unique_ptr<VhostUser> connection_;
  std::deque<std::uint32_t> messages_;  // interrupts not yet sent to the guest
  std::uint32_t posted_ = 0;            // completed writes whose buffers the guest has not yet freed
  std::uint64_t accesses_ = 0;
  std::function<void()> on_interrupt_;
};

}  // namespace flashloom
