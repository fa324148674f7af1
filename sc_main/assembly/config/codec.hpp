// Name, reader and writer of each type of value in a device file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// Sets the member of `key` to the node's value. Throws ConfigError on a wrong type, unit, choice or range.
void read_value(const ConfigNode& node, const ConfigKey& key, DeviceConfig& config);
/// The key's value as JSON: quantities as text with units, numbers as numbers.
nlohmann::ordered_json json_value(const ConfigKey& key, const DeviceConfig& config);
/// JSON Schema of an object with the values of these keys, which are of one table.
nlohmann::ordered_json object_schema(const std::vector<ConfigKey>& keys);

}  // namespace flashloom
