#include "sc_main/assembly/system/power_figures.hpp"

#include <stdexcept>

#include "controllers/flash/ecc_engine.hpp"
#include "controllers/ftl/features/compression/compressor.hpp"
#include "controllers/ssd/capacitors.hpp"
#include "controllers/ssd/controller_logic.hpp"
#include "controllers/ssd/power_states.hpp"
#include "models/channel/flash_wires.hpp"
#include "models/cpu/arm_cores.hpp"
#include "models/link/host_link.hpp"
#include "models/memory/banked_dram.hpp"
#include "models/memory/memory_model.hpp"
#include "models/nand/nand_die.hpp"

namespace flashloom {

PowerFigures power_figures(const DeviceConfig& config, const ComponentEnergy& component) {
  const std::string& kind = component.kind;
  if (kind == "array") return MemoryModel::power_figures(config.array.nvram, kind);
  if (kind == "nand")
    return component.name.find('.') == std::string::npos ? NandDie::power_figures(config.nand)
                                                         : NandDie::plane_figures(config.nand);
  if (kind == "channel") return FlashWires::power_figures(config.nand);
  if (kind == "ecc") return EccEngine::power_figures(config.nand.ecc);
  if (kind == "compressor") return Compressor::power_figures(config.compression);
  if (kind == "cpu") return ArmCores::power_figures(config.cpu);
  if (kind == "link") {
    for (const HostLink::Direction way : {HostLink::Direction::Down, HostLink::Direction::Up})
      if (component.name.ends_with("." + std::string(HostLink::name_of(way))))
        return HostLink::pipe_figures(config.link, way);
    return HostLink::power_figures(config.link);
  }
  if (kind == "dram")
    return config.dram.banked ? BankedDram::power_figures(config.dram) : MemoryModel::power_figures(config.dram, kind);
  if (kind == "sram") return MemoryModel::power_figures(config.sram, kind);
  if (kind == "nvram") return MemoryModel::power_figures(config.nvram, kind);
  if (kind == "heap") return MemoryModel::power_figures(config.heap.nvram, kind);
  if (kind == "hdd") return hdd_power_figures(config.hdd);
  if (kind == "controller") return ControllerLogic::power_figures(config.controller);
  if (kind == "capacitors") return Capacitors::power_figures(config.power);
  if (kind == "regulator") return regulator_figures(config.power.regulator_efficiency);
  if (kind == "power_state") return PowerStates::power_figures(config.power);
  throw std::invalid_argument("energy: " + component.name + " is of the unknown kind \"" + kind + "\"");
}

}  // namespace flashloom
