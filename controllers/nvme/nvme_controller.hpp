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

/// Sends the host's I/O commands through the host driver of a simulation, as those of a job without a source: commands
/// of submission queue N on queue N - 1. Entries, lists and data are moved over the initiator socket when a doorbell
/// rings or a command completes; they take only the time of the memory behind it, since the SSD's link model charges
/// their transfer (HostInterface). Only the message of an interrupt takes link time here.
///
/// A wrong access gets a TLM error response (size, alignment, range), a wrong command a status code; at worst an error
/// of the host stops the controller (CSTS.CFS).
class NvmeController : public sc_core::sc_module {
 public:
  /// All arguments outlive the controller. `job`: of `host`, which has started before the first command.
  NvmeController(const sc_core::sc_module_name& name, const NvmeConfig& config, NvmeDevice& device, HostDriver& host,
                 std::uint32_t job);
  ~NvmeController() override;

  /// Registers from 0, doorbells from 1000h, MSI-X table and pending bits behind. Accesses of 4 bytes, or 8 that are
  /// two of 4. All ones without power, and while the function does not answer (Memory Space Enable).
  tlm::tlm_target_socket<> bar0;
  /// PCI configuration space, 4096 bytes: accesses of 1, 2, 4 and 8 bytes.
  tlm::tlm_target_socket<> configuration;
  /// To host memory and to the target of interrupt messages.
  tlm::tlm_initiator_socket<>& dma();
  std::uint64_t bar0_bytes() const;

  /// Power of host and controller fails: drops all commands in flight.
  void power_cut();
  /// It answers again, as after a reset; commands are served when the device is ready.
  void power_on();
  /// Function Level Reset (PCI Express, 6.6.2): drops all commands in flight; registers, PCI configuration and vectors are
  /// as at first. Not to be called within an access to host memory.
  void function_reset();
  /// NvmeDevice::ready() has become true: a controller that is enabled gets ready, too.
  void device_ready();

  /// Called with an exception that leaves a coroutine of the controller: a program error.
  void on_failure(std::function<void(std::exception_ptr)> handler);
  /// Interrupt messages sent.
  std::uint64_t interrupts() const;
  /// For a host that takes interrupts by number (VFIO): calls `raise` with that of a vector, in place of a message. The
  /// vector's mask bit still holds; mask_vector() sets it.
  void raise_vectors_by(std::function<void(std::uint32_t)> raise);
  void mask_vector(std::uint32_t vector, bool masked);
  std::uint32_t vectors() const;

  /// Called when a completion entry has been written.
  void on_completion(std::function<void()> handler);
  /// What goes on without further accesses of the host.
  struct Work {
    std::uint32_t io;  ///< I/O commands fetched and not completed
    bool interrupts;   ///< one is on its way, or waits for more completions
    bool any;          ///< these, or others; requests for events that have not happened are none
  };
  Work work() const;

  /// Saves or loads the non-volatile state, while the controller is not enabled.
  void state(StateArchive& archive);

 private:
  class Core;
  std::unique_ptr<Core> core_;
  std::unique_ptr<nvme::RegisterPort> registers_;
  std::unique_ptr<nvme::RegisterPort> pci_;
};

}  // namespace flashloom
