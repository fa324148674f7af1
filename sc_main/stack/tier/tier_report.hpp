// The part of a result about a tier.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "controllers/tier/tier_controller.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// `tier` of result.json.
nlohmann::ordered_json tier_json(const TierController& tier, const DeviceConfig& config);
/// tier_passes.csv
std::string tier_passes_csv(const TierController& tier);
/// Lines of the summary; empty without a tier.
std::string tier_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
