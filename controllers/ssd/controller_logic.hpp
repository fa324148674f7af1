// The logic of the controller beside its cores: what it draws at all times, and for the data that it moves.
#pragma once

#include <cstdint>

#include "controllers/ssd/controller_config.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/link/host_link.hpp"

namespace flashloom {

/// Component "controller" of kind "controller": state "idle", and the operation "byte" (row "controller") for each byte
/// of data of reads and writes while it crosses the link to the host; over an ideal link, where that takes no time, when
/// its command has succeeded. DMA engines, command processing in hardware, data path, SRAM and clocks; cores ([cpu]) and
/// decoders ([nand.ecc]) are components of their own.
class ControllerLogic {
 public:
  ControllerLogic(const ControllerConfig& config, EnergyLedger& ledger, HostLink& link)
      : meter_(ledger.add("controller", "controller", power_figures(config, link.transfer_rate_bytes_per_s()))),
        link_is_ideal_(link.transfer_rate_bytes_per_s() == 0) {
    link.charge_data(meter_, config.byte_energy);
  }

  /// A command with so many bytes of data is done at `at`.
  void done(std::uint64_t bytes, Picoseconds at) {
    if (link_is_ideal_) meter_.count(0, bytes, at);
  }

  /// `link_rate`: bytes a second of each direction of the link.
  static PowerFigures power_figures(const ControllerConfig& config, std::uint64_t link_rate = 0) {
    return {.states = {{"idle", config.idle_power, kBackground}},
            .operations = {{"byte", config.byte_energy, "controller"}},
            .spread_watts = 2 * config.byte_energy * static_cast<double>(link_rate)};
  }

 private:
  EnergyMeter& meter_;
  bool link_is_ideal_;
};

}  // namespace flashloom
