// The SSD behind the registers of an NVMe controller: plain TLM-2.0 sockets, real bytes (docs/nvme.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "sc_main/library/ssd.hpp"

namespace flashloom {

/// A whole NVMe SSD, as a virtual platform binds it. Any number of them can be in one model. The controller gets ready when the
/// simulation has begun and the drive has mounted. Bytes that were written are read back, and checked as with `verify`.
class NvmeSsdModule : public sc_core::sc_module {
 public:
  /// As SsdModule; of another host interface than NVMe it is an error, too.
  NvmeSsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options = {});
  ~NvmeSsdModule() override;

  tlm::tlm_target_socket<>& bar0();           ///< registers, doorbells, MSI-X; `bar0_bytes()` long
  tlm::tlm_target_socket<>& configuration();  ///< PCI configuration space, 4096 bytes
  /// Commands, lists, data, completions and MSI-X messages go out here: bind it to your memory.
  tlm::tlm_initiator_socket<>& dma();
  std::uint64_t bar0_bytes() const;
  std::uint64_t capacity_bytes() const;

  /// The result.json of `flashloom run` (docs/results.md), job "nvme0". Asked for when the platform has come to rest, with the
  /// simulation paused; nothing may follow it. Throws std::exception if commands were lost or data did not verify.
  std::string result();

 private:
  class Impl;
  void start_of_simulation() override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flashloom
