// The logic of the controller beside its cores: what it draws at all times, and for the data that it moves.
#pragma once

#include <cstdint>

#include "controllers/ssd/controller_config.hpp"
#include "models/common/types.hpp"
#include "models/energy/energy_ledger.hpp"

namespace flashloom {

/// Component "controller" of kind "controller": state "idle", and the operation "byte" (row "controller"), counted when
/// a command of the host is done, for all of its data; a command that a power cut ends counts nothing. DMA engines,
/// command processing in hardware, data path, SRAM and clocks; cores ([cpu]) and decoders ([nand.ecc]) are components of
/// their own.
class ControllerLogic {
 public:
  ControllerLogic(const ControllerConfig& config, EnergyLedger& ledger)
      : meter_(ledger.add("controller", "controller", power_figures(config))) {}

  void moved(std::uint64_t bytes, Picoseconds at) { meter_.count(0, bytes, at); }

  static PowerFigures power_figures(const ControllerConfig& config) {
    return {{{"idle", config.idle_power, kBackground}}, {{"byte", config.byte_energy, "controller"}}};
  }

 private:
  EnergyMeter& meter_;
};

}  // namespace flashloom
