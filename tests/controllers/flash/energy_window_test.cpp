#include "controllers/flash/energy_window.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace flashloom::energy_window_test {
namespace {

using Operation = EnergyWindow::Operation;

// 100 uW over windows of 10 ps is a budget of 1000 uW ps.
TEST(EnergyWindow, AnOperationWaitsForEnergyToLeaveTheWindow) {
  EnergyWindow window(100, 10);
  EXPECT_EQ(window.earliest(0, {200, 5}), 0U);
  window.admit(0, {200, 5});
  // An operation that is admitted but has not begun may draw its 1000 uW ps at any later time.
  EXPECT_EQ(window.earliest(0, {200, 5}), kNever);
  EXPECT_EQ(window.drawn(3), 600);
  window.begun(0, 2, {200, 5});  // it draws in [2, 7), so the window has room again from 12 on
  EXPECT_EQ(window.drawn(7), 1000);
  EXPECT_EQ(window.drawn(12), 1000);
  EXPECT_EQ(window.drawn(14), 600);
  EXPECT_EQ(window.earliest(3, {200, 5}), 12U);
  EXPECT_EQ(window.earliest(13, {200, 5}), 13U);
  // An operation of half the power (500 uW ps) may begin while the first one's energy leaves the window.
  EXPECT_EQ(window.earliest(3, {100, 5}), 12U);
  EXPECT_EQ(window.earliest(3, {400, 5}), kNever);
  EXPECT_FALSE(window.allows({400, 5}));
  EXPECT_TRUE(window.allows({100, 5'000'000}));  // an operation of any length at the cap itself
  EXPECT_THROW(EnergyWindow(1, 0), std::invalid_argument);
}

struct Booked {
  Picoseconds admitted;
  Operation operation;
  Picoseconds begin = kNever;  // kNever: not known yet
};

// Energy drawn in the window that ends at `at`, by definition.
std::int64_t drawn(const std::vector<Booked>& all, Picoseconds window, Picoseconds at) {
  std::int64_t sum = 0;
  for (const Booked& booked : all) {
    std::int64_t time = 0;
    if (booked.begin == kNever) {
      if (at > booked.admitted)
        time = static_cast<std::int64_t>(std::min({at - booked.admitted, booked.operation.time, window}));
    } else {
      const Picoseconds from = std::max(booked.begin, at < window ? 0 : at - window);
      const Picoseconds to = std::min(booked.begin + booked.operation.time, at);
      if (to > from) time = static_cast<std::int64_t>(to - from);
    }
    sum += time * static_cast<std::int64_t>(booked.operation.microwatts);
  }
  return sum;
}

constexpr Picoseconds kHorizon = 60;

bool fits(std::vector<Booked> all, const Booked& candidate, Picoseconds window, std::int64_t budget, Picoseconds now) {
  all.push_back(candidate);
  for (Picoseconds at = now; at <= now + kHorizon; ++at)
    if (drawn(all, window, at) > budget) return false;
  return true;
}

RC_GTEST_PROP(EnergyWindow, EarliestIsTheFirstThatKeepsTheCap, ()) {
  const auto length = *rc::gen::inRange<Picoseconds>(1, 13);
  const auto cap = *rc::gen::inRange<std::uint64_t>(1, 12);
  const auto budget = static_cast<std::int64_t>(cap * length);
  EnergyWindow window(cap, length);
  std::vector<Booked> all;
  Picoseconds now = 0;
  for (int step = 0; step < 25; ++step) {
    now += *rc::gen::inRange<Picoseconds>(0, 5);
    window.advance(now);
    for (Booked& booked : all) {
      // Some of them begin, and the window learns of it late, as from a channel that reports lazily.
      if (booked.begin != kNever || booked.admitted > now || *rc::gen::inRange(0, 3) == 0) continue;
      booked.begin = booked.admitted + *rc::gen::inRange<Picoseconds>(0, now - booked.admitted + 1);
      window.begun(booked.admitted, booked.begin, booked.operation);
    }
    for (Picoseconds at = now; at < now + 20; ++at) RC_ASSERT(window.drawn(at) == drawn(all, length, at));
    const Operation operation{*rc::gen::inRange<std::uint64_t>(0, 9), *rc::gen::inRange<Picoseconds>(1, 9)};
    const Picoseconds from = now + *rc::gen::inRange<Picoseconds>(0, 3);
    const Picoseconds earliest = window.earliest(from, operation);
    Picoseconds expected = kNever;
    for (Picoseconds begin = from; begin < from + 40 && expected == kNever; ++begin)
      if (fits(all, {begin, operation}, length, budget, now)) expected = begin;
    RC_ASSERT(earliest == expected);
    if (earliest == kNever) continue;
    window.admit(earliest, operation);
    all.push_back({earliest, operation});
  }
  // No window held more than its budget, whatever the delays were.
  for (Booked& booked : all)
    if (booked.begin == kNever) booked.begin = booked.admitted;
  for (Picoseconds at = 0; at < now + kHorizon; ++at) RC_ASSERT(drawn(all, length, at) <= budget);
}

}  // namespace
}  // namespace flashloom::energy_window_test
