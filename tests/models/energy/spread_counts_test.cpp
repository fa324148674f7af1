#include "models/energy/spread_counts.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flashloom::spread_counts_test {
namespace {

using Interval = SpreadCounts::Interval;

TEST(SpreadCounts, WholeOperationsAreDone) {
  const Interval interval{.operation = 0, .count = 10, .from = 100, .to = 200};
  EXPECT_EQ(interval.done(100), 0U);
  EXPECT_EQ(interval.done(109), 0U);
  EXPECT_EQ(interval.done(110), 1U);
  EXPECT_EQ(interval.done(199), 9U);
  EXPECT_EQ(interval.done(200), 10U);
  // No product overflows: 2^40 bytes over an hour.
  const Interval large{.operation = 0, .count = std::uint64_t{1} << 40, .from = 0, .to = 3600 * kSecond};
  EXPECT_EQ(large.done(1800 * kSecond), std::uint64_t{1} << 39);
}

TEST(SpreadCounts, ACutTellsOfWhatLiesBehindItOnce) {
  SpreadCounts counts;
  const auto now = [] { return Picoseconds{0}; };
  counts.add({.operation = 1, .count = 10, .from = 100, .to = 200}, now);
  counts.add({.operation = 2, .count = 8, .from = 200, .to = 280}, now);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> ahead, cut;
  counts.ahead(150, [&](std::uint32_t operation, std::uint64_t n) { ahead.emplace_back(operation, n); });
  EXPECT_EQ(ahead, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 5}, {2, 8}}));
  const auto note = [&](const Interval& interval, std::uint64_t left) { cut.emplace_back(interval.operation, left); };
  counts.cut(150, note);
  EXPECT_EQ(cut, (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{1, 5}, {2, 0}}));
  counts.cut(150, note);
  EXPECT_EQ(cut.size(), 2U);
  counts.cut(120, note);  // further back
  EXPECT_EQ(cut.back(), (std::pair<std::uint32_t, std::uint64_t>{1, 2}));
}

TEST(SpreadCounts, ForgetsWhatIsOverOnly) {
  SpreadCounts counts;
  Picoseconds forgotten = 0;
  for (Picoseconds i = 0; i < 100; ++i)
    forgotten = std::max(
        forgotten, counts.add({.operation = 0, .count = 10, .from = 10 * i, .to = 10 * i + 10}, [] { return 500; }));
  EXPECT_GT(forgotten, 0U);
  EXPECT_LE(forgotten, 500U);
  std::uint64_t ahead = 0;
  counts.ahead(500, [&](std::uint32_t, std::uint64_t n) { ahead += n; });
  EXPECT_EQ(ahead, 500U);
}

}  // namespace
}  // namespace flashloom::spread_counts_test
