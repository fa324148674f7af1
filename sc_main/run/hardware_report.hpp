// What the controller's memories and cores did: the parts `dram`, `nvram`, `cpu` and `compression` of a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/cpu/arm_cores.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_target.hpp"

namespace flashloom {

class Compressor;

/// Null if the memory is not fitted, or not ours.
nlohmann::ordered_json memory_json(const MemoryTarget* memory);
/// `unit_bytes`: of a mapping unit.
nlohmann::ordered_json compression_json(const Compressor& compressor, std::uint32_t unit_bytes);
/// Null without operating points and sleep.
nlohmann::ordered_json cpu_json(const ArmCores& cores, const EnergyReport& books);
/// Lines of the summary on both, where there is something to say.
std::string hardware_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
