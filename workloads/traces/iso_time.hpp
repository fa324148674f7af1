// Dates and times of day in ISO 8601.
#pragma once

#include <cstdint>
#include <string_view>

#include "workloads/traces/fields.hpp"

namespace flashloom {

/// Whether the text begins as a date, "2024-02-29" or "2024/02/29".
inline bool is_iso_time(std::string_view text) {
  return text.size() >= 10 && (text[4] == '-' || text[4] == '/') && text[7] == text[4];
}

/// "hh:mm:ss" with an optional fraction, from midnight. A tick is `ps_per_tick` picoseconds, a part of a second. Throws
/// FieldError.
TraceTime parse_time_of_day(std::string_view text, const char* what, std::uint64_t ps_per_tick);

/// "2024-02-29T12:30:00.25+01:00" since 1970 in UTC. The time (after T or a blank), its fraction and the zone (Z, UTC,
/// +hh:mm, -hhmm, +hh; without one UTC) may be missing. Throws FieldError, also for dates before 1970.
TraceTime parse_iso_time(std::string_view text, const char* what, std::uint64_t ps_per_tick);

}  // namespace flashloom
