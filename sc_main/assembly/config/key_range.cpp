#include "sc_main/assembly/config/key_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "policies/nearest.hpp"

namespace flashloom {
namespace {

constexpr const char* kForm =
    "a range is written like \"17 mA to 35 mA\", in units of the key, or \"-30 % to +40 %\", relative to its value; "
    "\"none\" is no range";

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool has_sign(std::string_view text) { return text.starts_with('+') || text.starts_with('-'); }

[[noreturn]] void refuse_range(const std::string& text, const std::string& why) {
  throw QuantityError("\"" + text + "\" " + why + "; " + kForm);
}

/// "-30 %" is 0.7.
double factor_of(std::string_view bound) {
  const double sign = bound.starts_with('-') ? -1 : 1;
  if (has_sign(bound)) bound.remove_prefix(1);
  return 1 + sign * parse_real(Quantity::Ratio, bound);
}

double number_of(const ConfigKey& key, std::string_view bound) {
  if (is_exact(key.quantity)) return static_cast<double>(parse_exact(key.quantity, bound));
  if (key.quantity != Quantity::None) return parse_real(key.quantity, bound);
  double value = 0;
  const auto [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), value);
  if (error != std::errc() || end != bound.data() + bound.size())
    throw QuantityError("\"" + std::string(bound) + "\" is no number");
  return value;
}

/// Calls `use` with a reference to the member of a numeric key. Returns false for other keys.
template <class Use>
bool with_numbers(const ConfigKey& key, DeviceConfig& config, Use use) {
  return std::visit(
      [&]<class Value>(Value* value) {
        constexpr bool kNumber = std::is_same_v<Value, double> || std::is_same_v<Value, std::uint32_t> ||
                                 std::is_same_v<Value, std::uint64_t>;
        constexpr bool kNumbers =
            std::is_same_v<Value, std::vector<double>> || std::is_same_v<Value, std::vector<Picoseconds>>;
        if constexpr (kNumber || kNumbers) {
          // Sizes of namespaces are chosen, not measured, and have no range.
          if (kNumbers && key.quantity == Quantity::Bytes) return false;
          use(*value);
          return true;
        } else {
          return false;
        }
      },
      key.member(config));
}

bool is_whole_count(const ConfigKey& key) {
  DeviceConfig scratch;
  bool whole = false;
  with_numbers(key, scratch,
               [&]<class Value>(Value&) { whole = key.quantity == Quantity::None && std::is_integral_v<Value>; });
  return whole;
}

}  // namespace

std::string range_path(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot == std::string::npos ? "uncertainty." + key : key.substr(0, dot) + ".uncertainty." + key.substr(dot + 1);
}

KeyRange parse_range(const ConfigKey& key, const std::string& text) {
  DeviceConfig scratch;
  if (!with_numbers(key, scratch, [](auto&) {}))
    throw QuantityError("is of type " + config_type(key) +
                        ", which has no range; ranges are of numbers and quantities");
  KeyRange range{.text = text};
  std::string_view bounds = text;
  if (const std::size_t with = bounds.find(" with "); with != std::string_view::npos) {
    range.with = std::string(without_spaces(bounds.substr(with + 6)));
    bounds = bounds.substr(0, with);
    if (find_config_key(range.with) == nullptr) {
      std::vector<std::string> paths;
      for (const ConfigKey& each : config_schema()) paths.push_back(each.path());
      refuse_range(text, "goes with \"" + range.with + "\", which is no key" + did_you_mean(range.with, paths));
    }
    if (range.with == key.path()) refuse_range(text, "goes with itself");
  }
  const std::size_t to = bounds.find(" to ");
  if (to == std::string_view::npos) refuse_range(text, "has no two bounds");
  const std::string_view low = without_spaces(bounds.substr(0, to)), high = without_spaces(bounds.substr(to + 4));
  range.relative = has_sign(low) || has_sign(high);
  try {
    range.low = range.relative ? factor_of(low) : number_of(key, low);
    range.high = range.relative ? factor_of(high) : number_of(key, high);
  } catch (const QuantityError& error) {
    throw QuantityError(std::string(error.what()) + "; " + kForm);
  }
  if (range.low > range.high) refuse_range(text, "begins above its end");
  if (range.relative && (range.low > 1 || range.high < 1)) refuse_range(text, "does not hold the value itself");
  if (range.relative && range.low < 0) refuse_range(text, "reaches below nothing");
  return range;
}

