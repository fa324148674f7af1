#include "sc_main/program/sample/window_parts.hpp"

#include <gtest/gtest.h>

#include <random>

namespace flashloom::window_parts_test {
namespace {

// Eight windows of 16,000 requests. Their pace and latencies begin at `slower` times their level and decay to it within
// `decay` requests; each window has a level of its own.
std::vector<WindowParts> windows(double slower, double decay, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(1, 0.02);
  std::vector<WindowParts> list;
  for (int window = 0; window < 8; ++window) {
    const double level = noise(random);
    WindowParts parts;
    std::uint64_t at = 0;
    const PartEnds ends = window_parts(16'000);
    for (std::size_t part = 0; part < kWindowParts; ++part) {
      for (; at < ends[part]; ++at) {
        const double now = level * (1 + (slower - 1) * std::exp(-static_cast<double>(at) / decay));
        ++parts[part].requests;
        parts[part].time += static_cast<Picoseconds>(1e6 * now * noise(random));
        parts[part].latencies[0].add(static_cast<std::uint64_t>(1e7 * now * noise(random)));
      }
    }
    list.push_back(parts);
  }
  return list;
}

TEST(WindowParts, EachIsAsLongAsAllBeforeIt) {
  EXPECT_EQ(window_parts(1600), (PartEnds{100, 200, 400, 800, 1600}));
  EXPECT_EQ(window_parts(3), (PartEnds{1, 1, 1, 1, 3}));
}

TEST(WindowParts, AShortTransientIsOfTheFirstPart) { EXPECT_EQ(steady_from(windows(1.5, 100)), 1); }

TEST(WindowParts, ALongerOneIsOfMoreParts) {
  EXPECT_EQ(steady_from(windows(1.5, 500)), 3);   // e^-4 of the excess is left after 2000 requests, e^-8 after 4000
  EXPECT_EQ(steady_from(windows(1.5, 5000)), 4);  // not settled in the second quarter
}

// Half of exp(-t / 5000) has the mean 0.1546 over the second quarter and 0.0503 over the last half: 0.1043 / 1.0503.
TEST(WindowParts, WhatIsLeftOfTheBegin) {
  const LeftOfBegin left = left_of_begin(windows(1.5, 5000));
  EXPECT_NEAR(left.pace, 0.0993, 0.002);
  EXPECT_NEAR(left.latency[0], 0.0993, 0.002);
  EXPECT_EQ(left.latency[1], 0);  // the operation does not occur
  EXPECT_LT(left_of_begin(windows(1.5, 100)).pace, 0.001);
}

TEST(WindowParts, NothingIsFoundInNoise) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    if (steady_from(windows(1, 100, seed)) != 1) ++found;
  EXPECT_LE(found, 1);
}

}  // namespace
}  // namespace flashloom::window_parts_test
