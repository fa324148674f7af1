// The part of a result, and of the summary, about the object heap.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/stack/heap/heap_system.hpp"

namespace flashloom {

/// `heap` of result.json.
nlohmann::ordered_json heap_json(HeapSystem& system, const DeviceConfig& config);
/// The heap's lines of the summary; empty without a heap.
std::string heap_summary(const nlohmann::ordered_json& result);

}  // namespace flashloom
