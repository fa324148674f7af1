// How much of what a trace updates is correlated: `flashloom cold`. A write buffer without flash below it, whose sets
// of correlated data (family "correlation") are counted as they leave. Figures 6 and 7 of J. K. Park, Correlated
// locality data distribution policy for improving performance in SSD, J. KSCI 21(2), 2016.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "policies/parameters.hpp"
#include "workloads/request.hpp"

namespace flashloom {

/// A trace as ranges of pages: 16 bytes a request.
struct RangeTrace {
  enum class Kind : std::uint8_t { Read, Write, Discard };
  struct Range {
    std::uint64_t first = 0;  ///< page
    std::uint32_t pages = 0;
    Kind kind = Kind::Read;
  };
  std::vector<Range> ranges;
  std::uint64_t requests = 0;  ///< reads and writes
  std::uint64_t read_bytes = 0;
  std::uint64_t write_bytes = 0;
  std::uint64_t pages = 0;  ///< of all ranges
};

/// Reads a source to its end, or to `max_requests` (0: all); a page is in each request that touches it, and discarded
/// by a trim that covers it. `progress` is called now and then with the requests so far. Throws what the source throws,
/// and std::length_error for a page beyond 2^32 - 2, the highest that policies know.
RangeTrace read_range_trace(RequestSource& source, std::uint32_t page_bytes, std::uint64_t max_requests,
                            const std::function<void(std::uint64_t)>& progress);

/// One buffer to try.
struct ColdPoint {
  PolicyChoice detector;  ///< of family "correlation", complete
  PolicyChoice policy;    ///< what leaves: of family "replacement" or, if `blocks`, "write_buffer"; complete
  bool blocks = false;
  std::uint32_t buffer_pages = 1;
};

/// What left the buffer, in pages. What it still holds at the end leaves, too.
struct ColdCounts {
  std::uint64_t pages_written = 0;  ///< into it
  std::uint64_t left = 0;           ///< it
  std::uint64_t left_in_sets = 0;
  std::uint64_t sets = 0;
  std::uint64_t largest_set = 0;
  std::uint64_t updated = 0;          ///< of those that left: had left before
  std::uint64_t updated_in_sets = 0;  ///< left in a set now
  /// Left in a set now, in a set before, and with them half or more of that earlier set: what belongs together by the
  /// detector's word was indeed updated together.
  std::uint64_t updated_together = 0;
};

/// Runs every point over the trace, `threads` (> 0) at a time. `progress` is called with the page accesses done by all
/// of them, from the calling thread. The same results whatever the threads. Throws UnknownPart.
std::vector<ColdCounts> run_cold_study(const RangeTrace& trace, const std::vector<ColdPoint>& points,
                                       std::uint32_t pages_per_block, unsigned threads,
                                       const std::function<void(std::uint64_t)>& progress);

}  // namespace flashloom
