// Ranges of keys' figures: [TABLE.uncertainty] of a device file, where a key has its bounds as text.
//   program_current = "17 mA to 35 mA"                       bounds in units of the key's quantity
//   erase_current = "-30 % to +40 % with nand.read_current"  relative to the key's value; goes up and down with another
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sc_main/config/device_config.hpp"
#include "sc_main/config/reader.hpp"
#include "sc_main/config/schema.hpp"

namespace flashloom {

/// Reads the text of a range. Throws QuantityError, which says what would be valid: for a key that is no quantity, bounds
/// that are none or in the wrong order or outside what the key allows, and for another key that there is not.
KeyRange parse_range(const ConfigKey& key, const std::string& text);
/// "nand.uncertainty.read_time" of "nand.read_time".
std::string range_path(const std::string& key);

/// Throws ConfigError for a range that does not hold the key's value, or whose bounds the key does not take.
void check_ranges(const DeviceConfig& config, const ConfigOrigins& origins);

/// The values of a key of numbers, in the unit that it is kept in.
std::vector<double> numbers_of(const ConfigKey& key, const DeviceConfig& config);
/// `values` as many as it has; rounded to what it takes.
void set_numbers(const ConfigKey& key, DeviceConfig& config, const std::vector<double>& values);
/// What the key's values `nominal` become at `share` of its range, from 0 (low) to 1 (high): half of the share lies below
/// the value and half above, so that it is the median, unless it is a bound. A list moves together, by one factor; of a
/// count each whole number of the range has the same share.
std::vector<double> numbers_at(const ConfigKey& key, const KeyRange& range, const std::vector<double>& nominal,
                               double share);

/// A value in the unit that its key is kept in times this is in si_unit().
double si_scale(Quantity quantity);
/// "s", "A", "B/s"; "1" of plain numbers and ratios.
const char* si_unit(Quantity quantity);

}  // namespace flashloom
