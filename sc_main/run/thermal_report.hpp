// How hot the drive was: the parts of a result, and a table of it over time.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/system/ssd.hpp"

namespace flashloom {

/// Of an SSD with temperatures, whose ledger is finished.
nlohmann::ordered_json thermal_json(Ssd& ssd);
/// A line of the summary; empty without temperatures.
std::string thermal_summary(const nlohmann::ordered_json& result);
/// thermal.csv: temperatures, powers and level at each look.
std::string thermal_csv(Ssd& ssd);

}  // namespace flashloom
