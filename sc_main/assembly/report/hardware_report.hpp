// Reports of the controller's memories and cores: `dram`, `sram`, `nvram`, `cpu` and `compression` of a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/cpu/arm_cores.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_target.hpp"

namespace flashloom {

class Compressor;

/// Null if `memory` is null: the device has no such memory, or a foreign one.
nlohmann::ordered_json memory_json(const MemoryTarget* memory);
/// `unit_bytes`: size of a mapping unit.
nlohmann::ordered_json compression_json(const Compressor& compressor, std::uint32_t unit_bytes);
/// Null if the cores have neither operating points nor sleep states.
nlohmann::ordered_json cpu_json(const ArmCores& cores, const EnergyReport& books);
/// Lines of the summary on cores, DRAM, compression and HMB, each if the result has something to report.
std::string hardware_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
