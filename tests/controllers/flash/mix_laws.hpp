// Laws that hold after any mix of commands that a flash back end has carried out.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom {

/// The first error of all protocol checkers, or "".
inline std::string first_error(const FlashBench& bench) {
  const std::vector<std::string> errors = bench.protocol_errors();
  return errors.empty() ? "" : errors.front();
}

/// The sum of the shares of a die's time, which must be all of the time.
inline Picoseconds time_of(FlashBench& bench, std::uint32_t die) {
  const DieActivity activity = bench.flash.activity(Die{die}, kernel_now());
  return activity.idle + activity.read + activity.program + activity.erase + activity.transfer;
}

inline void expect_clean(FlashBench& bench) {
  EXPECT_EQ(first_error(bench), "");
  for (std::uint32_t die = 0; die < bench.geometry.dies; ++die) EXPECT_EQ(time_of(bench, die), kernel_now());
}

/// In a property: every command sent since `completed` was cleared has completed exactly once, its instants in order.
inline void assert_lossless(FlashBench& bench, const std::vector<OnfiCommand*>& sent) {
  RC_ASSERT(bench.completed.size() == sent.size());
  for (OnfiCommand* command : sent) {
    RC_ASSERT(std::count(bench.completed.begin(), bench.completed.end(), command) == 1);
    const FlashInstants& t = command->at;
    RC_ASSERT(t.queued <= t.issued && t.issued <= t.granted && t.granted < t.loaded && t.loaded <= t.array_begin);
    RC_ASSERT(t.array_begin < t.array_end && t.array_end <= t.data_begin && t.data_begin <= t.complete);
  }
  RC_ASSERT(bench.flash.pending() == 0U);
  RC_ASSERT(first_error(bench) == std::string());
  for (std::uint32_t die = 0; die < bench.geometry.dies; ++die) RC_ASSERT(time_of(bench, die) == kernel_now());
}

}  // namespace flashloom
