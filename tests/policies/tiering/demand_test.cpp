#include <gtest/gtest.h>

#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom::demand_test {
namespace {

std::unique_ptr<TieringPolicy> make(const char* name, std::uint32_t slots, const char* replacement = "lru",
                                    const char* admission = "always") {
  return Family<TieringPolicy>::make(
      {name, ParameterValues({{"replacement", std::string(replacement)}, {"admission", std::string(admission)}})},
      {1000, slots});
}

/// The slot into which a read brings `segment`; kNoSlot if the read brings nothing in.
Slot read(TieringPolicy& policy, Segment segment) {
  const auto wanted = policy.accessed(segment, Access::Read, true);
  return wanted ? wanted->slot : kNoSlot;
}

TEST(DemandTier, AMissTakesTheSlotOfTheOneUsedLeastRecently) {
  const auto policy = make("write_back", 3);
  EXPECT_EQ(read(*policy, 10), 0U);
  EXPECT_EQ(read(*policy, 11), 1U);
  EXPECT_EQ(read(*policy, 12), 2U);
  EXPECT_EQ(read(*policy, 10), kNoSlot);  // a hit
  EXPECT_EQ(read(*policy, 13), 1U);
  EXPECT_EQ(read(*policy, 11), 2U);
}

TEST(DemandTier, NothingComesInWithoutRoom) {
  const auto policy = make("write_back", 3);
  EXPECT_FALSE(policy->accessed(10, Access::Read, false));
  EXPECT_TRUE(policy->accessed(10, Access::Read, true));
}

TEST(DemandTier, WritesComeInOnlyWhereTheyStay) {
  EXPECT_TRUE(make("write_back", 3)->accessed(10, Access::Write, true));
  EXPECT_FALSE(make("write_invalidate", 3)->accessed(10, Access::Write, true));
}

TEST(DemandTier, WhatWasDroppedLeavesItsSlotFree) {
  const auto policy = make("write_invalidate", 2);
  read(*policy, 10);
  read(*policy, 11);
  policy->dropped(10);
  policy->dropped(99);  // not in the cache
  EXPECT_EQ(read(*policy, 12), 0U);
  EXPECT_EQ(read(*policy, 13), 1U);  // 11 is the oldest
}

TEST(DemandTier, IsBuiltUpFromTheMapAfterAStart) {
  const auto policy = make("write_back", 4);
  TierMap map(4);
  map.set(1, 20);
  map.set(3, 21);
  policy->recovered(map);
  EXPECT_EQ(read(*policy, 20), kNoSlot);
  EXPECT_EQ(read(*policy, 21), kNoSlot);
  EXPECT_EQ(read(*policy, 22) + read(*policy, 23), 0U + 2U);
  EXPECT_EQ(read(*policy, 24), 1U);
}

TEST(DemandTier, EveryReplacementPolicyKeepsItsSlotsApart) {
  for (const PartInfo* const part : PartCatalog::instance().parts("replacement")) {
    const auto policy = make("write_back", 5, part->name.c_str());
    std::vector<Segment> slots(5, kNoSegment);
    for (std::uint64_t i = 0, random = 7; i < 3000; ++i) {
      random = random * 6364136223846793005ULL + 1442695040888963407ULL;
      const auto segment = static_cast<Segment>((random >> 40) % (i % 3 == 0 ? 30 : 8));
      const auto wanted = policy->accessed(segment, i % 4 == 0 ? Access::Write : Access::Read, true);
      const bool here = std::find(slots.begin(), slots.end(), segment) != slots.end();
      ASSERT_EQ(wanted.has_value(), !here) << part->name;
      if (!wanted) continue;
      ASSERT_LT(wanted->slot, 5U) << part->name;
      slots[wanted->slot] = segment;
    }
  }
}

// LARC with 10 slots remembers one segment at first (a tenth). A first miss is only remembered; a miss of a remembered
// segment brings it in, and 10 / 1 more are remembered from then on, at most 9.
TEST(LazyAdmission, TakesInWhatIsMissedAgainWhileItIsRemembered) {
  const auto policy = make("write_back", 10, "lru", "larc");
  EXPECT_EQ(read(*policy, 1), kNoSlot);
  EXPECT_EQ(read(*policy, 2), kNoSlot);  // 1 is forgotten
  EXPECT_EQ(read(*policy, 1), kNoSlot);
  EXPECT_EQ(read(*policy, 1), 0U);
  for (Segment segment = 20; segment < 29; ++segment) EXPECT_EQ(read(*policy, segment), kNoSlot);
  EXPECT_EQ(read(*policy, 20), 1U);  // still remembered
}

// The first hit takes 10 / (10 - 9) from the limit of 9, which falls to the least of one remembered segment; more hits
// keep it there.
TEST(LazyAdmission, HitsMakeItRememberLess) {
  const auto policy = make("write_back", 10, "lru", "larc");
  read(*policy, 1);
  read(*policy, 1);
  for (int i = 0; i < 8; ++i) read(*policy, 1);
  EXPECT_EQ(read(*policy, 30), kNoSlot);
  EXPECT_EQ(read(*policy, 31), kNoSlot);
  EXPECT_EQ(read(*policy, 32), kNoSlot);
  EXPECT_EQ(read(*policy, 33), kNoSlot);
  EXPECT_EQ(read(*policy, 30), kNoSlot);  // forgotten
}

}  // namespace
}  // namespace flashloom::demand_test
