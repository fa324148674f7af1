// The law of the two clocks, on results of simulate() and run_instantly() with verify on.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom {

/// The same writes have led to the same counts and the same media, and no read was wrong.
inline void expect_wrote_alike(const Json& timed, const Json& instant) {
  EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]);
  EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
}

}  // namespace flashloom
