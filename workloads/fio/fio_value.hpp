// Values as fio writes them: sizes, percentages, times, lists (fio HOWTO, "Parameter types").
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "workloads/fio/fio_job.hpp"

namespace flashloom {

/// What is wrong with a value; the parser adds file, line and key.
class FioValueError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// "4096", "4k", "1m", "2g", "4kb", "4kib", "0x1000". With kb_base 1024, fio's default, k and kb mean 1024 and kib
/// means 1000; with kb_base 1000 it is the other way round. That is how fio does it.
std::uint64_t parse_fio_bytes(std::string_view text, unsigned kb_base);
/// As above, or "20%".
FioSize parse_fio_size(std::string_view text, unsigned kb_base);
/// An integer (with fio's suffixes) from `lowest` to `highest`.
std::uint64_t parse_fio_integer(std::string_view text, std::uint64_t lowest, std::uint64_t highest, unsigned kb_base);
/// "1"/"0", and an empty text for true: a flag may stand without a value.
bool parse_fio_bool(std::string_view text);
/// "30", "30s", "500ms", "2m", "1h", "1d", "10us": picoseconds.
std::uint64_t parse_fio_time(std::string_view text);
/// "4k", "4k,8k", "4k,,16k", "8k,": reads, writes, trims; a value holds for the following ones unless a comma ends it.
std::array<std::uint64_t, 3> parse_fio_block_sizes(std::string_view text, unsigned kb_base);
FioPattern parse_fio_pattern(std::string_view text);

}  // namespace flashloom
