// The part of a result about an array and each of its drives.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/stack/array/array_system.hpp"

namespace flashloom {

/// `array` of result.json; after Simulation::close_books().
nlohmann::ordered_json array_json(const ArraySystem& array, const DeviceConfig& config);
/// The array's lines of the summary; empty without an array.
std::string array_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
