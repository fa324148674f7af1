// What the host measured, by operation: of one job, or of several together.
#pragma once

#include <array>
#include <cstdint>

#include "controllers/host/breakdown_histogram.hpp"
#include "controllers/host/latency_histogram.hpp"
#include "models/block/io_command.hpp"
#include "models/common/extremes.hpp"
#include "models/common/named_fields.hpp"

namespace flashloom {

/// Successful requests so far, measured or not.
struct HostTotals {
  std::array<std::uint64_t, kIoOperations> ios{};
  std::array<std::uint64_t, kIoOperations> bytes{};
  /// Bytes that applications wrote, if some job of the run has HostJob::accounts (else 0); for other jobs, their
  /// writes.
  std::uint64_t application_bytes = 0;

  std::uint64_t bytes_of(IoOperation operation) const { return bytes[static_cast<std::size_t>(operation)]; }
  /// Bytes of data from the host, and in both directions.
  std::uint64_t written() const { return bytes_of(IoOperation::Write) + bytes_of(IoOperation::ZoneAppend); }
  std::uint64_t moved() const { return bytes_of(IoOperation::Read) + written(); }
  friend HostTotals operator-(HostTotals a, const HostTotals& b) {
    for (std::size_t i = 0; i < kIoOperations; ++i) {
      a.ios[i] -= b.ios[i];
      a.bytes[i] -= b.bytes[i];
    }
    a.application_bytes -= b.application_bytes;
    return a;
  }
};

/// Requests that arrived before the end of their job's ramp are in `requests`, `completions`, `unmeasured` and the
/// counts of failures only.
struct HostStatistics {
  struct Operation {
    std::uint64_t ios = 0;
    std::uint64_t bytes = 0;
    LatencyHistogram latency;      ///< arrival to complete
    LatencyHistogram slat;         ///< arrival to accepted
    LatencyHistogram clat;         ///< accepted to complete
    BreakdownHistogram breakdown;  ///< of `latency`, by its buckets; empty with host.latency_breakdown off
  };
  std::array<Operation, kIoOperations> operations{};
  std::uint64_t requests = 0;         ///< taken from the workload and submitted
  std::uint64_t completions = 0;      ///< of any status
  std::uint64_t unmeasured = 0;       ///< completed well, but arrived in the ramp: not in `operations`
  std::uint64_t power_lost = 0;       ///< completed with power_lost: not in `operations`
  std::uint64_t media_errors = 0;     ///< reads that failed: not in `operations`
  std::uint64_t write_protected = 0;  ///< refused by a device that is read-only: not in `operations`
  std::uint64_t zone_errors = 0;      ///< refused by a zoned device: not in `operations`
  std::uint64_t late = 0;             ///< timed replay: submitted after their arrival
  Highest<Picoseconds> max_lateness;
  Lowest<Picoseconds> begin{0};  ///< of the measurement: the job's begin, its ramp over
  Highest<Picoseconds> end;      ///< last completion

  const Operation& of(IoOperation operation) const { return operations[static_cast<std::size_t>(operation)]; }
  std::uint64_t ios() const {
    std::uint64_t sum = 0;
    for (const Operation& operation : operations) sum += operation.ios;
    return sum;
  }
  /// The time over which rates are computed.
  Picoseconds elapsed() const { return end.value > begin.value ? end.value - begin.value : 0; }

  /// Merges two statistics: from the first begin to the last end.
  HostStatistics& operator+=(const HostStatistics& other);
  /// Appends `times` intervals like `next`, one after the other, to this interval.
  void append(const HostStatistics& next, double times);
  /// Saves or loads it (an archive as in policies/state_archive.hpp).
  template <class Archive>
  void state(Archive& archive) {
    for (Operation& operation : operations)
      archive(operation.ios, operation.bytes, operation.latency, operation.slat, operation.clat, operation.breakdown);
    archive(requests, completions, unmeasured, power_lost, media_errors, write_protected, zone_errors, late,
            max_lateness.value, begin.value, end.value);
  }
  /// Behind the operations.
  template <class F>
  void report(F&& f) const {
    f(FLASHLOOM_NAMED(requests, completions, unmeasured, power_lost, media_errors, write_protected));
    if (zone_errors != 0) f("zone_errors", zone_errors);
    f("late_requests", late);
    f("max_lateness_ns", nanoseconds(max_lateness.value));
    f("begin_s", seconds(begin.value));
    f("end_s", seconds(end.value));
  }
};

}  // namespace flashloom
