// What a workload is made of, in one streaming pass: `flashloom trace info`.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "workloads/request.hpp"
#include "workloads/traces/trace_format.hpp"

namespace flashloom {

/// Sizes of the reads and writes.
struct SizeInfo {
  std::uint64_t min_bytes = 0;
  std::uint64_t max_bytes = 0;
  double mean_bytes = 0;
  std::array<std::uint64_t, 65> buckets{};  ///< bucket i: sizes from 2^i to 2^(i+1) - 1 bytes
};

/// Times between successive arrivals, in nanoseconds; percentiles within 1.6 %, mean and maximum exact.
struct InterArrivalInfo {
  double mean_ns = 0;
  double p50_ns = 0;
  double p99_ns = 0;
  double max_ns = 0;
};

struct TraceInfo {
  static constexpr std::uint64_t kPage = 4096;  ///< bytes; unit of footprint and overwrites

  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t trims = 0;
  std::uint64_t flushes = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t trim_bytes = 0;
  std::uint64_t footprint_bytes = 0;          ///< distinct pages read or written, times the page
  std::uint64_t written_footprint_bytes = 0;  ///< distinct pages written, times the page
  std::uint64_t end_bytes = 0;                ///< end of the highest request: the smallest device that holds all
  SizeInfo sizes;
  double sequential_share = 0;  ///< of the reads and writes: begins where the previous one of its kind ended
  double overwrite_share = 0;   ///< of the page writes: to a page written before in this workload
  InterArrivalInfo inter_arrival;
  bool timed = true;                     ///< the source has times; if not, what follows says nothing
  double duration_s = 0;                 ///< from the first arrival to the last; 0 for a closed loop
  std::uint64_t out_of_order_times = 0;  ///< arrivals that the source raised to an earlier one's
  TraceNotes notes;                      ///< of its reader; the caller sets them
};

/// Reads the source to its end; memory grows with the footprint only (512 bytes a touched 16 MiB, twice).
/// Throws what the source throws.
TraceInfo analyse_trace(RequestSource& source);

/// Schema "flashloom.trace_info/1"; size buckets without requests are left out. `name` is the input's base name.
nlohmann::ordered_json to_json(const TraceInfo& info, const std::string& name);
/// A table for people.
std::string to_text(const TraceInfo& info, const std::string& name);

}  // namespace flashloom
