#include "workloads/traces/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace flashloom {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t'; }

bool all_zeros(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return c == '0'; });
}

std::string excerpt(std::string_view text) {
  std::string result = "\"";
  for (const char c : text.substr(0, 40)) result += (c >= ' ' && c <= '~') ? c : '?';
  return result + (text.size() > 40 ? "...\"" : "\"");
}

/// A number with an exponent or an empty fraction, as pandas and spreadsheets write times and sizes ("1e-05", "4096.0"),
/// as plain digits; empty: it is none, or one of more than forty digits.
std::string without_exponent(std::string_view text) {
  constexpr int kLongest = 40;
  const std::size_t e = text.find_first_of("eE");
  std::string digits(text.substr(0, e));
  int exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc() || end != power.data() + power.size() || std::abs(exponent) > kLongest) return {};
  }
  if (!is_decimal(digits)) return {};
  std::size_t point = std::min(digits.find('.'), digits.size());
  if (point != digits.size()) digits.erase(point, 1);
  if (exponent < 0 && point < static_cast<std::size_t>(-exponent)) {
    digits.insert(0, static_cast<std::size_t>(-exponent) - point, '0');
    point = static_cast<std::size_t>(-exponent);
  }
  point = static_cast<std::size_t>(static_cast<int>(point) + exponent);
  if (point > digits.size()) digits.append(point - digits.size(), '0');
  digits.insert(point, 1, '.');
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits.empty() ? "0" : digits.front() == '.' ? "0" + digits : digits;
}

}  // namespace

std::size_t split_blanks(std::string_view line, std::string_view* fields, std::size_t capacity) {
  std::size_t count = 0;
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_space(line[at])) ++at;
    if (at == line.size()) return count;
    if (count == capacity) return kMoreFields;
    const std::size_t begin = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    fields[count++] = line.substr(begin, at - begin);
  }
}

std::size_t split_commas(std::string_view line, std::string_view* fields, std::size_t capacity) {
  std::size_t count = 0;
  for (;;) {
    if (count == capacity) return kMoreFields;
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && is_space(field.front())) field.remove_prefix(1);
    while (!field.empty() && is_space(field.back())) field.remove_suffix(1);
    fields[count++] = field;
    if (comma == std::string_view::npos) return count;
    line.remove_prefix(comma + 1);
  }
}

void require_fields(std::size_t count, std::size_t expected, const char* layout) {
  if (count == expected) return;
  throw FieldError("expected " + std::to_string(expected) + " fields (" + layout + "), found " +
                   (count == kMoreFields ? std::string("more") : std::to_string(count)));
}

std::uint64_t parse_integer(std::string_view text, const char* what, int base) {
  if (text.empty()) throw FieldError(std::string(what) + " is missing");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error == std::errc::result_out_of_range) throw FieldError(std::string(what) + " is too large: " + excerpt(text));
  if (error != std::errc() || end != text.data() + text.size()) {
    if (error == std::errc() && base == 10 && *end == '.' && all_zeros(end + 1, text.data() + text.size()))
      return value;
    if (text.size() > 1 && text[0] == '-' && is_digit(text[1]))
      throw FieldError(std::string(what) + " is negative: " + excerpt(text));
    if (const std::string plain = base == 10 ? without_exponent(text) : ""; is_integer(plain))
      return parse_integer(plain, what);
    throw FieldError(std::string(what) + " is not a whole number: " + excerpt(text));
  }
  return value;
}

std::uint64_t parse_scaled(std::string_view text, const char* what, std::uint64_t unit) {
  const std::uint64_t value = parse_integer(text, what);
  if (value > std::numeric_limits<std::uint64_t>::max() / unit)
    throw FieldError(std::string(what) + " is too large: " + excerpt(text));
  return value * unit;
}

TraceTime parse_time(std::string_view text, const char* what, std::uint64_t ps_per_tick) {
  if (text.empty()) throw FieldError(std::string(what) + " is missing");
  const std::size_t point = text.find('.');
  if (!is_decimal(text)) {
    if (text.front() == '-') throw FieldError(std::string(what) + " is negative: " + excerpt(text));
    if (const std::string plain = without_exponent(text); !plain.empty()) return parse_time(plain, what, ps_per_tick);
    throw FieldError(std::string(what) + " is not a number: " + excerpt(text));
  }
  TraceTime time;
  if (point != 0) time.ticks = parse_integer(text.substr(0, point), what);
  if (point != std::string_view::npos) {
    std::uint64_t place = ps_per_tick;
    for (const char digit : text.substr(point + 1)) {
      place /= 10;
      time.fraction_ps += static_cast<std::uint64_t>(digit - '0') * place;
    }
  }
  return time;
}

RequestKind parse_read_write(std::string_view text) {
  if (equals_ignoring_case(text, "r") || equals_ignoring_case(text, "read")) return RequestKind::Read;
  if (equals_ignoring_case(text, "w") || equals_ignoring_case(text, "write")) return RequestKind::Write;
  throw FieldError("operation is neither Read nor Write: " + excerpt(text));
}

bool is_blank(std::string_view line) {
  using std::string_view_literals::operator""sv;
  return line.find_first_not_of(" \t\r\0"sv) == std::string_view::npos;
}

bool is_read_write(std::string_view text) {
  return equals_ignoring_case(text, "r") || equals_ignoring_case(text, "w") || equals_ignoring_case(text, "read") ||
         equals_ignoring_case(text, "write");
}

bool is_integer(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_digit); }

bool is_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return is_integer(text);
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(point + 1);
  return (whole.empty() || is_integer(whole)) && (fraction.empty() || is_integer(fraction)) &&
         !(whole.empty() && fraction.empty());
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

}  // namespace flashloom
