// What the controller's memories and cores did: the parts `dram`, `nvram` and `cpu` of a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "models/cpu/arm_cores.hpp"
#include "models/energy/energy_ledger.hpp"
#include "models/memory/memory_target.hpp"

namespace flashloom {

/// Null if the memory is not fitted, or not ours.
nlohmann::ordered_json memory_json(const MemoryTarget* memory);
/// Null without operating points and sleep.
nlohmann::ordered_json cpu_json(const ArmCores& cores, const EnergyReport& books);
/// Lines of the summary on both, where there is something to say.
std::string hardware_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
