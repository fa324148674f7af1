// Percentiles of the histogram against sorted values.
#include "controllers/host/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace flashloom::latency_histogram_test {
namespace {

constexpr Picoseconds kHuge = std::numeric_limits<Picoseconds>::max();

// The bucket's upper bound: never below the true value, and at most 1/128 above it.
void expect_percentiles(std::vector<Picoseconds> values) {
  LatencyHistogram histogram;
  for (const Picoseconds value : values) histogram.add(value);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.minimum(), values.front());
  EXPECT_EQ(histogram.maximum(), values.back());
  long double sum = 0;
  for (const Picoseconds value : values) sum += static_cast<long double>(value);
  const auto mean = static_cast<double>(sum / static_cast<long double>(values.size()));
  EXPECT_NEAR(histogram.mean(), mean, 1e-9 * mean);
  for (const double p : {0.0, 0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size()) - 1e-6));
    const Picoseconds exact = values[std::max<std::size_t>(rank, 1) - 1];
    const Picoseconds found = histogram.percentile(p);
    EXPECT_GE(found, exact) << p;
    EXPECT_LE(found - exact, exact / 128) << p;
  }
}

std::vector<Picoseconds> draw(std::size_t n, std::uint64_t seed, Picoseconds (*value)(std::mt19937_64&)) {
  std::mt19937_64 random(seed);
  std::vector<Picoseconds> values(n);
  for (Picoseconds& each : values) each = value(random);
  return values;
}

TEST(LatencyHistogram, EmptyIsZero) {
  const LatencyHistogram histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.minimum(), 0u);
  EXPECT_EQ(histogram.maximum(), 0u);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.percentile(0.5), 0u);
}

TEST(LatencyHistogram, SmallValuesAreExact) {
  LatencyHistogram histogram;
  for (Picoseconds value = 0; value < 256; ++value) histogram.add(value);  // 256 = 2 x 128: steps of one
  for (int i = 1; i <= 256; ++i) EXPECT_EQ(histogram.percentile(i / 256.0), static_cast<Picoseconds>(i - 1));
}

TEST(LatencyHistogram, OneValueIsItself) {
  for (const Picoseconds value : {Picoseconds{0}, Picoseconds{1}, Picoseconds{127}, Picoseconds{128}, Picoseconds{257},
                                  Picoseconds{1} << 40, (Picoseconds{1} << 63) - 1, Picoseconds{1} << 63, kHuge}) {
    LatencyHistogram histogram;
    histogram.add(value);
    for (const double p : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.percentile(p), value);
    EXPECT_EQ(histogram.minimum(), value);
    EXPECT_EQ(histogram.maximum(), value);
    EXPECT_EQ(histogram.mean(), static_cast<double>(value));
  }
}

// At every power of two a bucket ends and twice as wide ones begin.
TEST(LatencyHistogram, StaysWithinABucketOnBothSidesOfEveryPowerOfTwo) {
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const Picoseconds value : {(Picoseconds{1} << bit) - 1, Picoseconds{1} << bit, (Picoseconds{1} << bit) + 1})
      expect_percentiles({value, value, kHuge});
}

TEST(LatencyHistogram, MatchesSortedUniformValues) {
  expect_percentiles(draw(20000, 1, [](std::mt19937_64& random) { return Picoseconds{random() % 100'000'000}; }));
}
TEST(LatencyHistogram, MatchesSortedValuesOfEveryMagnitude) {
  expect_percentiles(draw(20000, 2, [](std::mt19937_64& random) { return Picoseconds{random() >> (random() % 64)}; }));
}
// Their sum does not fit into 64 bits.
TEST(LatencyHistogram, MatchesSortedHugeValues) {
  expect_percentiles(draw(5000, 3, [](std::mt19937_64& random) { return Picoseconds{kHuge - (random() >> 4)}; }));
}
TEST(LatencyHistogram, FindsALongTail) {
  std::vector<Picoseconds> values(9999, 100 * kMicrosecond);
  values.push_back(5000 * kMillisecond);
  expect_percentiles(values);
  expect_percentiles({1, kHuge});
}

}  // namespace
}  // namespace flashloom::latency_histogram_test
