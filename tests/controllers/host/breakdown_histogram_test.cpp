#include "controllers/host/breakdown_histogram.hpp"

#include <gtest/gtest.h>

#include "policies/memory_archive.hpp"

namespace flashloom::breakdown_histogram_test {
namespace {

using Sum = BreakdownHistogram::Sum;

// Adds a request of `link` + `array` ps that arrived at 0.
void add(BreakdownHistogram& histogram, Picoseconds link, Picoseconds array) {
  LatencyBreakdown breakdown;
  breakdown.begin(0);
  breakdown.attribute(LatencyPart::Link, link);
  breakdown.attribute(LatencyPart::Array, link + array);
  histogram.add(link + array, breakdown);
}

Sum part(const BreakdownHistogram::Sums& sums, LatencyPart which) {
  return sums.parts[static_cast<std::size_t>(which)];
}

TEST(BreakdownHistogram, RangesOfLatencyAreApart) {
  BreakdownHistogram histogram;
  add(histogram, 30, 70);
  add(histogram, 40, 61);  // 101 ps lies in the same eight buckets of one picosecond as 100 ps, 96 to 103
  add(histogram, 5, 5000);
  const BreakdownHistogram::Sums range = histogram.around(LatencyHistogram::bucket(100));
  EXPECT_EQ(range.requests, 2U);
  EXPECT_EQ(part(range, LatencyPart::Link), 70U);
  EXPECT_EQ(part(range, LatencyPart::Array), 131U);
  const BreakdownHistogram::Sums total = histogram.total();
  EXPECT_EQ(total.requests, 3U);
  EXPECT_EQ(part(total, LatencyPart::Link), 75U);
  EXPECT_EQ(part(total, LatencyPart::Array), 5131U);
}

// The sum of four latencies of 2^62 + 3 ps (53 days) does not fit into 64 bits.
TEST(BreakdownHistogram, SumsBeyond64BitsAreExact) {
  constexpr Picoseconds kArray = Picoseconds{1} << 62;
  BreakdownHistogram one, other;
  for (int i = 0; i < 7; ++i) add(one, 3, kArray);
  for (int i = 0; i < 5; ++i) add(other, 3, kArray);
  EXPECT_EQ(part(one.total(), LatencyPart::Array), Sum{7} * kArray);
  EXPECT_EQ(part(one.total(), LatencyPart::Link), 21U);
  other += one;
  EXPECT_EQ(other.total().requests, 12U);
  EXPECT_EQ(part(other.total(), LatencyPart::Array), Sum{12} * kArray);
  EXPECT_EQ(part(other.around(LatencyHistogram::bucket(kArray + 3)), LatencyPart::Link), 36U);
  BreakdownHistogram none;
  none += other;
  other += BreakdownHistogram();
  EXPECT_EQ(part(none.total(), LatencyPart::Array), Sum{12} * kArray);
  EXPECT_EQ(part(other.total(), LatencyPart::Array), Sum{12} * kArray);
}

TEST(BreakdownHistogram, SoManyTimesAsMuchAndSaved) {
  BreakdownHistogram histogram;
  add(histogram, 30, 70);
  add(histogram, 5, 5000);
  BreakdownHistogram loaded;
  ASSERT_TRUE(load_state(loaded, saved(histogram)));
  loaded *= 10.0;
  EXPECT_EQ(loaded.total().requests, 20U);
  EXPECT_EQ(part(loaded.total(), LatencyPart::Link), 350U);
  EXPECT_EQ(part(loaded.around(LatencyHistogram::bucket(100)), LatencyPart::Array), 700U);
  BreakdownHistogram again;
  ASSERT_TRUE(load_state(again, saved(loaded)));
  EXPECT_EQ(part(again.total(), LatencyPart::Array), 50'700U);
}

}  // namespace
}  // namespace flashloom::breakdown_histogram_test
