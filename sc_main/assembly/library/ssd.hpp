// The SSD as a module of your model, with a block socket for each submission queue. <flashloom/nvme_ssd.hpp> has an SSD
// with NVMe registers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/block/block_protocol.hpp"

namespace flashloom {

#ifndef FLASHLOOM_PRESETS  // defined by the target Flashloom::ssd: folder of the installed presets
#define FLASHLOOM_PRESETS ""
#endif

struct SsdOptions {
  std::vector<std::string> overrides{};  ///< keys of the device file, as "nand.channels=8"
  /// Replaces the device's own DRAM: a target of TLM-2.0's base protocol, LT or AT; its size is still dram.size.
  tlm::tlm_base_target_socket_b<>* dram = nullptr;
  std::string presets = FLASHLOOM_PRESETS;  ///< folder of presets, searched last
  std::string state{};  ///< file written by `flashloom precondition`; empty: [precondition] is carried out
};

/// A complete SSD. A model can have any number of them.
///
/// It serves commands once the simulation has started: an earlier command is an error ("/flashloom/ssd", which throws).
/// An IoCommand belongs to the initiator and must live until BEGIN_RESP; the module fills in `at`, `breakdown` and
/// `status`. With `verify` the initiator's tokens are stored and returned; without it only the firmware's own metadata
/// is stored.
class SsdModule : public sc_core::sc_module {
 public:
  /// `device`: device file or name of a preset. Throws std::exception if the file is invalid (as for `flashloom
  /// config`) or describes more than an SSD: a page cache, a heap, a tier.
  SsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options = {});
  ~SsdModule() override;

  /// Target of AT phases (models/block/block_protocol.hpp). Every queue must be bound.
  BlockTargetSocket& socket(std::uint32_t queue = 0);
  std::uint32_t queues() const;  ///< host.queues
  std::uint64_t capacity_bytes() const;
  std::uint32_t sector_bytes() const;  ///< offsets and lengths of commands are multiples

  /// Power fails now and returns `off` later; open commands end with IoStatus::PowerLost, later ones wait for the
  /// mount. With power.plp the buffer is first flushed on capacitors. Ignored while there is no power.
  void power_cut(const sc_core::sc_time& off);
  /// Whether the SSD serves commands: the simulation has begun, power is on, and it has mounted.
  bool ready() const;

  /// The SSD's results since the begin of the simulation, as JSON: the keys of result.json about the SSD
  /// (docs/reference/results.md), and "host" with the completed commands. To be called once, after the last command, with the
  /// simulation paused; the simulation must not continue.
  std::string result();

 private:
  class Impl;
  void start_of_simulation() override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flashloom
