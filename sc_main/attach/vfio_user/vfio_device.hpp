// An NVMe controller as a PCI device of vfio-user.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "controllers/nvme/nvme_controller.hpp"
#include "sc_main/attach/linux/pci_port.hpp"
#include "sc_main/attach/vfio_user/client_memory.hpp"
#include "sc_main/attach/vfio_user/vfio_connection.hpp"

namespace flashloom {

/// Regions: BAR0 and PCI configuration. Interrupts: MSI-X by eventfds, one a vector. As with VFIO, addresses and data in
/// the table of vectors mean nothing; a vector is masked until it has an eventfd, then as the client says last, by a
/// request or by the table's mask bit.
class VfioDevice : public PciPort {
 public:
  explicit VfioDevice(const sc_core::sc_module_name& name) : PciPort(name) {}

  /// To be called before the first client, with the controller that is bound. `give_up`: a descriptor that ends waiting for
  /// a client's memory once it is readable.
  void attach(NvmeController& controller, int give_up);
  /// Carries out the requests of a client from now on, which begins with its version.
  void connect(VfioConnection& client);
  void carry_out(vfio::Message& request);
  /// The client is gone: forgets its memory and eventfds, and resets the function.
  void disconnect();

  /// Called when an eventfd is written.
  void on_interrupt(std::function<void()> handler) { on_interrupt_ = std::move(handler); }

  struct Figures {
    std::uint64_t requests = 0;
    std::uint64_t refused = 0;     ///< of the requests: answered with an error
    std::uint64_t interrupts = 0;  ///< eventfds written
  };
  const Figures& figures() const { return figures_; }

 private:
  // Each replies and returns 0, or returns an errno.
  int answer(vfio::Message& request);
  int version(const vfio::Message& request);
  int map(vfio::Message& request);
  int unmap(const vfio::Message& request);
  int info(const vfio::Message& request);
  int region_info(const vfio::Message& request);
  int irq_info(const vfio::Message& request);
  int set_irqs(vfio::Message& request);
  int give_eventfds(vfio::Message& request, std::uint32_t start, std::uint32_t count);
  int read(const vfio::Message& request);
  int write(vfio::Message& request);

  std::uint64_t region_bytes(std::uint32_t region) const;
  bool access_region(const vfio::RegionAccess& access, bool write, std::byte* data);
  void release_vectors(std::uint32_t start, std::uint32_t count);
  void signal(std::uint32_t vector);
  tlm::tlm_response_status reach_memory(tlm::tlm_generic_payload& transaction) override;

  NvmeController* controller_ = nullptr;
  int give_up_ = -1;
  VfioConnection* client_ = nullptr;
  bool agreed_ = false;  // on a version
  ClientMemory memory_;
  std::vector<FileDescriptor> events_;  // by vector
  std::vector<std::byte> data_;
  std::function<void()> on_interrupt_;
  Figures figures_;
};

}  // namespace flashloom
