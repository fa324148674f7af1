// Ranges of the values of keys: [TABLE.uncertainty] of a device file gives a key's bounds as text.
//   program_current = "17 mA to 35 mA"                       bounds in units of the key's quantity
//   erase_current = "-30 % to +40 % with nand.read_current"  relative to the key's value; varies with another key
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/assembly/config/device_config.hpp"
#include "sc_main/assembly/config/reader.hpp"
#include "sc_main/assembly/config/schema.hpp"

namespace flashloom {

/// Reads the text of a range. Throws QuantityError, which says what would be valid, if the key is no quantity, if
/// bounds are invalid, in the wrong order or outside the key's own range, or if the other key does not exist.
KeyRange parse_range(const ConfigKey& key, const std::string& text);
/// "nand.uncertainty.read_time" of "nand.read_time".
std::string range_path(const std::string& key);

/// Throws ConfigError for a range that does not include the key's value, or whose bounds the key does not allow.
void check_ranges(const DeviceConfig& config, const ConfigOrigins& origins);

/// The values of a numeric key, in the unit of its member.
std::vector<double> numbers_of(const ConfigKey& key, const DeviceConfig& config);
/// Sets the values of a numeric key, rounded to its type; `values`: as many as it has.
void set_numbers(const ConfigKey& key, DeviceConfig& config, const std::vector<double>& values);
/// The key's values at quantile `share` of its range, from 0 (low) to 1 (high). The nominal value is the median, unless
/// it is a bound: half of the shares lie below it and half above. All values of a list vary by the same factor; each
/// whole number in the range of a count has the same share.
std::vector<double> numbers_at(const ConfigKey& key, const KeyRange& range, const std::vector<double>& nominal,
                               double share);

/// Factor from the unit of a key's member to si_unit().
double si_scale(Quantity quantity);
/// "s", "A", "B/s"; "1" for plain numbers and ratios.
const char* si_unit(Quantity quantity);

}  // namespace flashloom
