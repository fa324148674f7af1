// The logic of the controller beside its cores: what it draws at all times, and for the data that it moves.
#pragma once

#include <algorithm>
#include <cstdint>

#include "controllers/ssd/controller_config.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Component "controller" of kind "controller": state "idle", and the operation "byte" (row "controller"), counted when
/// a command of the host is done, for all of its data; a command that a power cut ends counts nothing. DMA engines,
/// command processing in hardware, data path, SRAM and clocks; cores ([cpu]) and decoders ([nand.ecc]) are components
/// of their own.
class ControllerLogic {
 public:
  /// `bytes_per_s`: what the link to the host carries; 0: any.
  ControllerLogic(const ControllerConfig& config, EnergyLedger& ledger, std::uint64_t bytes_per_s)
      : meter_(ledger.add("controller", "controller", power_figures(config))), bytes_per_s_(bytes_per_s) {}

  /// A command is done at `at`. The energy of its data is spread over their link time just before, so that back-to-back
  /// commands draw evenly instead of in single instants.
  void moved(std::uint64_t bytes, Picoseconds at) {
    const Picoseconds time = bytes_per_s_ == 0 ? 0 : std::min(at, transfer_time(bytes, bytes_per_s_));
    if (time == 0)
      meter_.count(0, bytes, at);
    else
      meter_.count(0, bytes, at - time, at);
  }

  static PowerFigures power_figures(const ControllerConfig& config) {
    return {{{"idle", config.idle_power, kBackground}}, {{"byte", config.byte_energy, "controller"}}};
  }

 private:
  EnergyMeter& meter_;
  std::uint64_t bytes_per_s_;
};

}  // namespace flashloom
