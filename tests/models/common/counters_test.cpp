// Sums and differences of counters, field by field, worked by hand.
#include "models/common/counters.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace flashloom::test::counters_test {
namespace {

// A type that adds up by an operator of its own.
struct Bag {
  std::vector<int> things{};
  Bag& operator+=(const Bag& other) {
    things.insert(things.end(), other.things.begin(), other.things.end());
    return *this;
  }
};

struct Inner {
  std::uint64_t count = 0;
  Highest<std::uint64_t> longest;
};

struct Outer {
  std::uint64_t total = 0;
  double share = 0;
  Inner inner;
  std::array<Inner, 2> each{};
  std::array<std::array<std::uint64_t, 2>, 2> table{};
  Lowest<std::uint32_t> least;
};

struct WithBag {
  std::uint64_t count = 0;
  Bag bag{};
};

Outer sample(std::uint64_t n) {
  return {.total = n,
          .share = 0.5 * static_cast<double>(n),
          .inner = {n + 1, {n + 2}},
          .each = {{{n + 3, {n + 4}}, {n + 5, {n + 6}}}},
          .table = {{{n + 7, n + 8}, {n + 9, n + 10}}},
          .least = {static_cast<std::uint32_t>(n)}};
}

TEST(Counters, AddUpFieldByField) {
  Outer sum = sample(10);
  add(sum, sample(100));
  EXPECT_EQ(sum.total, 110u);
  EXPECT_EQ(sum.share, 55);
  EXPECT_EQ(sum.inner.count, 112u);
  EXPECT_EQ(sum.inner.longest.value, 102u);
  EXPECT_EQ(sum.each[0].count, 116u);
  EXPECT_EQ(sum.each[1].longest.value, 106u);
  EXPECT_EQ(sum.table[1][0], 128u);
  EXPECT_EQ(sum.least.value, 10u);
}

TEST(Counters, DifferencesLeaveExtremes) {
  Outer later = sample(100);
  subtract(later, sample(10));
  EXPECT_EQ(later.total, 90u);
  EXPECT_EQ(later.each[1].count, 90u);
  EXPECT_EQ(later.table[0][1], 90u);
  EXPECT_EQ(later.inner.longest.value, 102u);
  EXPECT_EQ(later.least.value, 100u);
}

TEST(Counters, WhatHasAnOperatorAddsByIt) {
  WithBag sum{1, {{1, 2}}};
  add(sum, WithBag{2, {{3}}});
  EXPECT_EQ(sum.count, 3u);
  EXPECT_EQ(sum.bag.things, (std::vector{1, 2, 3}));
}

TEST(Extremes, TheLowestOfNothingIsNone) {
  Lowest<std::uint32_t> lowest;
  EXPECT_FALSE(lowest.any());
  lowest.note(7);
  lowest.note(9);
  EXPECT_TRUE(lowest.any());
  EXPECT_EQ(lowest.value, 7u);
}

TEST(Counters, SoManyTimesAsMuchInWholeNumbers) {
  struct Pair {
    std::uint64_t many = 0;
    std::array<std::uint32_t, 2> few{};
    Highest<std::uint64_t> highest;
  };
  Pair pair{.many = 10, .few = {1, 3}, .highest = {7}};
  multiply(pair, 2.5);
  EXPECT_EQ(pair.many, 25u);
  EXPECT_EQ(pair.few[0], 3u);  // 2.5
  EXPECT_EQ(pair.few[1], 8u);
  EXPECT_EQ(pair.highest.value, 7u);
}

}  // namespace
}  // namespace flashloom::test::counters_test
