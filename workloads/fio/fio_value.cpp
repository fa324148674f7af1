#include "workloads/fio/fio_value.hpp"

#include <charconv>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

namespace flashloom {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The leading number, and the rest of the text in lower case.
std::pair<std::uint64_t, std::string> number_and_unit(std::string_view text, const char* expected) {
  if (text.empty()) throw FioValueError(std::string("value is missing: expected ") + expected);
  if (text.front() == '-') throw FioValueError("negative: " + quoted(text));
  int base = 10;
  std::string_view digits = text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error == std::errc::result_out_of_range) throw FioValueError("too large: " + quoted(text));
  if (error != std::errc()) throw FioValueError("expected " + std::string(expected) + ", found " + quoted(text));
  return {value, lower(digits.substr(static_cast<std::size_t>(end - digits.data())))};
}

std::uint64_t times(std::uint64_t value, std::uint64_t unit, std::string_view text) {
  if (value != 0 && unit > kMax / value) throw FioValueError("too large: " + quoted(text));
  return value * unit;
}

/// Bytes that a suffix stands for; nullopt if it is not a valid suffix.
std::optional<std::uint64_t> byte_unit(std::string unit, unsigned kb_base) {
  if (unit.empty() || unit == "b") return 1;
  const std::size_t power = std::string_view("kmgtp").find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  const std::string rest = unit.substr(1);
  const bool iec = rest == "ib";  // "i" is what fio 3.33 takes it for, its first letter; its manual says otherwise
  if (!iec && !rest.empty() && rest != "b" && rest != "i") return std::nullopt;
  const std::uint64_t kilo = iec == (kb_base == 1024) ? 1000 : 1024;
  std::uint64_t bytes = 1;
  for (std::size_t i = 0; i <= power; ++i) bytes *= kilo;
  return bytes;
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kFioBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kFioBlanks) - first + 1);
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  result += text;
  result += '"';
  return result;
}

std::uint64_t parse_fio_bytes(std::string_view text, unsigned kb_base) {
  const auto [value, unit] = number_and_unit(text, "a size such as 4096, 4k, 1m or 2g");
  const auto bytes = byte_unit(unit, kb_base);
  if (!bytes) throw FioValueError("unknown unit in " + quoted(text) + "; valid: k, m, g, t, p, with b or ib");
  return times(value, *bytes, text);
}

FioSize parse_fio_size(std::string_view text, unsigned kb_base) {
  if (text.ends_with('z') || text.ends_with('Z')) {
    const auto [value, unit] = number_and_unit(text, "zones such as 4z");
    if (unit == "z" || unit == "Z") return {.value = value, .zones = true};
  }
  if (!text.ends_with('%')) return {parse_fio_bytes(text, kb_base), false};
  const auto [value, unit] = number_and_unit(text, "a percentage such as 50%");
  if (unit != "%" || value > 100) throw FioValueError("expected 0% to 100%, found " + quoted(text));
  return {value, true};
}

std::uint64_t parse_fio_integer(std::string_view text, std::uint64_t lowest, std::uint64_t highest, unsigned kb_base) {
  const auto [number, unit] = number_and_unit(text, "a number");
  const auto scale = byte_unit(unit, kb_base);
  if (!scale) throw FioValueError("expected a number, found " + quoted(text));
  const std::uint64_t value = times(number, *scale, text);
  if (value < lowest || value > highest)
    throw FioValueError(quoted(text) + " is out of range: " + std::to_string(lowest) + " to " +
                        std::to_string(highest));
  return value;
}

bool parse_fio_bool(std::string_view text) {
  if (text.empty() || text == "1") return true;
  if (text == "0") return false;
  throw FioValueError("expected 0 or 1, found " + quoted(text));
}

std::uint64_t parse_fio_time(std::string_view text, std::uint64_t unit_ps) {
  const auto [value, unit] = number_and_unit(text, "a time such as 30, 30s, 500ms or 2m");
  constexpr std::uint64_t kSecond = 1'000'000'000'000;
  const std::pair<std::string_view, std::uint64_t> units[] = {{"", unit_ps},
                                                              {"s", kSecond},
                                                              {"sec", kSecond},
                                                              {"m", 60 * kSecond},
                                                              {"h", 3600 * kSecond},
                                                              {"d", 86400 * kSecond},
                                                              {"ms", kSecond / 1000},
                                                              {"msec", kSecond / 1000},
                                                              {"us", kSecond / 1'000'000},
                                                              {"usec", kSecond / 1'000'000}};
  for (const auto& [name, ps] : units)
    if (unit == name) return times(value, ps, text);
  throw FioValueError("unknown unit in " + quoted(text) + "; valid: d, h, m, s, ms, us");
}

FioRange parse_fio_time_range(std::string_view text, std::uint64_t unit_ps) {
  const std::size_t dash = text.find('-', 1);
  const std::uint64_t low = parse_fio_time(text.substr(0, dash), unit_ps);
  const std::uint64_t high = dash == std::string_view::npos ? low : parse_fio_time(text.substr(dash + 1), unit_ps);
  if (high < low) throw FioValueError("the range " + quoted(text) + " ends before it begins");
  return {low, high};
}

FioRange parse_fio_byte_range(std::string_view text, unsigned kb_base) {
  std::size_t dash = text.find('-', 1);
  if (dash == std::string_view::npos) dash = text.find(':', 1);
  const std::uint64_t low = parse_fio_bytes(text.substr(0, dash), kb_base);
  const std::uint64_t high = dash == std::string_view::npos ? low : parse_fio_bytes(text.substr(dash + 1), kb_base);
  if (high < low) throw FioValueError("the range " + quoted(text) + " ends before it begins");
  return {low, high};
}

double parse_fio_number(std::string_view text, const char* expected) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value < 1e18))
    throw FioValueError("expected " + std::string(expected) + ", found " + quoted(text));
  return value;
}

}  // namespace flashloom
