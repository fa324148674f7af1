// PWC on accesses worked by hand; tests/papers has figure 4 of its paper, and random ones.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom::pwc_test {
namespace {

std::unique_ptr<TieringPolicy> make(const char* name, const TieringContext& context) {
  return Family<TieringPolicy>::make({name, {}}, context);
}

/// Accesses both segments in turn, so that each access counts.
void hit(TieringPolicy& policy, Segment one, int hits, Segment other) {
  for (int i = 0; i < hits; ++i) {
    policy.accessed(one, Access::Read, true);
    policy.accessed(other, Access::Read, true);
  }
}

std::vector<TierExchange> carry_out_pass(TieringPolicy& policy, TierMap& map) {
  std::vector<TierExchange> exchanges;
  policy.begin_pass();
  while (const auto wanted = policy.next_exchange(map)) {
    exchanges.push_back(*wanted);
    map.clear(wanted->slot);
    map.set(wanted->slot, wanted->segment);
  }
  policy.end_pass();
  return exchanges;
}

// The eviction clock keeps its place between passes: the next pass begins behind slot 2.
TEST(Pwc, TheEvictionClockKeepsItsPlace) {
  const auto policy = make("pwc", {16, 4});
  TierMap map(4);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {1, 2, 3}) policy->accessed(segment, Access::Read, true);
  EXPECT_EQ(carry_out_pass(*policy, map).back().slot, 2U);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {4, 5}) policy->accessed(segment, Access::Read, true);
  // Five are hot at 20: all decay to 16, and only those hit again are hot.
  for (const Segment segment : {4, 5}) policy->accessed(segment, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 2U);
  EXPECT_EQ(exchanges[0].slot, 3U);
  EXPECT_EQ(exchanges[1].slot, 0U);
}

TEST(Pwc, HitsInARowAreOne) {
  const auto policy = make("pwc", {16, 1});
  TierMap map(1);
  policy->accessed(2, Access::Read, true);
  for (int i = 0; i < 100; ++i) policy->accessed(1, Access::Read, true);
  EXPECT_TRUE(carry_out_pass(*policy, map).empty());  // 5 each: nothing is hot
  hit(*policy, 2, 3, 1);
  // 1 is at 20, 2 at 20: two are hot for one slot, both decay to 16.
  EXPECT_TRUE(carry_out_pass(*policy, map).empty());
  policy->accessed(2, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 1U);
  EXPECT_EQ(exchanges[0].segment, 2U);
}

TEST(Pwc, WhileFewerAreTouchedThanThereAreSlotsAllOfThemAreHot) {
  const auto policy = make("pwc", {100, 8});
  TierMap map(8);
  for (const Segment segment : {90, 4, 17}) policy->accessed(segment, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].segment, 4U);
  EXPECT_EQ(exchanges[1].segment, 17U);
  EXPECT_EQ(exchanges[2].segment, 90U);
}

TEST(Pwc, NothingChangesInAPass) {
  const auto policy = make("pwc", {100, 8});
  TierMap map(8);
  policy->accessed(1, Access::Read, true);
  policy->begin_pass();
  for (Segment segment = 0; segment < 100; ++segment) policy->accessed(segment, Access::Read, true);
  const auto first = policy->next_exchange(map);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->segment, 1U);
  map.set(first->slot, first->segment);
  EXPECT_FALSE(policy->next_exchange(map));
  policy->end_pass();
}

}  // namespace
}  // namespace flashloom::pwc_test
