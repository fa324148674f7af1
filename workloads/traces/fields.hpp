// Fields of a trace line: splitting, exact integers, decimal times. No locale, no allocation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "workloads/request.hpp"

namespace flashloom {

/// An error in a field; the trace reader adds the file and the line.
class FieldError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A decimal time: whole ticks and the fraction of a tick in picoseconds.
struct TraceTime {
  std::uint64_t ticks = 0;
  std::uint64_t fraction_ps = 0;
};

inline constexpr std::size_t kMoreFields = static_cast<std::size_t>(-1);

/// Splits at runs of blanks and tabs into at most `capacity` fields. Returns their number, kMoreFields if more.
std::size_t split_blanks(std::string_view line, std::string_view* fields, std::size_t capacity);
/// Splits at every comma and strips blanks from the fields; returns as above.
std::size_t split_commas(std::string_view line, std::string_view* fields, std::size_t capacity);

/// Throws FieldError unless a line was split into as many fields as `layout` names.
void require_fields(std::size_t count, std::size_t expected, const char* layout);

/// An unsigned 64-bit integer in `base`; in decimal also as "4096.0" or "4.096e3". Throws FieldError naming `what`:
/// missing, negative, not a number, too large.
std::uint64_t parse_integer(std::string_view text, const char* what, int base = 10);
/// parse_integer times `unit`, checked: sectors to bytes.
std::uint64_t parse_scaled(std::string_view text, const char* what, std::uint64_t unit);
/// Digits with an optional fraction and exponent ("12", "12.5", "1e-05"). A tick is `ps_per_tick` picoseconds, a power
/// of ten; fractions of a picosecond are cut off. Throws FieldError.
TraceTime parse_time(std::string_view text, const char* what, std::uint64_t ps_per_tick);

/// "R", "Read", "W" or "Write", in any case. Throws FieldError.
RequestKind parse_read_write(std::string_view text);

/// Whether a line holds only blanks, or zero bytes with which tar and file systems pad.
bool is_blank(std::string_view line);
/// Whether parse_read_write accepts the text. For format detection.
bool is_read_write(std::string_view text);
/// Whether the text is all digits; whether it is a decimal number that parse_time accepts. For format detection.
bool is_integer(std::string_view text);
bool is_decimal(std::string_view text);
/// Case-insensitive (ASCII) comparison; `lower` is in lower case.
bool equals_ignoring_case(std::string_view text, std::string_view lower);

}  // namespace flashloom
