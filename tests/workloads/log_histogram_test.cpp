// Percentiles of the histogram against sorted values.
#include "workloads/log_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "policies/memory_archive.hpp"

namespace flashloom::log_histogram_test {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

// A percentile is its bucket's upper bound: never below the true value, and at most 2^-kBits above it.
template <unsigned kBits>
void expect_percentiles_of(std::vector<std::uint64_t> values) {
  LogHistogram<kBits> histogram;
  for (const std::uint64_t value : values) histogram.add(value);
  std::sort(values.begin(), values.end());
  EXPECT_EQ(histogram.count(), values.size());
  EXPECT_EQ(histogram.minimum(), values.front());
  EXPECT_EQ(histogram.maximum(), values.back());
  long double sum = 0;
  for (const std::uint64_t value : values) sum += static_cast<long double>(value);
  const auto mean = static_cast<double>(sum / static_cast<long double>(values.size()));
  EXPECT_NEAR(histogram.mean(), mean, 1e-9 * mean);
  for (const double p : {0.0, 0.001, 0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto rank = static_cast<std::size_t>(std::ceil(p * static_cast<double>(values.size()) - 1e-6));
    const std::uint64_t exact = values[std::max<std::size_t>(rank, 1) - 1];
    const std::uint64_t found = histogram.percentile(p);
    EXPECT_GE(found, exact) << p;
    EXPECT_LE(found - exact, exact >> kBits) << p;
  }
}

void expect_percentiles(const std::vector<std::uint64_t>& values) {
  expect_percentiles_of<6>(values);
  expect_percentiles_of<7>(values);
}

std::vector<std::uint64_t> draw(std::size_t n, std::uint64_t seed, std::uint64_t (*value)(std::mt19937_64&)) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> values(n);
  for (std::uint64_t& each : values) each = value(random);
  return values;
}

TEST(LogHistogram, EmptyIsZero) {
  const LogHistogram<7> histogram;
  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.minimum(), 0u);
  EXPECT_EQ(histogram.maximum(), 0u);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.percentile(0.5), 0u);
}

TEST(LogHistogram, SmallValuesAreExact) {
  LogHistogram<7> histogram;
  for (std::uint64_t value = 0; value < 256; ++value) histogram.add(value);  // 256 = 2 x 128: steps of one
  for (int i = 1; i <= 256; ++i) EXPECT_EQ(histogram.percentile(i / 256.0), static_cast<std::uint64_t>(i - 1));
}

TEST(LogHistogram, OneValueIsItself) {
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{127}, std::uint64_t{128}, std::uint64_t{257},
        std::uint64_t{1} << 40, (std::uint64_t{1} << 63) - 1, std::uint64_t{1} << 63, kHuge}) {
    LogHistogram<7> histogram;
    histogram.add(value);
    for (const double p : {0.0, 0.5, 1.0}) EXPECT_EQ(histogram.percentile(p), value);
    EXPECT_EQ(histogram.minimum(), value);
    EXPECT_EQ(histogram.maximum(), value);
    EXPECT_EQ(histogram.mean(), static_cast<double>(value));
  }
}

// At every power of two a bucket ends, and buckets twice as wide begin.
TEST(LogHistogram, StaysWithinABucketOnBothSidesOfEveryPowerOfTwo) {
  for (unsigned bit = 0; bit < 64; ++bit)
    for (const std::uint64_t value :
         {(std::uint64_t{1} << bit) - 1, std::uint64_t{1} << bit, (std::uint64_t{1} << bit) + 1})
      expect_percentiles({value, value, kHuge});
}

TEST(LogHistogram, MatchesSortedUniformValues) {
  expect_percentiles(draw(20000, 1, [](std::mt19937_64& random) { return std::uint64_t{random() % 100'000'000}; }));
}
TEST(LogHistogram, MatchesSortedValuesOfEveryMagnitude) {
  expect_percentiles(
      draw(20000, 2, [](std::mt19937_64& random) { return std::uint64_t{random() >> (random() % 64)}; }));
}
// The sum of the values does not fit into 64 bits.
TEST(LogHistogram, MatchesSortedHugeValues) {
  expect_percentiles(draw(5000, 3, [](std::mt19937_64& random) { return std::uint64_t{kHuge - (random() >> 4)}; }));
}
TEST(LogHistogram, FindsALongTail) {
  std::vector<std::uint64_t> values(9999, 100'000'000);
  values.push_back(5'000'000'000'000);
  expect_percentiles(values);
  expect_percentiles({1, kHuge});
}

TEST(LogHistogram, SoManyTimesAsMuchInWholeNumbers) {
  LogHistogram<7> histogram;
  for (const std::uint64_t value : {10, 10, 10, 10, 500}) histogram.add(value);
  LogHistogram<7> more = histogram;
  more *= 2.5;
  EXPECT_EQ(more.count_to(LogHistogram<7>::bucket(10)), 10);
  EXPECT_EQ(more.count(), 13);  // 2.5 times the last one are 3
  EXPECT_NEAR(more.mean(), histogram.mean(), 0.1);
  EXPECT_EQ(more.maximum(), 500);
  more *= 0;
  EXPECT_EQ(more.count(), 0);
}

TEST(LogHistogram, CountsUpToABucket) {
  LogHistogram<7> histogram;
  for (const std::uint64_t value : {1, 2, 2, 3, 1'000'000}) histogram.add(value);
  EXPECT_EQ(histogram.count_to(0), 0);
  EXPECT_EQ(histogram.count_to(LogHistogram<7>::bucket(2)), 3);
  EXPECT_EQ(histogram.count_to(LogHistogram<7>::bucket(999'999)), 5);  // the same bucket as a million
  EXPECT_EQ(histogram.count_to(LogHistogram<7>::kBuckets), 5);
}

TEST(LogHistogram, ComesBackAsItWasSaved) {
  LogHistogram<7> histogram;
  for (int i = 0; i < 5; ++i) histogram.add(kHuge);  // a sum beyond 64 bits
  histogram.add(3);
  LogHistogram<7> loaded;
  ASSERT_TRUE(load_state(loaded, saved(histogram)));
  EXPECT_EQ(loaded.count(), 6);
  EXPECT_EQ(loaded.mean(), histogram.mean());
  EXPECT_EQ(loaded.minimum(), 3);
  EXPECT_EQ(loaded.percentile(0.9), histogram.percentile(0.9));
}

}  // namespace
}  // namespace flashloom::log_histogram_test
