#include "sc_main/assembly/config/quantity.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "policies/nearest.hpp"

namespace flashloom {
namespace {

__extension__ using Wide = unsigned __int128;

struct ExactUnit {
  const char* name;
  std::uint64_t scale;
};
struct RealUnit {
  const char* name;
  int exponent;         ///< of ten
  unsigned factor = 1;  ///< additional factor; units with a factor other than 1 are read, but never written
};

constexpr std::uint64_t kKi = 1024;
constexpr double kZeroCelsius = 273.15;  // K

const std::vector<ExactUnit>& exact_units(Quantity quantity) {
  static const std::vector<ExactUnit> time = {{"ps", 1},
                                              {"ns", 1'000},
                                              {"us", 1'000'000},
                                              {"ms", 1'000'000'000},
                                              {"s", 1'000'000'000'000},
                                              {"min", 60'000'000'000'000},
                                              {"h", 3'600'000'000'000'000}};
  static const std::vector<ExactUnit> bytes = {{"B", 1},
                                               {"kB", 1'000},
                                               {"KiB", kKi},
                                               {"MB", 1'000'000},
                                               {"MiB", kKi * kKi},
                                               {"GB", 1'000'000'000},
                                               {"GiB", kKi * kKi * kKi},
                                               {"TB", 1'000'000'000'000},
                                               {"TiB", kKi * kKi * kKi * kKi}};
  static const std::vector<ExactUnit> byte_rate = {{"B/s", 1},
                                                   {"kB/s", 1'000},
                                                   {"KiB/s", kKi},
                                                   {"MB/s", 1'000'000},
                                                   {"MiB/s", kKi * kKi},
                                                   {"GB/s", 1'000'000'000},
                                                   {"GiB/s", kKi * kKi * kKi},
                                                   {"TB/s", 1'000'000'000'000},
                                                   {"TiB/s", kKi * kKi * kKi * kKi}};
  static const std::vector<ExactUnit> bit_rate = {
      {"b/s", 1}, {"kb/s", 1'000}, {"Mb/s", 1'000'000}, {"Gb/s", 1'000'000'000}};
  static const std::vector<ExactUnit> transfer_rate = {
      {"T/s", 1}, {"kT/s", 1'000}, {"MT/s", 1'000'000}, {"GT/s", 1'000'000'000}};
  static const std::vector<ExactUnit> frequency = {
      {"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}};
  static const std::vector<ExactUnit> age = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  static const std::vector<ExactUnit> none;
  switch (quantity) {
    case Quantity::Time:
      return time;
    case Quantity::Bytes:
      return bytes;
    case Quantity::ByteRate:
      return byte_rate;
    case Quantity::BitRate:
      return bit_rate;
    case Quantity::TransferRate:
      return transfer_rate;
    case Quantity::Frequency:
      return frequency;
    case Quantity::Age:
      return age;
    default:
      return none;
  }
}

const std::vector<RealUnit>& real_units(Quantity quantity) {
  static const std::vector<RealUnit> voltage = {{"mV", -3}, {"V", 0}};
  static const std::vector<RealUnit> current = {{"nA", -9}, {"uA", -6}, {"mA", -3}, {"A", 0}};
  static const std::vector<RealUnit> power = {{"uW", -6}, {"mW", -3}, {"W", 0}};
  static const std::vector<RealUnit> energy = {{"fJ", -15}, {"pJ", -12}, {"nJ", -9}, {"uJ", -6}, {"mJ", -3}, {"J", 0}};
  static const std::vector<RealUnit> energy_per_byte = {{"fJ/B", -15},      {"pJ/B", -12},      {"nJ/B", -9},
                                                        {"uJ/B", -6},       {"mJ/B", -3},       {"J/B", 0},
                                                        {"fJ/bit", -15, 8}, {"pJ/bit", -12, 8}, {"nJ/bit", -9, 8}};
  static const std::vector<RealUnit> capacitance = {{"fF", -15}, {"pF", -12}, {"nF", -9}, {"uF", -6}};
  static const std::vector<RealUnit> ratio = {{"%", -2}};
  static const std::vector<RealUnit> temperature = {{"K", 0}, {"C", 0}};  // from different zeroes
  static const std::vector<RealUnit> difference = {{"mK", -3}, {"K", 0}};
  static const std::vector<RealUnit> resistance = {{"mK/W", -3}, {"K/W", 0}};
  static const std::vector<RealUnit> capacity = {{"mJ/K", -3}, {"J/K", 0}};
  static const std::vector<RealUnit> activation = {{"meV", -3}, {"eV", 0}};
  static const std::vector<RealUnit> none;
  switch (quantity) {
    case Quantity::Voltage:
      return voltage;
    case Quantity::Current:
      return current;
    case Quantity::Power:
      return power;
    case Quantity::Energy:
      return energy;
    case Quantity::EnergyPerByte:
      return energy_per_byte;
    case Quantity::Capacitance:
      return capacitance;
    case Quantity::Ratio:
      return ratio;
    case Quantity::Temperature:
      return temperature;
    case Quantity::TemperatureDifference:
      return difference;
    case Quantity::ThermalResistance:
      return resistance;
    case Quantity::HeatCapacity:
      return capacity;
    case Quantity::ActivationEnergy:
      return activation;
    default:
      return none;
  }
}

const char* example_of(Quantity quantity) {
  switch (quantity) {
    case Quantity::Time:
      return "25 us";
    case Quantity::Bytes:
      return "16 KiB";
    case Quantity::ByteRate:
      return "3.2 GB/s";
    case Quantity::BitRate:
      return "6 Gb/s";
    case Quantity::TransferRate:
      return "400 MT/s";
    case Quantity::Frequency:
      return "1 GHz";
    case Quantity::Voltage:
      return "3.3 V";
    case Quantity::Current:
      return "25 mA";
    case Quantity::Power:
      return "80 mW";
    case Quantity::Energy:
      return "3.3 nJ";
    case Quantity::EnergyPerByte:
      return "1.2 nJ/B";
    case Quantity::Capacitance:
      return "2.5 pF";
    case Quantity::Ratio:
      return "7 %";
    case Quantity::Age:
      return "90 d";
    case Quantity::Temperature:
      return "25 C";
    case Quantity::TemperatureDifference:
      return "5 K";
    case Quantity::ThermalResistance:
      return "12 K/W";
    case Quantity::HeatCapacity:
      return "4 J/K";
    case Quantity::ActivationEnergy:
      return "1.1 eV";
    case Quantity::None:
      break;
  }
  return "";
}

[[noreturn]] void fail(Quantity quantity, std::string_view text, const std::string& what) {
  throw QuantityError(fmt::format("\"{}\" {}; a {} is written like \"{}\", with one of the units {}", text, what,
                                  quantity_name(quantity), example_of(quantity), join_names(units_of(quantity))));
}

/// A parsed decimal number: digits * 10^-decimals, and the text after it.
struct Decimal {
  std::string digits;
  int decimals = 0;
  std::string unit;
};

/// Decimal digits times a small factor.
std::string times(std::string digits, unsigned factor) {
  if (factor == 1) return digits;
  unsigned carry = 0;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    carry += static_cast<unsigned>(*digit - '0') * factor;
    *digit = static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  return carry == 0 ? digits : std::to_string(carry) + digits;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

Decimal split(Quantity quantity, std::string_view text) {
  std::size_t at = 0;
  const auto skip_spaces = [&] {
    while (at < text.size() && is_space(text[at])) ++at;
  };
  skip_spaces();
  if (at < text.size() && text[at] == '-') fail(quantity, text, "is negative");
  if (at < text.size() && text[at] == '+') ++at;
  Decimal result;
  bool digits_seen = false;
  bool point_seen = false;
  for (; at < text.size() && (is_digit(text[at]) || (text[at] == '.' && !point_seen)); ++at) {
    if (text[at] == '.') {
      point_seen = true;
      continue;
    }
    digits_seen = true;
    result.digits += text[at];
    if (point_seen) ++result.decimals;
  }
  if (!digits_seen || text[at - 1] == '.') fail(quantity, text, "does not start with a number");
  while (result.decimals > 0 && result.digits.back() == '0') {
    result.digits.pop_back();
    --result.decimals;
  }
  result.digits.erase(0, result.digits.find_first_not_of('0'));
  skip_spaces();
  result.unit = std::string(text.substr(at));
  while (!result.unit.empty() && is_space(result.unit.back())) result.unit.pop_back();
  if (result.unit.empty() && quantity != Quantity::Ratio) fail(quantity, text, "has no unit");
  return result;
}

}  // namespace

const char* quantity_name(Quantity quantity) {
  switch (quantity) {
    case Quantity::None:
      return "number";
    case Quantity::Time:
      return "time";
    case Quantity::Bytes:
      return "size";
    case Quantity::ByteRate:
      return "byte rate";
    case Quantity::BitRate:
      return "bit rate";
    case Quantity::TransferRate:
      return "transfer rate";
    case Quantity::Frequency:
      return "frequency";
    case Quantity::Voltage:
      return "voltage";
    case Quantity::Current:
      return "current";
    case Quantity::Power:
      return "power";
    case Quantity::Energy:
      return "energy";
    case Quantity::EnergyPerByte:
      return "energy per byte";
    case Quantity::Capacitance:
      return "capacitance";
    case Quantity::Ratio:
      return "ratio";
    case Quantity::Age:
      return "age";
    case Quantity::Temperature:
      return "temperature";
    case Quantity::TemperatureDifference:
      return "temperature difference";
    case Quantity::ThermalResistance:
      return "thermal resistance";
    case Quantity::HeatCapacity:
      return "heat capacity";
    case Quantity::ActivationEnergy:
      return "activation energy";
  }
  return "";
}

std::vector<std::string> units_of(Quantity quantity) {
  std::vector<std::string> names;
  for (const ExactUnit& unit : exact_units(quantity)) names.emplace_back(unit.name);
  for (const RealUnit& unit : real_units(quantity)) names.emplace_back(unit.name);
  return names;
}

bool is_exact(Quantity quantity) { return !exact_units(quantity).empty(); }

bool is_electrical(Quantity quantity) {
  switch (quantity) {
    case Quantity::Voltage:
    case Quantity::Current:
    case Quantity::Power:
    case Quantity::Energy:
    case Quantity::EnergyPerByte:
    case Quantity::Capacitance:
      return true;
    default:
      return false;
  }
}

bool is_timing(Quantity quantity) {
  switch (quantity) {
    case Quantity::Time:
    case Quantity::Age:
    case Quantity::ByteRate:
    case Quantity::BitRate:
    case Quantity::TransferRate:
    case Quantity::Frequency:
      return true;
    default:
      return is_electrical(quantity);
  }
}

std::uint64_t parse_exact(Quantity quantity, std::string_view text) {
  const Decimal decimal = split(quantity, text);
  for (const ExactUnit& unit : exact_units(quantity)) {
    if (decimal.unit != unit.name) continue;
    // 20 digits times the largest scale (2^52) and 10^20 both fit into 128 bits.
    if (decimal.digits.size() > 20 && decimal.decimals == 0) fail(quantity, text, "is too large");
    if (decimal.digits.size() > 20 || decimal.decimals > 20)
      fail(quantity, text, std::string("is not a whole number of ") + exact_units(quantity).front().name);
    Wide value = 0;
    for (const char digit : decimal.digits) value = value * 10 + static_cast<unsigned>(digit - '0');
    value *= unit.scale;
    Wide divisor = 1;
    for (int i = 0; i < decimal.decimals; ++i) divisor *= 10;
    if (value % divisor != 0)
      fail(quantity, text, std::string("is not a whole number of ") + exact_units(quantity).front().name);
    value /= divisor;
    if (value > std::numeric_limits<std::uint64_t>::max()) fail(quantity, text, "is too large");
    return static_cast<std::uint64_t>(value);
  }
  fail(quantity, text, fmt::format("has the unit \"{}\"", decimal.unit));
}

double parse_real(Quantity quantity, std::string_view text) {
  if (quantity == Quantity::Temperature) {
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin != std::string_view::npos && text[begin] == '-') {
      const Decimal decimal = split(quantity, text.substr(begin + 1));
      if (decimal.unit == "K") fail(quantity, text, "is below absolute zero");
      return -parse_real(quantity, text.substr(begin + 1));
    }
  }
  const Decimal decimal = split(quantity, text);
  const auto value_at = [&](int exponent, unsigned factor) {
    // Shifting the exponent in the text rounds once, so that format_real is read back exactly.
    const std::string shifted = (decimal.digits.empty() ? "0" : times(decimal.digits, factor)) + "e" +
                                std::to_string(exponent - decimal.decimals);
    const double value = std::strtod(shifted.c_str(), nullptr);
    if (!std::isfinite(value)) fail(quantity, text, "is too large");
    return value;
  };
  if (quantity == Quantity::Ratio && decimal.unit.empty()) return value_at(0, 1);
  for (const RealUnit& unit : real_units(quantity))
    if (decimal.unit == unit.name)
      return value_at(unit.exponent, unit.factor) -
             (quantity == Quantity::Temperature && decimal.unit == "K" ? kZeroCelsius : 0);
  fail(quantity, text, fmt::format("has the unit \"{}\"", decimal.unit));
}

std::string format_exact(Quantity quantity, std::uint64_t value) {
  const auto& units = exact_units(quantity);
  if (value == 0) return fmt::format("0 {}", quantity == Quantity::Time ? "s" : units.front().name);
  for (auto unit = units.rbegin(); unit != units.rend(); ++unit)
    if (value % unit->scale == 0) return fmt::format("{} {}", value / unit->scale, unit->name);
  return std::to_string(value);
}

std::string format_real(Quantity quantity, double value) {
  if (quantity == Quantity::Temperature && value < 0) return "-" + format_real(quantity, -value);
  std::vector<RealUnit> units;
  for (const RealUnit& unit : real_units(quantity))
    if (unit.factor == 1) units.push_back(unit);
  if (value == 0) return fmt::format("0 {}", units.back().name);
  // fmt's {} gives the fewest digits that identify the double; split them into digits * 10^exponent.
  std::string text = fmt::format("{}", value);
  int exponent = 0;
  if (const std::size_t e = text.find('e'); e != std::string::npos) {
    exponent = std::atoi(text.c_str() + e + 1);
    text.resize(e);
  }
  if (const std::size_t point = text.find('.'); point != std::string::npos) {
    exponent -= static_cast<int>(text.size() - point - 1);
    text.erase(point, 1);
  }
  std::string number = text.substr(text.find_first_not_of('0'));
  while (number.size() > 1 && number.back() == '0') {
    number.pop_back();
    ++exponent;
  }
  const int order = exponent + static_cast<int>(number.size()) - 1;  // of the leading digit
  const RealUnit* chosen = quantity == Quantity::Temperature ? &units.back() : &units.front();
  for (const RealUnit& unit : units)
    if (unit.exponent <= order) chosen = &unit;
  const int shift = exponent - chosen->exponent;
  if (shift >= 0) {
    number.append(static_cast<std::size_t>(shift), '0');
  } else {
    const auto decimals = static_cast<std::size_t>(-shift);
    if (number.size() <= decimals) number.insert(0, decimals + 1 - number.size(), '0');
    number.insert(number.size() - decimals, 1, '.');
  }
  return number + " " + chosen->name;
}

}  // namespace flashloom
