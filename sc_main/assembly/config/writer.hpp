// The whole effective configuration, defaults included, as TOML and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// The value of one key as TOML: `8`, `"25 us"`, `{ name = "d_choices", d = 3 }`.
std::string toml_value(const ConfigKey& key, const DeviceConfig& config);
/// A device file with every key; reading it gives the same configuration.
std::string effective_toml(const DeviceConfig& config);
/// The same as nested objects, in the same order; quantities as text with units, numbers as numbers.
nlohmann::ordered_json effective_json(const DeviceConfig& config);
/// JSON Schema of effective_json(): docs/schemas/config.schema.json.
nlohmann::ordered_json config_json_schema();
/// The default value of a key, as TOML.
std::string default_toml(const ConfigKey& key);

}  // namespace flashloom
