#include "sc_main/program/sample/job_shares.hpp"

#include <gtest/gtest.h>

namespace flashloom::job_shares_test {
namespace {

using Shares = std::vector<double>;

TEST(JobShares, AreByDepthWhereTheyDifferByChance) {
  EXPECT_EQ(job_shares({240, 260}, {4, 4}), (Shares{0.5, 0.5}));
  EXPECT_EQ(job_shares({1000, 1060, 950, 1010}, {4, 4, 4, 4}), (Shares{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(job_shares({770, 230}, {12, 4}), (Shares{0.75, 0.25}));
}

// (275 - 250)^2 / 250 * 2 = 5 is below 6.63, the quantile for one degree of freedom; (279 - 250)^2 / 250 * 2 = 6.73 is
// above it.
TEST(JobShares, AreAsMeasuredFromTheQuantileOn) {
  EXPECT_EQ(job_shares({275, 225}, {8, 8}), (Shares{0.5, 0.5}));
  EXPECT_EQ(job_shares({279, 221}, {8, 8}), (Shares{279 / 500.0, 221 / 500.0}));
  EXPECT_EQ(job_shares({750, 250}, {1, 1}), (Shares{0.75, 0.25}));
}

TEST(JobShares, OfWhichNothingWasSeenTheyAreSmall) {
  EXPECT_EQ(job_shares({1000, 0}, {1, 1}), (Shares{1, 0.5 / 1000}));
  EXPECT_EQ(job_shares({0, 0}, {3, 1}), (Shares{0.75, 0.25}));
  EXPECT_EQ(job_shares({7}, {1}), (Shares{1}));
}

}  // namespace
}  // namespace flashloom::job_shares_test
