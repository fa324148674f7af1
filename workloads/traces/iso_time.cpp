#include "workloads/traces/iso_time.hpp"

#include <chrono>
#include <string>

namespace flashloom {
namespace {

constexpr std::uint64_t kSecondPs = 1'000'000'000'000;

[[noreturn]] void no_time(std::string_view text, const char* what) {
  throw FieldError(std::string(what) + " is no ISO 8601 time: \"" + std::string(text.substr(0, 40)) + "\"");
}

/// `size` digits at `at`, at most `most`.
unsigned digits(std::string_view text, std::size_t at, std::size_t size, unsigned most, const char* what) {
  unsigned value = 0;
  for (std::size_t i = at; i < at + size; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') no_time(text, what);
    value = value * 10 + static_cast<unsigned>(text[i] - '0');
  }
  if (value > most) no_time(text, what);
  return value;
}

/// Removes the zone from the end; seconds that it is ahead of UTC.
std::int64_t take_zone(std::string_view& clock, const char* what) {
  for (const std::string_view utc : {"Z", "z", " UTC"})
    if (clock.ends_with(utc)) {
      clock.remove_suffix(utc.size());
      return 0;
    }
  const std::size_t sign = clock.find_first_of("+-");
  if (sign == std::string_view::npos) return 0;
  const std::string_view zone = clock.substr(sign);
  const bool colon = zone.size() == 6 && zone[3] == ':';
  if (!colon && zone.size() != 3 && zone.size() != 5) no_time(zone, what);
  const std::int64_t hours = digits(zone, 1, 2, 23, what);
  const std::int64_t minutes = zone.size() == 3 ? 0 : digits(zone, colon ? 4 : 3, 2, 59, what);
  clock = clock.substr(0, sign);
  while (clock.ends_with(' ')) clock.remove_suffix(1);
  return (hours * 60 + minutes) * (zone.front() == '-' ? -60 : 60);
}

}  // namespace

TraceTime parse_time_of_day(std::string_view text, const char* what, std::uint64_t ps_per_tick) {
  if (text.size() < 8 || text[2] != ':' || text[5] != ':') no_time(text, what);
  const std::uint64_t seconds = std::uint64_t{digits(text, 0, 2, 23, what)} * 3600 +
                                std::uint64_t{digits(text, 3, 2, 59, what)} * 60 + digits(text, 6, 2, 60, what);
  std::uint64_t ps = 0;
  if (text.size() > 8) {
    if ((text[8] != '.' && text[8] != ',') || text.size() == 9) no_time(text, what);
    std::uint64_t place = kSecondPs;
    for (std::size_t i = 9; i < text.size(); ++i) ps += digits(text, i, 1, 9, what) * (place /= 10);
  }
  return {seconds * (kSecondPs / ps_per_tick) + ps / ps_per_tick, ps % ps_per_tick};
}

TraceTime parse_iso_time(std::string_view text, const char* what, std::uint64_t ps_per_tick) {
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(digits(text, 0, 4, 9999, what))),
                                        std::chrono::month(digits(text, 5, 2, 12, what)),
                                        std::chrono::day(digits(text, 8, 2, 31, what))};
  if (!is_iso_time(text) || !day.ok()) no_time(text, what);
  std::int64_t seconds = std::chrono::sys_days(day).time_since_epoch().count() * std::int64_t{86400};
  TraceTime time;
  if (text.size() > 10) {
    if (text[10] != 'T' && text[10] != ' ') no_time(text, what);
    std::string_view clock = text.substr(11);
    seconds -= take_zone(clock, what);
    time = parse_time_of_day(clock, what, ps_per_tick);
  }
  const std::uint64_t ticks_of_second = kSecondPs / ps_per_tick;
  if (seconds >= 0) {
    time.ticks += static_cast<std::uint64_t>(seconds) * ticks_of_second;
  } else {
    const std::uint64_t before = static_cast<std::uint64_t>(-seconds) * ticks_of_second;
    if (time.ticks < before) throw FieldError(std::string(what) + " lies before 1970: \"" + std::string(text) + "\"");
    time.ticks -= before;
  }
  return time;
}

}  // namespace flashloom
