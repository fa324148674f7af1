// Bit errors and their correction: the part `reliability` of a result.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/assembly/system/ssd.hpp"

namespace flashloom {

/// Null if the model has no bit errors.
nlohmann::ordered_json reliability_json(Ssd& ssd);

/// A line of the summary, or nothing.
std::string reliability_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
