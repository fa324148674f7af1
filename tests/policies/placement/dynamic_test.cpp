// Placements that look at the device: least loaded, least worn, superblock.
#include <gtest/gtest.h>

#include "policies/registry.hpp"
#include "tests/support/placement_view.hpp"

namespace flashloom::dynamic_test {
namespace {

using Banks = std::vector<std::uint32_t>;

Banks ask(PlacementPolicy& policy, const PlacementView& view, int n, std::uint32_t stream = 0) {
  Banks banks;
  for (int i = 0; i < n; ++i) banks.push_back(policy.next({.unit = 0, .stream = stream}, view));
  return banks;
}

TEST(LeastLoaded, TakesTheDieWithTheShortestQueueAndTurnsAtTies) {
  const PlacementContext shape{.channels = 4, .ways = 1, .dies_per_way = 1};
  const auto policy = Family<PlacementPolicy>::make({"least_loaded", {}}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(ask(*policy, view, 5), (Banks{0, 1, 2, 3, 0}));  // nothing in flight: round robin
  view.loads = {3, 1, 2, 1};
  EXPECT_EQ(ask(*policy, view, 3), (Banks{1, 3, 1}));
  view.loads = {0, 1, 2, 1};
  EXPECT_EQ(ask(*policy, view, 2), (Banks{0, 0}));
  view.is_full[0] = true;
  EXPECT_EQ(ask(*policy, view, 2), (Banks{1, 3}));
}

// Both planes of a die carry the load of the die. Two dies of two planes: banks 0, 1 and 2, 3.
TEST(LeastLoaded, LoadsBelongToDies) {
  const PlacementContext shape{.channels = 2, .ways = 1, .dies_per_way = 1, .planes = 2};
  const auto policy = Family<PlacementPolicy>::make({"least_loaded", {}}, shape);
  FakePlacementView view(shape);
  view.loads = {4, 3};
  EXPECT_EQ(ask(*policy, view, 3), (Banks{2, 3, 2}));
}

TEST(LeastWorn, TakesTheBankErasedLeast) {
  const PlacementContext shape{.channels = 4, .ways = 1, .dies_per_way = 1};
  const auto policy =
      Family<PlacementPolicy>::make({"least_worn", ParameterValues({{"slack", std::int64_t{0}}})}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(ask(*policy, view, 5), (Banks{0, 1, 2, 3, 0}));  // all alike: round robin
  view.erased = {7, 5, 6, 5};
  EXPECT_EQ(ask(*policy, view, 3), (Banks{1, 3, 1}));
  view.erased[3] = 6;
  EXPECT_EQ(ask(*policy, view, 2), (Banks{1, 1}));
  view.is_full[1] = true;
  EXPECT_EQ(ask(*policy, view, 3), (Banks{2, 3, 2}));
}

TEST(LeastWorn, LetsBanksWithinTheSlackTakeTurns) {
  const PlacementContext shape{.channels = 4, .ways = 1, .dies_per_way = 1};
  const auto policy =
      Family<PlacementPolicy>::make({"least_worn", ParameterValues({{"slack", std::int64_t{2}}})}, shape);
  FakePlacementView view(shape);
  view.erased = {10, 12, 13, 11};
  EXPECT_EQ(ask(*policy, view, 6), (Banks{0, 1, 3, 0, 1, 3}));
}

// Opens, fills and closes blocks as the FTL does; returns the banks that the policy named.
Banks fill(PlacementPolicy& policy, FakePlacementView& view, std::uint32_t programs_per_block, int n) {
  std::vector<std::uint32_t> left(view.erased.size());
  for (auto& open : view.is_open) open.assign(open.size(), false);
  Banks banks;
  for (int i = 0; i < n; ++i) {
    const std::uint32_t bank = policy.next({}, view);
    banks.push_back(bank);
    if (!view.is_open[0][bank]) left[bank] = programs_per_block;
    view.is_open[0][bank] = --left[bank] != 0;
  }
  return banks;
}

// 4 dies, blocks of 2 program units, superblocks of two dies: 4 program units go to one group before the other one's
// turn.
TEST(Superblock, FillsOneGroupOfDiesAfterTheOther) {
  const PlacementContext shape{.channels = 2, .ways = 2, .dies_per_way = 1};
  const auto policy =
      Family<PlacementPolicy>::make({"superblock", ParameterValues({{"dies", std::int64_t{2}}})}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(fill(*policy, view, 2, 10), (Banks{0, 1, 0, 1, 2, 3, 2, 3, 0, 1}));
}

TEST(Superblock, OfAllDiesIsAStripeOfAllBanks) {
  const PlacementContext shape{.channels = 2, .ways = 1, .dies_per_way = 1, .planes = 2};
  const auto policy = Family<PlacementPolicy>::make({"superblock", {}}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(fill(*policy, view, 3, 14), (Banks{0, 2, 1, 3, 0, 2, 1, 3, 0, 2, 1, 3, 0, 2}));
}

// 3 dies in groups of 2: the last group has one die.
TEST(Superblock, TakesWhatIsLeftAsALastGroup) {
  const PlacementContext shape{.channels = 3, .ways = 1, .dies_per_way = 1};
  const auto policy =
      Family<PlacementPolicy>::make({"superblock", ParameterValues({{"dies", std::int64_t{2}}})}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(fill(*policy, view, 2, 8), (Banks{0, 1, 0, 1, 2, 2, 0, 1}));
}

// A superblock leaves out a bank without room; the other banks still begin and end together.
TEST(Superblock, LeavesOutAFullBank) {
  const PlacementContext shape{.channels = 3, .ways = 1, .dies_per_way = 1};
  const auto policy = Family<PlacementPolicy>::make({"superblock", {}}, shape);
  FakePlacementView view(shape);
  view.is_full[1] = true;
  EXPECT_EQ(fill(*policy, view, 2, 6), (Banks{0, 2, 0, 2, 0, 2}));
}

}  // namespace
}  // namespace flashloom::dynamic_test
