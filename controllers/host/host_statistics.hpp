// What the host measured, by operation.
#pragma once

#include <array>
#include <cstdint>

#include "controllers/host/latency_histogram.hpp"
#include "models/block/io_command.hpp"

namespace flashloom {

struct HostStatistics {
  struct Operation {
    std::uint64_t ios = 0;
    std::uint64_t bytes = 0;
    LatencyHistogram latency;  ///< arrival to complete
    LatencyHistogram slat;     ///< arrival to accepted
    LatencyHistogram clat;     ///< accepted to complete
  };
  std::array<Operation, kIoOperations> operations;
  std::uint64_t requests = 0;      ///< taken from the workload and submitted
  std::uint64_t completions = 0;   ///< of any status
  std::uint64_t power_lost = 0;    ///< completed with power_lost: not in `operations`
  std::uint64_t media_errors = 0;  ///< reads that failed: not in `operations`
  std::uint64_t late = 0;          ///< timed replay: submitted after their arrival
  Picoseconds max_lateness = 0;
  Picoseconds begin = 0;  ///< first submission
  Picoseconds end = 0;    ///< last completion

  const Operation& of(IoOperation operation) const { return operations[static_cast<std::size_t>(operation)]; }
  std::uint64_t ios() const {
    std::uint64_t sum = 0;
    for (const Operation& operation : operations) sum += operation.ios;
    return sum;
  }
};

}  // namespace flashloom
