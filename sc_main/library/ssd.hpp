// The SSD as a module of your model: block sockets, one a submission queue. <flashloom/nvme_ssd.hpp> has one with registers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/block/block_protocol.hpp"

namespace flashloom {

#ifndef FLASHLOOM_PRESETS  // the target Flashloom::ssd says where they were installed
#define FLASHLOOM_PRESETS ""
#endif

struct SsdOptions {
  std::vector<std::string> overrides{};  ///< keys of the device file, as "nand.channels=8"
  /// In place of the device's own DRAM: a target of TLM-2.0's base protocol, LT or AT; dram.size stays the device's.
  tlm::tlm_base_target_socket_b<>* dram = nullptr;
  std::string presets = FLASHLOOM_PRESETS;  ///< folder of presets, the last that is looked into
  std::string state{};  ///< file that `flashloom precondition` has written; empty: [precondition] is carried out
};

/// A whole SSD. Any number of them can be in one model.
///
/// It begins to serve when the simulation starts: a command before that is an error ("/flashloom/ssd", which throws). An
/// IoCommand belongs to the initiator and lives until BEGIN_RESP; the module fills in `at`, `breakdown` and `status`. With
/// `verify` the initiator's tokens are kept and returned; without, nothing is stored but what firmware itself needs.
class SsdModule : public sc_core::sc_module {
 public:
  /// `device`: device file or name of a preset. Throws std::exception: the file cannot be used (as `flashloom config` says),
  /// or it describes more than an SSD: a page cache, a heap, a tier.
  SsdModule(const sc_core::sc_module_name& name, const std::string& device, const SsdOptions& options = {});
  ~SsdModule() override;

  /// Target of AT phases (models/block/block_protocol.hpp). Every queue must be bound.
  BlockTargetSocket& socket(std::uint32_t queue = 0);
  std::uint32_t queues() const;  ///< host.queues
  std::uint64_t capacity_bytes() const;
  std::uint32_t sector_bytes() const;  ///< offsets and lengths of commands are multiples

  /// Power fails now and is back `off` later; open commands end with IoStatus::PowerLost, later ones wait for the mount.
  /// With power.plp capacitors first bring the buffer to flash. Ignored while there is no power.
  void power_cut(const sc_core::sc_time& off);
  /// It serves: the simulation has begun, there is power, and it has mounted.
  bool ready() const;

  /// What it did from the beginning of the simulation until now, as JSON: the keys that `flashloom run` has for the SSD in
  /// result.json (docs/results.md), and "host" with the commands that completed. Asked for when it has come to rest, with the
  /// simulation paused; nothing may follow it.
  std::string result();

 private:
  class Impl;
  void start_of_simulation() override;
  std::unique_ptr<Impl> impl_;
};

}  // namespace flashloom
