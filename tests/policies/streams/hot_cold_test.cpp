// Classifiers of hot and cold data: hand-worked histories, and their accuracy on a two-class workload.
#include <gtest/gtest.h>

#include <random>

#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"

namespace flashloom::hot_cold_test {
namespace {

std::unique_ptr<StreamPolicy> lru(double hot, double candidates, std::uint64_t units) {
  return Family<StreamPolicy>::make({"two_level_lru", ParameterValues({{"hot", hot}, {"candidates", candidates}})},
                                    {.logical_units = units});
}

std::vector<std::uint32_t> streams(StreamPolicy& policy, const std::vector<std::uint32_t>& units) {
  std::vector<std::uint32_t> all;
  for (const std::uint32_t unit : units) all.push_back(policy.stream_of(unit, {}));
  return all;
}

using Streams = std::vector<std::uint32_t>;

// The policy has two hot entries and two candidates.
TEST(TwoLevelLru, PromotesOnTheSecondWriteAndCoolsTheOldest) {
  const auto policy = lru(0.2, 0.2, 10);
  // 1, 2: candidates (2, 1). 1 again: hot. 3: candidates (3, 2). 2: hot (2, 1), candidates (3).
  EXPECT_EQ(streams(*policy, {1, 2, 1, 3, 2}), (Streams{0, 0, 1, 0, 1}));
  // 3: hot (3, 2), 1 falls back, candidates (1). 1: hot (1, 3), candidates (2). 2: hot (2, 1), candidates (3).
  EXPECT_EQ(streams(*policy, {3, 1, 2}), (Streams{1, 1, 1}));
  // 8, 9: candidates (9, 8), 3 is forgotten: cold again.
  EXPECT_EQ(streams(*policy, {8, 9, 3}), (Streams{0, 0, 0}));
  // 2 was hot all the time.
  EXPECT_EQ(streams(*policy, {2}), (Streams{1}));
}

std::unique_ptr<StreamPolicy> bloom(std::int64_t filters, std::int64_t decay, std::int64_t threshold) {
  return Family<StreamPolicy>::make(
      {"bloom_filters", ParameterValues({{"filters", filters}, {"decay", decay}, {"threshold", threshold}})},
      {.logical_units = 1000});
}

// Two filters so large that nothing collides, A (newest, weighs 2) and B (weighs 1); writes go to A, B, A, B. A unit is
// hot from a weight of 3 on: in both filters.
TEST(BloomFilters, AUnitInAllFiltersIsHotUntilTheyAreEmptied) {
  const auto policy = bloom(2, 6, 3);
  // 7 goes into A; 7 into B: hot; 5 into A; 7 stays hot; 5 into B (its turn is A, which has it): hot; 4 into B. The
  // sixth write empties B, which is the newest now.
  EXPECT_EQ(streams(*policy, {7, 7, 5, 7, 5, 4}), (Streams{0, 1, 0, 1, 1, 0}));
  // A has 7 and 5. 7 into B: hot. 4 into B. 5 into B: hot. 4 into A: hot. 9 into A. 9 into B: hot. A is emptied.
  EXPECT_EQ(streams(*policy, {7, 4, 5, 4, 9, 9}), (Streams{1, 0, 1, 1, 0, 1}));
  EXPECT_EQ(streams(*policy, {8}), (Streams{0}));
}

// The filters have fewer bits than a word. Each write empties the older filter, so that only the last unit is in both.
TEST(BloomFilters, AreAWordAtLeast) { EXPECT_EQ(streams(*bloom(2, 1, 3), {7, 7, 5, 7, 7}), (Streams{0, 1, 0, 0, 1})); }

TEST(BloomFilters, RecencyWeighs) {
  // Three filters weigh 3, 2, 1. A unit written once lies in one filter: hot from threshold 3 on only in the newest.
  const auto policy = bloom(3, 100, 3);
  EXPECT_EQ(streams(*policy, {1, 2, 3}), (Streams{1, 0, 0}));  // into the filters that weigh 3, 1 (oldest), 2
}

// A tenth of the units gets nine tenths of the writes: every classifier must tell most writes right.
class HotCold : public testing::TestWithParam<std::string> {};

TEST_P(HotCold, TellsTwoClassesApart) {
  constexpr std::uint32_t kUnits = 20000;
  const auto policy = Family<StreamPolicy>::make({GetParam(), {}}, {.logical_units = kUnits});
  std::mt19937_64 random(3);
  std::uint64_t hot_right = 0;
  std::uint64_t cold_right = 0;
  std::uint64_t hot_writes = 0;
  std::uint64_t cold_writes = 0;
  for (std::uint32_t i = 0; i < 20 * kUnits; ++i) {
    const bool hot = random() % 10 != 0;
    const auto unit =
        static_cast<std::uint32_t>(hot ? random() % (kUnits / 10) : kUnits / 10 + random() % (kUnits * 9 / 10));
    const std::uint32_t stream = policy->stream_of(unit, {});
    if (i < 10 * kUnits) continue;  // learning
    ++(hot ? hot_writes : cold_writes);
    hot_right += hot && policy->name(stream) == "hot" ? 1 : 0;
    cold_right += !hot && policy->name(stream) == "cold" ? 1 : 0;
  }
  const double hot_share = static_cast<double>(hot_right) / static_cast<double>(hot_writes);
  const double cold_share = static_cast<double>(cold_right) / static_cast<double>(cold_writes);
  RecordProperty("hot_right", std::to_string(hot_share));
  RecordProperty("cold_right", std::to_string(cold_share));
  EXPECT_GT(hot_share, 0.9);
  EXPECT_GT(cold_share, 0.8);
}

INSTANTIATE_TEST_SUITE_P(Classifiers, HotCold, testing::Values("bloom_filters", "two_level_lru"),
                         [](const auto& test) { return test.param; });

TEST(HostStreams, FollowTheRequest) {
  const auto policy = Family<StreamPolicy>::make({"host", ParameterValues({{"count", std::int64_t{3}}})}, {});
  EXPECT_EQ(policy->count(), 3U);
  for (std::uint32_t hint = 0; hint < 20; ++hint) EXPECT_EQ(policy->stream_of(5, {.number = hint}), hint % 3);
}

}  // namespace
}  // namespace flashloom::hot_cold_test
