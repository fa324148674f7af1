#include "sc_main/program/sample/segment_plan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace flashloom::segment_plan_test {
namespace {

TEST(SegmentPlan, CutsAllOfTheRun) {
  for (const std::uint64_t segments : {2U, 5U, 64U}) {
    const SegmentPlan plan(1'000'003, segments, 100, 0.1);
    ASSERT_EQ(plan.segments(), segments);
    EXPECT_EQ(plan.requests(), 1'000'003U);
    for (std::size_t segment = 1; segment < segments; ++segment) {
      EXPECT_LE(plan.lengths()[segment], plan.lengths()[segment - 1] + 1);  // rounded
      // A segment begins a warm-up before the end of the segment before it.
      EXPECT_EQ(plan.begin(segment) + plan.warm_up(),
                plan.begin(segment - 1) + plan.warm_up(segment - 1) + plan.lengths()[segment - 1]);
    }
  }
}

// The pass reaches a segment's begin after a tenth of a timed request's time per request; then the segment takes its
// length.
TEST(SegmentPlan, SegmentsThatHaveACoreEachEndTogether) {
  const SegmentPlan plan(1'000'000, 8, 8, 0.1);
  const double first = static_cast<double>(plan.lengths()[0]);
  for (std::size_t segment = 1; segment < 8; ++segment) {
    const double end =
        0.1 * static_cast<double>(plan.begin(segment) + plan.warm_up()) + static_cast<double>(plan.lengths()[segment]);
    EXPECT_NEAR(end / first, 1, 1e-4) << segment;
  }
}

TEST(SegmentPlan, TheLastOneKeepsAQuarterOfTheFirst) {
  const SegmentPlan plan(10'000'000, 100, 8, 0.5);
  EXPECT_NEAR(static_cast<double>(plan.lengths().back()) / static_cast<double>(plan.lengths().front()), 0.25, 1e-3);
}

TEST(SegmentPlan, PartsAreTheEndsOfWarmUpAndSegment) {
  const SegmentPlan plan({1000, 900}, 80);
  EXPECT_EQ(plan.parts(0), (PartEnds{0, 0, 990, 1000, 1000}));
  EXPECT_EQ(plan.parts(1), (PartEnds{70, 80, 970, 980, 980}));
}

TEST(SegmentPlan, IsNotWorthWhileBelowTwoWarmUps) {
  EXPECT_TRUE(SegmentPlan({160, 160}, 80).worth_while());
  EXPECT_FALSE(SegmentPlan(300, 2, 80, 0.01).worth_while());
  EXPECT_THROW(SegmentPlan({160, 159}, 80), std::invalid_argument);
  EXPECT_THROW(SegmentPlan({160}, 80), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::segment_plan_test
