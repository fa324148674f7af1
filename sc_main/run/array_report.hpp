// What a result says of an array and of each of its drives.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/system/array_system.hpp"

namespace flashloom {

/// After the books are closed.
nlohmann::ordered_json array_json(const ArraySystem& array, const DeviceConfig& config);
/// Lines of the summary; empty without an array.
std::string array_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
