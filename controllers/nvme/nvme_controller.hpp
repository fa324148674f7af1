// An NVMe controller at register level, as a virtual platform binds it: registers, doorbells and PCI configuration on
// target sockets, the host's memory and interrupts on an initiator socket. NVM Express Base Specification 1.4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>

#include "controllers/host/host_driver.hpp"
#include "controllers/nvme/nvme_config.hpp"
#include "controllers/nvme/nvme_device.hpp"
#include "controllers/runtime/task.hpp"
#include "policies/state_archive.hpp"

namespace flashloom {

namespace nvme {
class NvmeCommand;
class RegisterPort;
}  // namespace nvme

/// Sends the host's I/O commands through the driver of a simulation, as those of a job without a source: the command of
/// submission queue N on queue N - 1. Entries, lists and data are moved over the initiator socket when a doorbell rings
/// or a command completes, and take no time of their own there beyond what the memory behind it takes: the SSD's link
/// model charges their way (HostInterface). Only an interrupt takes time here: the way of its message.
///
/// A wrong access gets an error response of TLM (size, alignment, range), a wrong command a status code; what the host
/// can do wrong stops the controller at worst (CSTS.CFS).
class NvmeController : public sc_core::sc_module {
 public:
  /// What is given outlives the controller. `job`: of `host`, which has started when the first command comes.
  NvmeController(const sc_core::sc_module_name& name, const NvmeConfig& config, NvmeDevice& device, HostDriver& host,
                 std::uint32_t job);
  ~NvmeController() override;

  /// Registers from 0, doorbells from 1000h, MSI-X table and pending bits behind. Accesses of 4 bytes, or 8 that are
  /// two of 4. All ones without power, and while the function does not answer (Memory Space Enable).
  tlm::tlm_target_socket<> bar0;
  /// PCI configuration space, 4096 bytes: accesses of 1, 2, 4 and 8 bytes.
  tlm::tlm_target_socket<> configuration;
  /// Memory of the host; and where its interrupts go.
  tlm::tlm_initiator_socket<>& dma();
  std::uint64_t bar0_bytes() const;

  /// The host's power fails, and with it the controller's: what it had under way is forgotten.
  void power_cut();
  /// It answers again, as after a reset; commands are served when the device is ready.
  void power_on();
  /// NvmeDevice::ready() has become true: a controller that is enabled gets ready, too.
  void device_ready();

  /// Called with what leaves a coroutine of the controller: an error of the program.
  void on_failure(std::function<void(std::exception_ptr)> handler);
  /// Interrupt messages sent.
  std::uint64_t interrupts() const;

  /// What is remembered without power: saved while the controller is not enabled.
  void state(StateArchive& archive);

 private:
  class Core;
  std::unique_ptr<Core> core_;
  std::unique_ptr<nvme::RegisterPort> registers_;
  std::unique_ptr<nvme::RegisterPort> pci_;
};

}  // namespace flashloom
