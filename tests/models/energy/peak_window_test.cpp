#include "models/energy/peak_window.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace flashloom::peak_window_test {
namespace {

constexpr Picoseconds kUnit = Picoseconds{1} << 20;

TEST(PeakWindow, Width) {
  EXPECT_THROW(PeakWindow(PeakWindow::kShortest - 1), std::invalid_argument);
  EXPECT_THROW(PeakWindow(PeakWindow::kLongest + 1), std::invalid_argument);
  EXPECT_EQ(PeakWindow(10 * kMicrosecond + 251).width(), 10 * kMicrosecond + 251);
}

// A window has at least 100 steps and fewer than 200.
TEST(PeakWindow, WidestStep) {
  EXPECT_EQ(PeakWindow(100 * kUnit).widest_step(), 20u);
  EXPECT_EQ(PeakWindow(200 * kUnit - 1).widest_step(), 20u);
  EXPECT_EQ(PeakWindow(200 * kUnit).widest_step(), 21u);
}

// 3 W in the last quarter of step 3 and all of step 4, and the energy of 1 W over a step in step 5. A window of 100
// steps holds all of it: (1.25 x 3 + 1) / 100 = 4.75 / 100.
TEST(PeakWindow, HandWorked) {
  PeakWindow peak(100 * kUnit);
  peak.set_step(20);
  std::vector<PowerStep> steps(98);
  steps[3] = {3, -3 * 0.75 * kUnit};
  steps[5] = {-3, kUnit};
  peak.add(steps);
  EXPECT_LT(peak.watts(), 0);  // no window yet
  peak.add(std::vector<PowerStep>(2));
  EXPECT_NEAR(peak.watts(), 0.0475, 1e-12);
  peak.add_background(2);
  EXPECT_NEAR(peak.watts(), 2.0475, 1e-12);
}

// Windows of 100.5 steps, a pulse of 100.25: a window that ends with the pulse has half of the pulse's first step, and
// counts half of that step's mean.
TEST(PeakWindow, ThePartOfAStepCountsWithItsShare) {
  PeakWindow peak(100 * kUnit + kUnit / 2);
  peak.set_step(20);
  std::vector<PowerStep> steps(1200);
  steps[600] = {1, -0.75 * kUnit};
  steps[701] = {-1, 0};
  peak.add(steps);
  // not 100.25: a part of a step counts with its share of the step's mean
  EXPECT_NEAR(peak.watts(), (100 + 0.5 * 0.25) / 100.5, 1e-12);
}

TEST(PeakWindow, PassesTimeWithoutChanges) {
  PeakWindow peak(100 * kUnit);
  peak.set_step(20);
  std::vector<PowerStep> steps(150);
  steps[149] = {5, 0};
  peak.add(steps);
  EXPECT_NEAR(peak.watts(), 0.05, 1e-12);
  peak.pass(1'000'000'000);
  EXPECT_NEAR(peak.watts(), 5, 1e-12);
  peak.add(std::vector<PowerStep>{{2, 0}, {-7, 0}});
  EXPECT_NEAR(peak.watts(), (99 * 5 + 7) / 100.0, 1e-9);
}

TEST(PeakWindow, OnlyWindowsThatBeginInTime) {
  PeakWindow peak(100 * kUnit);
  peak.set_step(20);
  std::vector<PowerStep> steps(601);
  steps[0] = {5, 0};
  steps[300] = {-4, 0};
  peak.add(std::span(steps).first(350));
  peak.begin(301 * kUnit);
  EXPECT_LT(peak.watts(), 0);
  peak.add(std::span(steps).subspan(350));
  EXPECT_NEAR(peak.watts(), 1, 1e-12);
  peak.begin(kSecond);  // within time that has passed
  peak.pass(2 * kSecond / kUnit);
  EXPECT_NEAR(peak.watts(), 1, 1e-12);
}

}  // namespace
}  // namespace flashloom::peak_window_test
