// The SSD behind the registers of an NVMe controller: plain TLM-2.0 sockets, real bytes (docs/reference/nvme.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "sc_main/assembly/library/ssd.hpp"

namespace flashloom {

/// A complete NVMe SSD for a virtual platform. A model can have any number of them. The controller becomes ready when
/// the simulation has begun and the drive has mounted. The drive stores real bytes, and checks reads as with `verify`.
class NvmeSsdModule : public sc_core::sc_module {
 public:
  /// As SsdModule; a host interface other than NVMe is an error, too.
  NvmeSsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options = {});
  ~NvmeSsdModule() override;

  tlm::tlm_target_socket<>& bar0();           ///< registers, doorbells, MSI-X; `bar0_bytes()` long
  tlm::tlm_target_socket<>& configuration();  ///< PCI configuration space, 4096 bytes
  /// Initiator of all accesses to commands, lists, data and completions, and of MSI-X messages: bind it to your memory.
  tlm::tlm_initiator_socket<>& dma();
  std::uint64_t bar0_bytes() const;
  std::uint64_t capacity_bytes() const;

  /// The result.json of `flashloom run` (docs/reference/results.md), with job "nvme0". To be called once, after the last command,
  /// with the simulation paused; the simulation must not continue. Throws std::exception if commands were lost or data
  /// did not verify.
  std::string result();

 private:
  class Impl;
  void start_of_simulation() override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flashloom
