#include "models/energy/peak_window.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "models/energy/power_timeline.hpp"

namespace flashloom::peak_window_test {
namespace {

constexpr Picoseconds kUs = kMicrosecond;
Picoseconds present = 0;
PeakWindow make(Picoseconds width) {
  present = 0;
  return PeakWindow(width, [] { return present; });
}

// 4 W in [100, 150) us and 2 W in [180, 240) us. The best 100 us hold all of the first and the rest of them the second:
// [100, 200): 4 x 50 + 2 x 20 = 240 uJ, 2.4 W.  [150, 250) has 1.2 W, aligned bins of 100 us 2.4 and 0.8.
TEST(PeakWindow, HandWorked) {
  PeakWindow peak = make(100 * kUs);
  peak.add(100 * kUs, 150 * kUs, 4);
  peak.add(180 * kUs, 240 * kUs, 2);
  EXPECT_NEAR(peak.finish(kMillisecond), 2.4, 1e-12);
}

// The same 37 us later with 0.5 W at all times. Steps of 0.4 us: [136.8, 236.8) holds 4 x 50 + 2 x 19.8 = 239.6 uJ.
// With 30 uJ spent at 247 us [147.2, 247.2) holds 4 x 39.8 + 2 x 30.2 + 30 = 249.6 uJ.
TEST(PeakWindow, LiesAnywhere) {
  for (const bool spent : {false, true}) {
    PeakWindow peak = make(100 * kUs);
    peak.add_background(0.5);
    peak.add(137 * kUs, 187 * kUs, 4);
    peak.add(217 * kUs, 277 * kUs, 2);
    if (spent) peak.add_energy(247 * kUs, 30e-6);
    EXPECT_NEAR(peak.finish(kMillisecond), 0.5 + (spent ? 2.496 : 2.396), 1e-12);
  }
}

TEST(PeakWindow, WhatIsTakenBackIsGone) {
  PeakWindow peak = make(100 * kUs);
  peak.add(200 * kUs, 700 * kUs, 3);
  peak.add(230 * kUs, 700 * kUs, -3);
  EXPECT_NEAR(peak.finish(kMillisecond), 0.9, 1e-12);
}

TEST(PeakWindow, AnyOrderAndFarAhead) {
  PeakWindow peak = make(kMillisecond);
  peak.add(0, 3600 * kSecond, 1);  // beyond the ring
  peak.add(100 * kSecond, 100 * kSecond + 500 * kUs, 2);
  present = 200 * kSecond;
  peak.add(200 * kSecond, 200 * kSecond + 800 * kUs, 1.5);  // the ring is here now, and 100 s have passed on the way
  peak.add(199'990 * kMillisecond, 199'991 * kMillisecond, 2.5);  // reported 10 ms late
  present = 4000 * kSecond;
  peak.add(4000 * kSecond, 4001 * kSecond, 0.5);
  EXPECT_NEAR(peak.finish(4002 * kSecond), 3.5, 1e-12);
}

TEST(PeakWindow, LateReportsCountFromWhereTheyStillCan) {
  PeakWindow peak = make(kMillisecond);
  present = kSecond;
  peak.add(kSecond, kSecond + 1, 0);
  peak.add_energy(10 * kMillisecond, 1000);  // long past
  peak.add(10 * kMillisecond, 11 * kMillisecond, 1000);
  peak.add(10 * kMillisecond, kSecond, 2);
  EXPECT_NEAR(peak.finish(kSecond), 2, 1e-12);
}

TEST(PeakWindow, OnlyWindowsWithinTheBooks) {
  PeakWindow peak = make(100 * kUs);
  peak.add(0, 300 * kUs, 5);
  peak.add(300 * kUs, 900 * kUs, 1);
  peak.add(900 * kUs, 2000 * kUs, 7);
  peak.begin(301 * kUs);
  EXPECT_NEAR(peak.finish(900 * kUs), 1, 1e-12);
  PeakWindow brief = make(100 * kUs);
  brief.add(0, 50 * kUs, 5);
  EXPECT_LT(brief.finish(99 * kUs), 0);
}

TEST(PeakWindow, Width) {
  EXPECT_THROW(make(PeakWindow::kShortest - 1), std::invalid_argument);
  EXPECT_THROW(make(PeakWindow::kLongest + 1), std::invalid_argument);
  EXPECT_EQ(make(kSecond).width(), kSecond);
  EXPECT_EQ(make(10 * kUs + 251).width(), 10 * kUs + 250);
}

// Bursts that lie askew to any bin, once and again: the peak is that of the first, at all three lengths.
TEST(PeakWindow, DoesNotDependOnTheLengthOfTheRun) {
  for (const int repeats : {2, 200, 20'000}) {
    PeakWindow peak = make(kMillisecond);
    for (int i = 0; i < repeats; ++i) {
      const Picoseconds begin = static_cast<Picoseconds>(i) * 7013 * kUs;  // 7013 us: 1753.25 steps of 4 us
      present = begin;
      peak.add(begin + 400 * kUs, begin + 700 * kUs, 3);
      peak.add(begin + 1100 * kUs, begin + 1500 * kUs, 2);
    }
    // 3 x 0.3 ms + 2 x 0.3 ms; a step may cut off 2 us of it
    EXPECT_NEAR(peak.finish(static_cast<Picoseconds>(repeats) * 7013 * kUs), 1.5, 2e-3 * 3);
  }
}

// Against every window that begins or ends where the power changes.
RC_GTEST_PROP(PeakWindow, WithinItsBoundOfTheTrueMaximum, ()) {
  const Picoseconds width = *rc::gen::inRange<Picoseconds>(10, 3000) * kUs;
  PeakWindow peak = make(width);
  struct Part {
    Picoseconds from, to;
    double watts;
  };
  std::vector<Part> parts;
  std::vector<Picoseconds> edges;
  const Picoseconds end = 10'000 * kUs;
  double range = 0;
  for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, end);
    const Picoseconds to = from + *rc::gen::inRange<Picoseconds>(0, end - from + 1);
    parts.push_back({from, to, PowerTimeline::quantised(*rc::gen::inRange(1, 1000) * 1e-3)});
    peak.add(from, to, parts.back().watts);
    for (const Picoseconds edge : {from, to}) edges.insert(edges.end(), {edge, edge + width});
    range += parts.back().watts;
  }
  double most = 0;
  for (const Picoseconds last : edges) {
    if (last < width || last > end) continue;
    double energy = 0;
    for (const Part& part : parts) {
      const Picoseconds from = std::max(part.from, last - width), to = std::min(part.to, last);
      if (from < to) energy += part.watts * static_cast<double>(to - from);
    }
    most = std::max(most, energy / static_cast<double>(width));
  }
  const double found = peak.finish(end);
  // The last and the first step of the run may hold no window of their own: one step instead of half of one.
  RC_ASSERT(found <= most + range / PeakWindow::kSteps + 1e-9);
  RC_ASSERT(found >= most - range / PeakWindow::kSteps - 1e-9);
}

}  // namespace
}  // namespace flashloom::peak_window_test
