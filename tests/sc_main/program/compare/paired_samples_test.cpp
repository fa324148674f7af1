#include "sc_main/program/compare/paired_samples.hpp"

#include <gtest/gtest.h>

namespace flashloom::paired_samples_test {
namespace {

ComparedRun run(const std::vector<double>& samples, const std::vector<double>& joules, int seed = 1) {
  ComparedRun run;
  run.result = {{"energy", {{"uncertainty", {{"seed", seed}, {"samples", 5}}}}}};
  run.samples = {{"sample", samples}, {"total_j", joules}};
  return run;
}

// Both runs take between 1 J and 5 J, but the second always takes 10 % more: that is a difference.
TEST(PairedSamples, SeeADifferenceThatIsSmallerThanTheBars) {
  const auto band =
      paired_ratio(run({0, 1, 2, 3, 4}, {1, 5, 3, 2, 4}), run({0, 1, 2, 3, 4}, {1.1, 5.5, 3.3, 2.2, 4.4}), "total_j");
  ASSERT_TRUE(band);
  EXPECT_DOUBLE_EQ(band->p5, 1.1);
  EXPECT_DOUBLE_EQ(band->p95, 1.1);
  EXPECT_FALSE(is_no_difference(*band));
}

TEST(PairedSamples, ABandThatHoldsOneIsNoDifference) {
  const auto band =
      paired_ratio(run({0, 1, 2, 3, 4}, {1, 1, 1, 1, 1}), run({0, 1, 2, 3, 4}, {0.8, 0.9, 1, 1.1, 1.2}), "total_j");
  ASSERT_TRUE(band);
  EXPECT_TRUE(is_no_difference(*band));
}

// Each run lacks a sample that failed: both have samples 0 and 3.
TEST(PairedSamples, AreThoseThatBothHave) {
  const auto band = paired_ratio(run({0, 1, 3}, {1, 7, 2}), run({0, 2, 3}, {2, 9, 4}), "total_j");
  ASSERT_TRUE(band);
  EXPECT_EQ(band->mean, 2);
}

TEST(PairedSamples, NeedTheSameDraws) {
  EXPECT_FALSE(paired_ratio(run({0}, {1}), run({0}, {1}, 2), "total_j"));
  EXPECT_FALSE(paired_ratio(run({0}, {1}), run({1}, {1}), "total_j"));
  EXPECT_FALSE(paired_ratio(run({0}, {1}), run({0}, {1}), "nand_j"));
  EXPECT_FALSE(paired_ratio(run({0}, {1}), ComparedRun{}, "total_j"));
}

}  // namespace
}  // namespace flashloom::paired_samples_test
