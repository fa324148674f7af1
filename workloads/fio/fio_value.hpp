// Single values as fio writes them: sizes, percentages, times (fio HOWTO, "Parameter types").
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// An error in a value; the parser adds file, line and key.
class FioValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::string_view kFioBlanks = " \t\r\v\f";
/// A text without the blanks around it.
std::string_view without_blanks(std::string_view text);
/// A value between quotation marks, for messages.
std::string quoted(std::string_view text);
/// "4096", "4k", "1m", "2g", "4kb", "4kib", "0x1000". As in fio: with kb_base 1024, the default, k and kb mean 1024 and
/// kib means 1000; with kb_base 1000 it is the other way round.
std::uint64_t parse_fio_bytes(std::string_view text, unsigned kb_base);
/// As above, or "20%".
FioSize parse_fio_size(std::string_view text, unsigned kb_base);
/// An integer (with fio's suffixes) from `lowest` to `highest`.
std::uint64_t parse_fio_integer(std::string_view text, std::uint64_t lowest, std::uint64_t highest, unsigned kb_base);
/// "1" or "0"; an empty text means true, since a flag may stand without a value.
bool parse_fio_bool(std::string_view text);
/// "30", "30s", "500ms", "2m", "1h", "1d", "10us": picoseconds; a bare number is in units of `unit_ps`.
std::uint64_t parse_fio_time(std::string_view text, std::uint64_t unit_ps = 1'000'000'000'000);
/// As above, or "4-8".
FioRange parse_fio_time_range(std::string_view text, std::uint64_t unit_ps = 1'000'000'000'000);
/// "4k", or "4k-16k".
FioRange parse_fio_byte_range(std::string_view text, unsigned kb_base);
/// A non-negative decimal number.
double parse_fio_number(std::string_view text, const char* expected);

}  // namespace flashloom
