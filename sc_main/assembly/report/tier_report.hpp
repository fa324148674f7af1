// The parts of a result about a tier and its HDD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

/// Null without a tier.
nlohmann::ordered_json tier_json(const Simulation& simulation, const DeviceConfig& config);
nlohmann::ordered_json hdd_json(const Simulation& simulation);
/// Bytes that were written to the SSD by the host or by the tier; with an array: to drive 0.
std::uint64_t ssd_written_bytes(const Simulation& simulation);
/// tier_passes.csv; empty without a tier.
std::string tier_passes_csv(const Simulation& simulation);
/// Lines of the summary; empty without a tier.
std::string tier_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