void check_ranges(const DeviceConfig& config, const ConfigOrigins& origins) {
  for (const auto& [path, range] : config.ranges) {
    const ConfigKey& key = *find_config_key(path);
    const std::vector<double> nominal = numbers_of(key, config);
    const auto refuse = [&, &path = path, &range = range](const std::string& why) {
      throw ConfigError(origins.where(range_path(path)), range_path(path), "\"" + range.text + "\" " + why);
    };
    if (!range.relative && nominal.size() != 1)
      refuse(fmt::format("cannot be of the {} values of {}; valid: one relative to them, as \"-20 % to +20 %\"",
                         nominal.size(), path));
    for (const double value : nominal) {
      if (!range.relative && (value < range.low || value > range.high))
        refuse("does not hold " + path + ", " + quantity_text(key.quantity, value));
      if (range.relative && value == 0) refuse("is relative to " + path + ", which is 0; valid: bounds in its units");
      for (const double bound : {range.low, range.high}) {
        const double reached = range.relative ? value * bound : bound;
        if (key.minimum != key.maximum && (reached < key.minimum || reached > key.maximum))
          refuse("reaches " + quantity_text(key.quantity, reached) + "; valid for " + path + ": " + config_range(key));
      }
    }
    const auto leader = config.ranges.find(range.with);
    if (leader != config.ranges.end() && !leader->second.with.empty())
      refuse("goes with " + range.with + ", which goes with " + leader->second.with + "; valid: with " +
             leader->second.with);
  }
}

std::vector<double> numbers_of(const ConfigKey& key, const DeviceConfig& config) {
  std::vector<double> numbers;
  // Members are reached through a mutable configuration; nothing is written.
  with_numbers(key, const_cast<DeviceConfig&>(config), [&]<class Value>(Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      numbers = {static_cast<double>(value)};
    else
      numbers.assign(value.begin(), value.end());
  });
  return numbers;
}

void set_numbers(const ConfigKey& key, DeviceConfig& config, const std::vector<double>& values) {
  const auto take = []<class Number>(Number& number, double value) {
    if constexpr (std::is_integral_v<Number>)
      number = static_cast<Number>(std::llround(value));
    else
      number = value;
  };
  with_numbers(key, config, [&]<class Value>(Value& value) {
    if constexpr (std::is_arithmetic_v<Value>)
      take(value, values.front());
    else
      for (std::size_t i = 0; i < value.size(); ++i) take(value[i], values[i]);
  });
}

std::vector<double> numbers_at(const ConfigKey& key, const KeyRange& range, const std::vector<double>& nominal,
                               double share) {
  std::vector<double> numbers;
  const bool whole = is_whole_count(key);
  for (const double value : nominal) {
    const double low = range.relative ? value * range.low : range.low;
    const double high = range.relative ? value * range.high : range.high;
    if (whole) {
      const double first = std::round(low), last = std::round(high);
      numbers.push_back(std::min(first + std::floor(share * (last - first + 1)), last));
    } else if (low < value && value < high) {
      numbers.push_back(share < 0.5 ? low + (value - low) * (2 * share) : value + (high - value) * (2 * share - 1));
    } else {
      numbers.push_back(low * (1 - share) + high * share);
    }
  }
  return numbers;
}

double si_scale(Quantity quantity) { return quantity == Quantity::Time ? 1e-12 : 1; }

const char* si_unit(Quantity quantity) {
  switch (quantity) {
    case Quantity::Time:
    case Quantity::Age:
      return "s";
    case Quantity::Bytes:
      return "B";
    case Quantity::ByteRate:
      return "B/s";
    case Quantity::BitRate:
      return "b/s";
    case Quantity::TransferRate:
      return "T/s";
    case Quantity::Frequency:
      return "Hz";
    case Quantity::Voltage:
      return "V";
    case Quantity::Current:
      return "A";
    case Quantity::Power:
      return "W";
    case Quantity::Energy:
      return "J";
    case Quantity::EnergyPerByte:
      return "J/B";
    case Quantity::Capacitance:
      return "F";
    case Quantity::Temperature:
      return "C";
    case Quantity::TemperatureDifference:
      return "K";
    case Quantity::ThermalResistance:
      return "K/W";
    case Quantity::HeatCapacity:
      return "J/K";
    case Quantity::ActivationEnergy:
      return "eV";
    case Quantity::Ratio:
    case Quantity::None:
      break;
  }
  return "1";
}

}  // namespace flashloom
