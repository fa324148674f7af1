#include "models/energy/power_timeline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace flashloom::power_timeline_test {
namespace {

constexpr Picoseconds kWidth = Picoseconds{1} << PowerTimeline::kFinest;

void add(PowerTimeline& timeline, Picoseconds from, Picoseconds to, double watts) {
  timeline.add_change(from, PowerTimeline::quantised(watts), 0);
  timeline.add_change(to, -PowerTimeline::quantised(watts), 0);
}

TEST(PowerTimeline, OneIntervalOverPartialAndWholeBins) {
  PowerTimeline timeline;
  // 4 W from the middle of bin 0 to a quarter into bin 3.
  add(timeline, kWidth / 2, 3 * kWidth + kWidth / 4, 4.0);
  const PowerSeries series = timeline.series(4 * kWidth);
  ASSERT_EQ(series.watts, (std::vector<double>{2.0, 4.0, 4.0, 1.0}));
  EXPECT_EQ(series.bins.width, kWidth);
  EXPECT_DOUBLE_EQ(series.joules(), 4.0 * 2.75 * static_cast<double>(kWidth) * 1e-12);
}

TEST(PowerTimeline, OverlapsAddAndBackgroundIsEverywhere) {
  PowerTimeline timeline;
  timeline.add_background(0.5);
  add(timeline, 0, 2 * kWidth, 1.0);
  add(timeline, kWidth, 3 * kWidth, 2.0);
  add(timeline, 2 * kWidth, 3 * kWidth, -0.5);  // a part is switched off
  EXPECT_EQ(timeline.series(4 * kWidth).watts, (std::vector<double>{1.5, 3.5, 2.0, 0.5}));
}

TEST(PowerTimeline, EnergyAtAnInstantFallsIntoItsBin) {
  PowerTimeline timeline;
  timeline.add_change(kWidth - 1, 0, 1e-6 * 1e12);
  timeline.add_change(kWidth, 0, 3e-6 * 1e12);
  const PowerSeries series = timeline.series(2 * kWidth);
  const double seconds = static_cast<double>(kWidth) * 1e-12;
  EXPECT_DOUBLE_EQ(series.watts.at(0), 1e-6 / seconds);
  EXPECT_DOUBLE_EQ(series.watts.at(1), 3e-6 / seconds);
}

// Steps of a quarter of a bin from the middle of bin 0 on: 2 W from an eighth of a bin later until the middle of bin 2,
// also an eighth later, and 1 uJ.
TEST(PowerTimeline, TakesStepsThatAreFinerThanItsBins) {
  PowerTimeline timeline;
  const double late = static_cast<double>(kWidth) / 8;
  std::vector<PowerStep> steps(9);
  steps[0] = {2, -2 * late};
  steps[7] = {0, 1e6};
  steps[8] = {-2, 2 * late};
  timeline.add(kWidth / 2, PowerTimeline::kFinest - 2, steps);
  const PowerSeries series = timeline.series(3 * kWidth);
  EXPECT_EQ(series.watts.at(0), 2 * 3.0 / 8);
  EXPECT_EQ(series.watts.at(1), 2);
  EXPECT_DOUBLE_EQ(series.watts.at(2), 2 * 5.0 / 8 + 1e6 / static_cast<double>(kWidth));
}

TEST(PowerTimeline, LastBinTakesTheRemainder) {
  PowerTimeline timeline;
  add(timeline, 0, 10 * kWidth, 0.0);
  EXPECT_EQ(timeline.series(3 * kWidth).watts.size(), 3U);
  EXPECT_EQ(timeline.series(3 * kWidth + kWidth / 2 - 1).watts.size(), 3U);
  EXPECT_EQ(timeline.series(3 * kWidth + kWidth / 2).watts.size(), 4U);
  EXPECT_EQ(timeline.series(kWidth / 8).watts.size(), 1U);
  EXPECT_TRUE(timeline.series(0).watts.empty());
  EXPECT_EQ(timeline.series(3 * kWidth + 5).bins.width_of(2), kWidth + 5);
}

TEST(PowerTimeline, ShortRunIsOneBinOfItsOwnLength) {
  PowerTimeline timeline;
  add(timeline, 0, 500, 2.0);
  EXPECT_EQ(timeline.series(1000).watts, std::vector<double>{1.0});
}

TEST(PowerTimeline, DoublesUntilTheTimeFits) {
  PowerTimeline timeline;
  add(timeline, 3 * kWidth + kWidth / 2, 5 * kWidth, 8.0);  // 1.5 widths
  const Picoseconds limit = PowerTimeline::kBins * kWidth;
  add(timeline, limit - 2, limit - 1, 1.0);
  EXPECT_EQ(timeline.bin_width(), kWidth);
  add(timeline, limit - 1, limit, 1.0);
  EXPECT_EQ(timeline.bin_width(), 2 * kWidth);
  timeline.add_change(4 * limit - 1, 0, 0.0 * 1e12);
  EXPECT_EQ(timeline.bin_width(), 4 * kWidth);
  const PowerSeries series = timeline.series(limit);
  EXPECT_EQ(series.watts.size(), PowerTimeline::kBins / 4);
  EXPECT_DOUBLE_EQ(series.watts[0], 8.0 * 0.5 / 4);
  EXPECT_DOUBLE_EQ(series.watts[1], 8.0 * 1.0 / 4);
  EXPECT_DOUBLE_EQ(series.watts[2], 0.0);
  // The end lies beyond the last bin, with no energy there.
  EXPECT_LE(timeline.series(100 * limit).watts.size(), PowerTimeline::kBins);
  EXPECT_NEAR(timeline.series(100 * limit).joules(), series.joules(), 1e-12 * series.joules());
}

TEST(PowerTimeline, TheEndOfTimeFits) {
  PowerTimeline timeline;
  add(timeline, 0, kNever, 1.0);
  add(timeline, kSecond, kNever, -1.0);
  EXPECT_NEAR(timeline.series(kSecond).joules(), 1.0, 1e-9);
}

TEST(PowerTimeline, PowerFallsBackToExactlyNothing) {
  PowerTimeline timeline;
  const double watts[] = {0.1, 0.033, 1.7e-5, 0.2475};
  for (Picoseconds i = 0; i < 100'000; ++i) add(timeline, i * 1000, i * 1000 + 4 * kWidth, watts[i % 4]);
  EXPECT_EQ(timeline.series(1000 * kWidth).watts[900], 0.0);
}

RC_GTEST_PROP(PowerTimeline, ConservesEnergy, ()) {
  PowerTimeline timeline;
  const auto scale = *rc::gen::inRange<unsigned>(0, 24);
  const auto count = *rc::gen::inRange(1, 200);
  Picoseconds end = 1;
  double joules = 0;
  for (int i = 0; i < count; ++i) {
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, 1'000'000) << scale;
    const Picoseconds length = *rc::gen::inRange<Picoseconds>(0, 1'000'000) << scale;
    const double watts = *rc::gen::inRange(1, 100'000) * 1e-4;
    add(timeline, from, from + length, watts);
    joules += watts * static_cast<double>(length) * 1e-12;
    const double spent = *rc::gen::inRange(0, 1000) * 1e-9;
    timeline.add_change(from, 0, spent * 1e12);
    joules += spent;
    end = std::max(end, from + length);
  }
  timeline.add_background(0.25);
  joules += 0.25 * static_cast<double>(end) * 1e-12;
  const PowerSeries series = timeline.series(end);
  RC_ASSERT(series.watts.size() <= PowerTimeline::kBins);
  RC_ASSERT(std::abs(series.joules() - joules) <= 1e-9 * joules);
}

}  // namespace
}  // namespace flashloom::power_timeline_test
