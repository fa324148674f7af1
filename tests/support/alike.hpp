// Checks the law of the two clocks on the results of simulate() and run_instantly(), with verify on.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom {

/// Expects both runs to end with the same counts and the same media, and with no wrong read.
inline void expect_wrote_alike(const Json& timed, const Json& instant) {
  EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]);
  EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
}

}  // namespace flashloom
