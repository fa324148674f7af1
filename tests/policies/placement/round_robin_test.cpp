#include <gtest/gtest.h>

#include "policies/placement/placement.hpp"

namespace flashloom {
namespace {

// Dies are numbered channel first, so counting up goes across all channels before the next way, and all ways before the
// next die.
TEST(RoundRobin, GoesAcrossChannelsThenWaysThenDiesWhateverTheUnit) {
  const PlacementContext shape{.channels = 3, .ways = 2, .dies_per_way = 2};
  const auto policy = Family<PlacementPolicy>::make({"round_robin", {}}, shape);
  const std::uint64_t units[] = {7, 7, 0, 1'000'000'007};
  for (std::uint32_t i = 0; i < 30; ++i) {
    const std::uint32_t die = policy->next_die(units[i % 4]);
    EXPECT_EQ(die, i % 12);
    EXPECT_EQ(die % shape.channels, i % 3);
    EXPECT_EQ(die / shape.channels % shape.ways, i / 3 % 2);
  }
}

TEST(RoundRobin, OneDieTakesAll) {
  const auto policy = Family<PlacementPolicy>::make({"round_robin", {}}, {1, 1, 1});
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(policy->next_die(i), 0u);
}

}  // namespace
}  // namespace flashloom
