// Text of physical quantities, "25 us" or "16 KiB", and back. Counts of ticks, bytes and the like are exact integers;
// volts, amperes, watts and joules are doubles, rounded once from the decimal text.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flashloom {

/// What a value of the configuration measures; it decides the unit that its text must carry.
enum class Quantity : std::uint8_t {
  None,           ///< plain number
  Time,           ///< integer picoseconds
  Bytes,          ///< integer bytes; kB = 1000, KiB = 1024
  ByteRate,       ///< integer bytes a second
  BitRate,        ///< integer bits a second
  TransferRate,   ///< integer transfers a second
  Frequency,      ///< integer Hz
  Voltage,        ///< V
  Current,        ///< A
  Power,          ///< W
  Energy,         ///< J
  EnergyPerByte,  ///< J/B
  Ratio,          ///< 0.07 or "7 %"
  Age,            ///< integer seconds, of what simulated time cannot hold
};

/// Text that is no quantity of the kind asked for; what() says what would be.
class QuantityError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "time", "byte rate", ...
const char* quantity_name(Quantity quantity);
/// Units that the text of a quantity may carry, smallest first; empty for None.
std::vector<std::string> units_of(Quantity quantity);
/// True for the quantities that are kept as integers.
bool is_exact(Quantity quantity);
/// True for voltages, currents, powers and energies.
bool is_electrical(Quantity quantity);

/// Text to ticks, bytes, Hz ...: exact ("0.29 us" is 290000). Throws QuantityError on a missing or foreign unit, a
/// negative number, a fraction of the smallest unit, overflow. Spaces between number and unit are optional.
std::uint64_t parse_exact(Quantity quantity, std::string_view text);
/// Text to volts, amperes, watts, joules, joules a byte, or a ratio. Throws QuantityError.
double parse_real(Quantity quantity, std::string_view text);

/// The largest unit in which the value is a whole number: 3000000000 ps is "3 ms". parse_exact reads it back.
std::string format_exact(Quantity quantity, std::uint64_t value);
/// A unit that puts the number between 1 and 1000 where there is one; parse_real reads back the same double.
std::string format_real(Quantity quantity, double value);

}  // namespace flashloom
