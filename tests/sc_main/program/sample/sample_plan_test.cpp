#include "sc_main/program/sample/sample_plan.hpp"

#include <gtest/gtest.h>

namespace flashloom::sample_plan_test {
namespace {

TEST(SamplePlan, ShortWindowsAreFiftyOfTheBudget) {
  // One request of 64 is simulated: 800,000 / 64 / 50 = 250 is less than the least window: 16 windows of 1000 instead.
  const SamplePlan plan({.requests = 800'000, .begin = 1000, .relaxation = 10});
  ASSERT_TRUE(plan.worth_while());
  EXPECT_EQ(plan.length(), 1000);
  EXPECT_EQ(plan.stratum(800'000), 799'000 / 16);
  const SamplePlan longer({.requests = 10'000'000, .begin = 1000, .relaxation = 10});
  EXPECT_EQ(longer.length(), 3125);
  EXPECT_EQ(longer.stratum(10'000'000), 9'999'000 / 50);
}

TEST(SamplePlan, WindowsThatEachCostMuchAreFewAndLong) {
  const SamplePlan plan({.requests = 8'000'000, .usual = SamplePlan::kFew, .begin = 1000, .relaxation = 10});
  EXPECT_EQ(plan.length(), 8'000'000 / 64 / 16);
  EXPECT_EQ(plan.stratum(8'000'000), 7'999'000 / 16);
}

TEST(SamplePlan, WindowsForgetTheirBeginOrTheRunIsNotSampled) {
  // 16 windows of two relaxations, and the begin: 17 x 20,000, and the run must have at least three times as many.
  EXPECT_FALSE(SamplePlan({.requests = 1'019'999, .begin = 20'000, .relaxation = 10'000}).worth_while());
  const SamplePlan plan({.requests = 1'020'000, .begin = 20'000, .relaxation = 10'000});
  ASSERT_TRUE(plan.worth_while());
  EXPECT_EQ(plan.length(), 20'000);
  EXPECT_EQ(plan.stratum(1'000'000), 62'500);
  EXPECT_FALSE(SamplePlan({.requests = 0}).worth_while());
}

TEST(SamplePlan, WindowsLieInTheirStrataAtPlacesOfTheSeed) {
  const SamplePlan::Wishes wishes{.requests = 1'000'000, .begin = 1000, .relaxation = 10, .seed = 7};
  const SamplePlan plan(wishes);
  SamplePlan::Wishes other = wishes;
  other.seed = 8;
  bool same = true;
  std::uint64_t sum = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    const std::uint64_t place = plan.place(number, 5000, plan.stratum(900'000));
    EXPECT_GE(place, 5000);
    EXPECT_LE(place + plan.length(), 5000 + plan.stratum(900'000));
    EXPECT_EQ(place, plan.place(number, 5000, plan.stratum(900'000)));
    same = same && place == SamplePlan(other).place(number, 5000, plan.stratum(900'000));
    sum += place - 5000;
  }
  EXPECT_FALSE(same);
  // Places are uniform: the mean of 1000 draws has a standard error of 0.9 % of the range.
  EXPECT_NEAR(static_cast<double>(sum) / 1000, static_cast<double>(plan.stratum(900'000) - plan.length()) / 2,
              0.04 * static_cast<double>(plan.stratum(900'000)));
  SamplePlan::Wishes systematic = wishes;
  systematic.systematic = true;
  EXPECT_EQ(SamplePlan(systematic).place(3, 0, plan.stratum(900'000)), (plan.stratum(900'000) - plan.length() + 1) / 2);
}

TEST(SamplePlan, StrataShrinkForMoreWindowsUpToAShareOfTheRun) {
  SamplePlan plan({.requests = 1'000'000, .begin = 0, .relaxation = 10});
  const std::uint64_t planned = plan.stratum(900'000);
  plan.want(100, 500'000, 1);
  EXPECT_EQ(plan.stratum(900'000), 5000);
  plan.want(1e9, 500'000, 3);
  EXPECT_EQ(plan.stratum(900'000), 3 * plan.length());
  plan.want(-3, 500'000, 3);
  EXPECT_EQ(plan.stratum(900'000), planned);
}

TEST(SamplePlan, StrataAreNoLongerThanCanBeReadAhead) {
  const SamplePlan plan({.requests = 1'000'000, .begin = 0, .longest = 7000, .relaxation = 10});
  EXPECT_EQ(plan.stratum(900'000), 7000);
}

TEST(SamplePlan, TheFirstStrataAreShorter) {
  const SamplePlan plan({.requests = 1'000'000, .begin = 1000, .relaxation = 10});
  EXPECT_EQ(plan.stratum(1000), 2000);
  EXPECT_EQ(plan.stratum(3000), 2500);
  EXPECT_EQ(plan.stratum(10'000), 9500);
  EXPECT_EQ(plan.stratum(100'000), 62'437);
}

TEST(SamplePlan, WindowsGrowWhileStrataHaveRoom) {
  SamplePlan plan({.requests = 1'000'000, .begin = 0, .relaxation = 10});
  EXPECT_TRUE(plan.lengthen());
  EXPECT_EQ(plan.length(), 2000);
  EXPECT_TRUE(plan.lengthen());
  EXPECT_TRUE(plan.lengthen());
  EXPECT_TRUE(plan.lengthen());
  EXPECT_EQ(plan.length(), 16'000);
  EXPECT_FALSE(plan.lengthen());  // 32,000 of a stratum of 50,000
  SamplePlan stated({.requests = 1'000'000, .length = 1500});
  EXPECT_FALSE(stated.lengthen());
}

}  // namespace
}  // namespace flashloom::sample_plan_test
