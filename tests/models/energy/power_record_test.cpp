#include "models/energy/power_record.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace flashloom::power_record_test {
namespace {

// u is about 1 us. A step is 1 u for a window of 100 u and 8 u for one of 1000 u: both divide it.
constexpr Picoseconds u = Picoseconds{1} << 20;
constexpr Picoseconds kLong = 1'000'000 * u;  // about 1 s

Picoseconds present = 0;
PowerRecord make(Picoseconds width) {
  present = 0;
  return PowerRecord(width, [] { return present; });
}
double peak(PowerRecord& record, Picoseconds end) {
  record.finish(end);
  return record.peak_watts();
}

// 4 W in [100, 150) and 2 W in [180, 240). The best window of 100 holds all of the first and as much of the second as
// it can: [100, 200) has 4 x 50 + 2 x 20 = 240, 2.4 W. [150, 250) has 1.2 W, aligned windows 2.4 and 0.8.
TEST(PowerRecord, PeakWorkedByHand) {
  PowerRecord record = make(100 * u);
  record.add(100 * u, 150 * u, 4);
  record.add(180 * u, 240 * u, 2);
  EXPECT_NEAR(peak(record, 1000 * u), 2.4, 1e-12);
}

// The same half a step later, over 0.5 W: [100, 200) holds 4 x 50 + 2 x 19.5 = 239. With an energy of 30 at 210.5,
// [111, 211) holds 4 x 39.5 + 2 x 30.5 + 30 = 249.
TEST(PowerRecord, APeakLiesAnywhere) {
  for (const bool spent : {false, true}) {
    PowerRecord record = make(100 * u);
    record.add_background(0.5);
    record.add(100 * u + u / 2, 150 * u + u / 2, 4);
    record.add(180 * u + u / 2, 240 * u + u / 2, 2);
    if (spent) record.add_energy(210 * u + u / 2, 30 * static_cast<double>(u) * 1e-12);
    EXPECT_NEAR(peak(record, 1000 * u), 0.5 + (spent ? 2.49 : 2.39), 1e-12);
  }
}

TEST(PowerRecord, WhatIsTakenBackIsGone) {
  PowerRecord record = make(100 * u);
  record.add(200 * u, 700 * u, 3);
  record.add(230 * u, 700 * u, -3);
  EXPECT_NEAR(peak(record, 1000 * u), 0.9, 1e-12);
  EXPECT_EQ(record.series(1000 * u).watts.at(300), 0);
}

TEST(PowerRecord, AnyOrderAndFarAhead) {
  PowerRecord record = make(1000 * u);
  record.add(0, 3600 * kLong, 1);  // beyond the ring
  record.add(100 * kLong, 100 * kLong + 504 * u, 2);
  present = 200 * kLong;
  record.add(200 * kLong, 200 * kLong + 800 * u, 1.5);                // the ring has moved here, past 100 s
  record.add(200 * kLong - 10'000 * u, 200 * kLong - 9000 * u, 2.5);  // reported 10 ms late
  present = 4000 * kLong;
  record.add(4000 * kLong, 4001 * kLong, 0.5);
  EXPECT_NEAR(peak(record, 4002 * kLong), 3.5, 1e-9);
  const double joules = (3600 * 1.0 + 1 * 0.5 + (504 * 2 + 800 * 1.5 + 1000 * 2.5) * 1e-6) * kLong * 1e-12;
  EXPECT_NEAR(record.series(4002 * kLong).joules(), joules, 1e-9 * joules);
}

// Too late a report counts for the peak only from where the ring still reaches; the sums over time hold all of it.
TEST(PowerRecord, LateReportsCountFromWhereTheyStillCan) {
  PowerRecord record = make(1000 * u);
  present = kLong;
  record.add(kLong, kLong + 20 * u, 0);
  record.add_energy(8000 * u, 1000);  // long past
  record.add(8000 * u, 9000 * u, 1000 / 16.0);
  record.add(8000 * u, kLong, 2);
  EXPECT_NEAR(peak(record, kLong), 2, 1e-9);
  const double joules = 1000 + (1000 * 1000 / 16.0 + 992'000 * 2) * static_cast<double>(u) * 1e-12;
  EXPECT_NEAR(record.series(kLong).joules(), joules, 1e-9 * joules);
}

TEST(PowerRecord, OnlyWindowsWithinTheBooks) {
  PowerRecord record = make(100 * u);
  record.add(0, 300 * u, 5);
  record.add(300 * u, 900 * u, 1);
  record.add(900 * u, 2000 * u, 7);
  record.begin(301 * u);
  EXPECT_NEAR(peak(record, 900 * u), 1, 1e-12);
  PowerRecord brief = make(100 * u);
  brief.add(0, 50 * u, 5);
  EXPECT_LT(peak(brief, 99 * u), 0);
}

// Bursts out of step with any bin, repeated: at all three lengths of the run the peak is that of the first burst.
TEST(PowerRecord, ThePeakDoesNotDependOnTheLengthOfTheRun) {
  for (const int repeats : {2, 200, 20'000}) {
    PowerRecord record = make(kMillisecond);
    for (int i = 0; i < repeats; ++i) {
      const Picoseconds begin = static_cast<Picoseconds>(i) * 7013 * kMicrosecond;
      present = begin;
      record.add(begin + 400 * kMicrosecond, begin + 700 * kMicrosecond, 3);
      record.add(begin + 1100 * kMicrosecond, begin + 1500 * kMicrosecond, 2);
    }
    // 3 x 0.3 ms + 2 x 0.3 ms
    EXPECT_NEAR(peak(record, static_cast<Picoseconds>(repeats) * 7013 * kMicrosecond), 1.5, 3 * 3 / 400.0);
  }
}

struct Part {
  Picoseconds from, to;
  double watts;
};

// Against every window that begins or ends at a change of power.
RC_GTEST_PROP(PowerRecord, ThePeakIsWithinItsBoundOfTheTrueMaximum, ()) {
  const Picoseconds scale = *rc::gen::element(1, 50);  // 10 ms, and half a second, for which the ring moves on
  const Picoseconds unit = scale * kMicrosecond, end = 10'000 * unit;
  const Picoseconds width = *rc::gen::inRange<Picoseconds>(10, 3000) * unit;
  PowerRecord record = make(width);
  std::vector<Part> parts;
  std::vector<Picoseconds> edges;
  double range = 0;
  for (int i = *rc::gen::inRange(1, 30); i > 0; --i) {
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, end);
    const Picoseconds to = from + *rc::gen::inRange<Picoseconds>(0, end - from + 1);
    parts.push_back({from, to, PowerTimeline::quantised(*rc::gen::inRange(1, 1000) * 1e-3)});
    for (const Picoseconds edge : {from, to}) edges.insert(edges.end(), {edge, edge + width});
    range += parts.back().watts;
  }
  const bool as_time_passes = *rc::gen::arbitrary<bool>();
  if (as_time_passes)
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.from < b.from; });
  for (const Part& part : parts) {
    if (as_time_passes) present = part.from;
    record.add(part.from, part.to, part.watts);
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
  const double found = peak(record, end);
  RC_ASSERT(found <= most + range / 400 + 1e-9);
  // The first and the last step of the run may hold no window of their own: the bound is one step more instead of a
  // half.
  RC_ASSERT(found >= most - range * 5 / 400 - 1e-9);
}

// Reports come ahead of time, in time or late.
RC_GTEST_PROP(PowerRecord, ConservesEnergy, ()) {
  PowerRecord record = make(*rc::gen::inRange<Picoseconds>(10, 3000) * kMicrosecond);
  const auto scale = *rc::gen::inRange<unsigned>(0, 24);
  Picoseconds end = 1;
  double joules = 0;
  for (int i = *rc::gen::inRange(1, 200); i > 0; --i) {
    const Picoseconds from = *rc::gen::inRange<Picoseconds>(0, 1'000'000) << scale;
    const Picoseconds length = *rc::gen::inRange<Picoseconds>(0, 1'000'000) << scale;
    const double watts = *rc::gen::inRange(1, 100'000) * 1e-4;
    const double spent = *rc::gen::inRange(0, 1000) * 1e-9;
    present += *rc::gen::inRange<Picoseconds>(0, 20'000) << scale;
    record.add(from, from + length, watts);
    record.add_energy(from, spent);
    joules += watts * static_cast<double>(length) * 1e-12 + spent;
    end = std::max(end, from + length);
  }
  record.add_background(0.25);
  joules += 0.25 * static_cast<double>(end) * 1e-12;
  record.finish(end);
  const PowerSeries series = record.series(end);
  RC_ASSERT(series.watts.size() <= PowerTimeline::kBins);
  RC_ASSERT(std::abs(series.joules() - joules) <= 1e-9 * joules);
}

}  // namespace
}  // namespace flashloom::power_record_test
