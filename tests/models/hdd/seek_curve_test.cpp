#include "models/hdd/seek_curve.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace flashloom::seek_curve_test {
namespace {

constexpr std::uint32_t kCylinders = 5000;

double mean_over_all_pairs(const SeekCurve& seek, std::uint32_t cylinders) {
  double sum = 0;
  for (std::uint32_t d = 1; d < cylinders; ++d)
    sum += 2.0 * static_cast<double>(cylinders - d) * static_cast<double>(seek(d));
  return sum / cylinders / cylinders;
}

TEST(SeekCurve, MeetsItsThreeTimes) {
  for (const Picoseconds average : {7 * kMillisecond, 8'500 * kMicrosecond, 9 * kMillisecond}) {
    const SeekCurve seek(kMillisecond, average, 17 * kMillisecond, kCylinders);
    EXPECT_EQ(seek(0), 0U);
    EXPECT_NEAR(static_cast<double>(seek(1)), 1e9, 1);
    EXPECT_NEAR(static_cast<double>(seek(kCylinders - 1)), 17e9, 10);
    EXPECT_NEAR(mean_over_all_pairs(seek, kCylinders), static_cast<double>(average), 1e-3 * 8.5e9);
  }
}

TEST(SeekCurve, RisesSteadilyAndEverMoreSlowly) {
  const SeekCurve seek(kMillisecond, 8 * kMillisecond, 17 * kMillisecond, kCylinders);
  const auto knee = static_cast<std::uint32_t>(seek.knee());
  EXPECT_GT(knee, 10U);
  EXPECT_LT(knee, kCylinders - 10);
  Picoseconds slope = kNever;
  for (std::uint32_t d = 2; d < kCylinders; ++d) {
    EXPECT_GT(seek(d), seek(d - 1));
    const Picoseconds rise = seek(d) - seek(d - 1);
    // rounding; the slope is the same on both sides of the knee
    EXPECT_LE(rise, slope == kNever ? kNever : slope + 2) << d;
    slope = rise;
  }
}

// A straight line has the least mean, a square root the largest: 2/3 - 2/5 of twice the span.
TEST(SeekCurve, RefusesMeansThatNoCurveHas) {
  const auto make = [](Picoseconds first, Picoseconds average, Picoseconds last) {
    return SeekCurve(first, average, last, kCylinders);
  };
  EXPECT_NO_THROW(make(kMillisecond, 6'340 * kMicrosecond, 17 * kMillisecond));
  EXPECT_THROW(make(kMillisecond, 6'320 * kMicrosecond, 17 * kMillisecond), std::invalid_argument);
  EXPECT_NO_THROW(make(kMillisecond, 9'400 * kMicrosecond, 17 * kMillisecond));
  EXPECT_THROW(make(kMillisecond, 9'600 * kMicrosecond, 17 * kMillisecond), std::invalid_argument);
  EXPECT_THROW(make(2 * kMillisecond, 2 * kMillisecond, kMillisecond), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::seek_curve_test
