#include "sc_main/program/sample/window_choice.hpp"

#include <gtest/gtest.h>

#include <map>

namespace flashloom::window_choice_test {
namespace {

// Windows of 10 of 100 requests. The third one costs as much as all others together: half of the cost and a tenth of
// the requests give it a chance of 0.3; the others have 1/18 and 1/10, so 7/90.
std::vector<float> one_dear_window() {
  std::vector<float> costs(100, 1);
  for (std::size_t request = 20; request < 30; ++request) costs[request] = 9;
  return costs;
}

TEST(WindowChoice, StandsForTheInverseOfItsSize) {
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    const WindowChoice choice = choose_window(one_dear_window(), 10, 1000, draw);
    ASSERT_EQ(choice.place % 10, 0);
    ASSERT_LT(choice.place, 100);
    EXPECT_NEAR(choice.stands_for, 100 / (choice.place == 20 ? 0.3 : 7.0 / 90), 1e-6);
  }
}

// The dear window is drawn 3000 +- 46 times in 10,000 (binomial); on average windows stand for the stratum.
TEST(WindowChoice, DearWindowsAreDrawnMoreOftenWithoutBias) {
  std::map<std::uint64_t, int> places;
  double sum = 0;
  double cost = 0;
  for (std::uint64_t draw = 0; draw < 10'000; ++draw) {
    const WindowChoice choice = choose_window(one_dear_window(), 10, 1000, draw);
    ++places[choice.place];
    sum += choice.stands_for;
    cost += choice.stands_for * (choice.place == 20 ? 9 : 1);
  }
  EXPECT_EQ(places.size(), 10);
  EXPECT_NEAR(places[20], 3000, 3 * 46);
  EXPECT_NEAR(sum / 10'000, 1000, 15);
  EXPECT_NEAR(cost / 10'000, 1800, 30);
}

TEST(WindowChoice, WithoutCostsAllAreAlike) {
  const WindowChoice choice = choose_window(std::vector<float>(47, 0), 10, 470, 3);
  EXPECT_LE(choice.place + 10, 47);
  EXPECT_DOUBLE_EQ(choice.stands_for, 470);
}

// Four windows of ten leave seven requests over, which lie before and behind the windows, in varying parts.
TEST(WindowChoice, WhatIsLeftOverDiffers) {
  std::map<std::uint64_t, int> first;
  for (std::uint64_t draw = 0; draw < 1000; ++draw)
    ++first[choose_window(std::vector<float>(47, 1), 10, 470, draw).place % 10];
  EXPECT_EQ(first.size(), 8);
}

}  // namespace
}  // namespace flashloom::window_choice_test
