// Text of physical quantities, "25 us" or "16 KiB", and back. Counts of ticks, bytes and the like are exact integers;
// volts, amperes, watts, joules and kelvins are doubles, rounded once from the decimal text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/quantity.hpp"

namespace flashloom {

/// Text that is not a value of the quantity; what() says what would be valid.
class QuantityError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "time", "byte rate", ...
const char* quantity_name(Quantity quantity);
/// Units that the text of a quantity may have, smallest first, then alternative spellings; empty for None.
std::vector<std::string> units_of(Quantity quantity);
/// True for the quantities that are kept as integers.
bool is_exact(Quantity quantity);
/// True for voltages, currents, powers and energies.
bool is_electrical(Quantity quantity);
/// True for those that change how long things take, or what they draw, but not what is done without time.
bool is_timing(Quantity quantity);

/// Text to ticks, bytes, Hz ...: exact ("0.29 us" is 290000). Throws QuantityError on a missing or foreign unit, a
/// negative number, a fraction of the smallest unit, overflow. Spaces between number and unit are optional.
std::uint64_t parse_exact(Quantity quantity, std::string_view text);
/// Text to volts, amperes, watts, joules, joules per byte, a ratio, or a thermal quantity. Throws QuantityError.
double parse_real(Quantity quantity, std::string_view text);

/// The largest unit in which the value is a whole number: 3000000000 ps is "3 ms". parse_exact reads it back.
std::string format_exact(Quantity quantity, std::uint64_t value);
/// With a unit (none per bit) that puts the number between 1 and 1000, if possible; parse_real reads back the same
/// double.
std::string format_real(Quantity quantity, double value);

}  // namespace flashloom
