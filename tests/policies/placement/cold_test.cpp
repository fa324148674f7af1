// COLD's placement: each set on one die, other units interleaved.
#include <gtest/gtest.h>

#include "policies/registry.hpp"
#include "tests/support/placement_view.hpp"

namespace flashloom::cold_test {
namespace {

using Banks = std::vector<std::uint32_t>;

Banks of_set(PlacementPolicy& policy, const PlacementView& view, std::uint32_t set, int n) {
  Banks banks;
  for (int i = 0; i < n; ++i) banks.push_back(policy.next({.unit = 0, .stream = 1, .set = set}, view));
  return banks;
}

TEST(Cold, EachSetHasADieAndTheRestIsInterleaved) {
  const PlacementContext shape{.channels = 2, .ways = 2, .dies_per_way = 1, .streams = 2};
  const auto policy = Family<PlacementPolicy>::make({"cold", {}}, shape);
  EXPECT_TRUE(policy->sets_apart());
  const FakePlacementView view(shape);
  EXPECT_EQ(policy->next({}, view), 0U);
  EXPECT_EQ(of_set(*policy, view, 7, 3), (Banks{0, 0, 0}));
  EXPECT_EQ(policy->next({}, view), 1U);  // continues its own turn
  EXPECT_EQ(of_set(*policy, view, 8, 2), (Banks{1, 1}));
  EXPECT_EQ(of_set(*policy, view, 9, 1), (Banks{2}));
  EXPECT_EQ(of_set(*policy, view, 8, 1), (Banks{3}));  // a set number that comes again is another set
  EXPECT_EQ(policy->next({}, view), 2U);
}

// Sets take the dies in the order of interleaving: WCDP visits both ways of channel 0 first.
TEST(Cold, SetsTakeTheDiesInTheOrderOfInterleaving) {
  const PlacementContext shape{.channels = 2, .ways = 2, .dies_per_way = 1, .planes = 2, .streams = 2};
  const auto policy = Family<PlacementPolicy>::make({"cold", ParameterValues({{"order", std::string("WCDP")}})}, shape);
  const FakePlacementView view(shape);
  EXPECT_EQ(of_set(*policy, view, 1, 3), (Banks{0, 1, 0}));  // the die's planes take turns
  EXPECT_EQ(of_set(*policy, view, 2, 2), (Banks{5, 4}));
  EXPECT_EQ(of_set(*policy, view, 3, 1), (Banks{3}));
}

TEST(Cold, ASetWhoseDieIsFullGoesOnWithTheNextOne) {
  const PlacementContext shape{.channels = 3, .ways = 1, .dies_per_way = 1, .planes = 2, .streams = 2};
  const auto policy = Family<PlacementPolicy>::make({"cold", {}}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(of_set(*policy, view, 1, 1), (Banks{0}));
  view.is_full[0] = true;
  EXPECT_EQ(of_set(*policy, view, 1, 2), (Banks{1, 1}));
  view.is_full[1] = true;
  EXPECT_EQ(of_set(*policy, view, 1, 3), (Banks{2, 3, 2}));
  view.is_full[0] = view.is_full[1] = false;
  EXPECT_EQ(of_set(*policy, view, 1, 1), (Banks{3}));  // the rest of the set stays together
}

TEST(Cold, MayTakeTheDieWithTheShortestQueue) {
  const PlacementContext shape{.channels = 4, .ways = 1, .dies_per_way = 1, .streams = 2};
  const auto policy = Family<PlacementPolicy>::make({"cold_least_loaded", {}}, shape);
  FakePlacementView view(shape);
  EXPECT_EQ(of_set(*policy, view, 1, 2), (Banks{0, 0}));
  view.loads = {2, 3, 1, 1};
  EXPECT_EQ(of_set(*policy, view, 1, 1), (Banks{0}));
  EXPECT_EQ(of_set(*policy, view, 2, 1), (Banks{2}));
  EXPECT_EQ(of_set(*policy, view, 3, 1), (Banks{3}));
}

}  // namespace
}  // namespace flashloom::cold_test
