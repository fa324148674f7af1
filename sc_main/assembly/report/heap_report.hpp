// The part of a result, and of the summary, about the object heap.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/system/heap_system.hpp"

namespace flashloom {

/// `heap` of result.json.
nlohmann::ordered_json heap_json(HeapSystem& system, const DeviceConfig& config);
/// Prints the heap's lines of the summary; `heap`: from heap_json().
void print_heap(std::ostream& out, const nlohmann::ordered_json& heap);

}  // namespace flashloom
