// Temperatures of the drive: the part of a result, and a table over time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

/// For an SSD with a thermal model, whose energy ledger is closed.
nlohmann::ordered_json thermal_json(Ssd& ssd);
/// A line of the summary; empty without temperatures.
std::string thermal_summary(const nlohmann::ordered_json& result);
/// thermal.csv: temperatures (°C), powers (W) and throttling level at each control step.
std::string thermal_csv(Ssd& ssd);

}  // namespace flashloom
