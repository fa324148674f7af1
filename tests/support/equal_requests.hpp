// Helpers for runs whose requests are all alike and all take the same time.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/support/experiment.hpp"

namespace flashloom {

/// `n` requests of the given length at consecutive offsets.
inline std::vector<Request> of(RequestKind kind, std::uint64_t length, std::uint64_t n, std::uint64_t first = 0) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i) requests[i] = {.offset = (first + i) * length, .length = length, .kind = kind};
  return requests;
}

/// Expects every request of the run to have taken exactly this time.
inline void expect_latency(const Json& result, const char* operation, Picoseconds expected) {
  EXPECT_EQ(result["latency_ps"][operation][0], expected);
  EXPECT_EQ(result["latency_ps"][operation][1], expected);
}

}  // namespace flashloom
