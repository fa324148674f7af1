// What each type of value of a device file is called, how it is read, and how it is written: one place for each type.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/document.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {

/// The member of `key` gets what the node says. Throws ConfigError on a wrong type, unit, choice or range.
void read_value(const ConfigNode& node, const ConfigKey& key, DeviceConfig& config);
/// Quantities as text with units, numbers as numbers.
nlohmann::ordered_json json_value(const ConfigKey& key, const DeviceConfig& config);

}  // namespace flashloom
