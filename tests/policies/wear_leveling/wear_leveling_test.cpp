// Each wear-levelling policy on a die, worked by hand.
#include "policies/wear_leveling/wear_leveling.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "policies/registry.hpp"

namespace flashloom::wear_leveling_test {
namespace {

struct Wear final : BlockWear {
  std::uint32_t erases(std::uint32_t block) const override { return counts.at(block); }
  std::vector<std::uint32_t> counts = {7, 3, 9, 3, 5, 1, 9, 4};
};

struct Free final : FreeBlocks {
  explicit Free(std::vector<std::uint32_t> list) : blocks(std::move(list)) {}
  std::uint32_t size() const override { return static_cast<std::uint32_t>(blocks.size()); }
  std::uint32_t block(std::uint32_t index) const override { return blocks.at(index); }
  std::vector<std::uint32_t> blocks;
};

std::unique_ptr<WearLevelingPolicy> make(const std::string& name, const Wear& wear,
                                         std::map<std::string, ParameterValue> parameters = {}) {
  return Family<WearLevelingPolicy>::make({name, ParameterValues(std::move(parameters))}, {8, &wear});
}

TEST(NoWearLeveling, OpensWhatHasBeenFreeLongest) {
  const Wear wear;
  const auto policy = make("none", wear);
  EXPECT_EQ(policy->choose(Free({2, 5, 1}), FreeUse::Data), 0u);
  EXPECT_FALSE(policy->moves());
}

TEST(DynamicWearLeveling, OpensTheLeastWornFreeBlock) {
  const Wear wear;
  const auto policy = make("dynamic", wear);
  EXPECT_EQ(policy->choose(Free({2, 0, 4}), FreeUse::Data), 2u);  // 9, 7, 5 erases
  EXPECT_EQ(policy->choose(Free({1, 3}), FreeUse::Data), 0u);     // of equals the one that has been free longest
  EXPECT_FALSE(policy->moves());
  EXPECT_EQ(policy->to_move(), kNoBlock);
}

TEST(StaticWearLeveling, MovesColdDataOfTheLeastWornBlockToTheMostWornFreeOne) {
  Wear wear;
  const auto policy = make("static", wear, {{"threshold", std::int64_t{5}}});
  EXPECT_EQ(policy->choose(Free({0, 2, 6}), FreeUse::Cold), 1u);
  EXPECT_EQ(policy->choose(Free({0, 2, 5}), FreeUse::Data), 2u);
  policy->closed(1);
  policy->closed(4);
  policy->closed(7);
  // Most worn: 9. Block 1 has 3: six less.
  EXPECT_EQ(policy->to_move(), 1u);
  policy->removed(1);
  EXPECT_EQ(policy->to_move(), kNoBlock);  // 9 - 4 is not above 5
  ++wear.counts[2];
  policy->erased(2);  // 10
  EXPECT_EQ(policy->to_move(), 7u);
  wear.counts[1] = 4;
  policy->closed(1);
  policy->removed(7);
  EXPECT_EQ(policy->to_move(), 1u);
}

// Groups {0,1}, {2,3}, {4,5}, {6,7} with 10, 12, 6, 13 erases: means 5, 6, 3, 6.5.
TEST(GroupWearLeveling, LooksAtGroupsOnly) {
  Wear wear;
  const auto policy = make("group", wear, {{"blocks", std::int64_t{2}}, {"threshold", std::int64_t{3}}});
  EXPECT_EQ(policy->choose(Free({6, 3, 0}), FreeUse::Data), 2u);  // though block 3 is the least worn of them
  EXPECT_EQ(policy->choose(Free({2, 7, 6}), FreeUse::Cold), 1u);  // block 7 is of the most worn group
  policy->closed(4);
  policy->closed(5);
  EXPECT_EQ(policy->to_move(), 4u);  // 6.5 - 3 is above 3
  policy->removed(4);
  policy->erased(5);                       // 3.5
  EXPECT_EQ(policy->to_move(), kNoBlock);  // no block of a worn group has just become free
  policy->erased(7);                       // 7
  EXPECT_EQ(policy->to_move(), 5u);        // the next of the group
  policy->removed(5);
  EXPECT_EQ(policy->to_move(), kNoBlock);  // it holds nothing
  policy->closed(4);
  policy->erased(4);
  policy->erased(5);  // 4.5
  policy->erased(7);  // 7.5
  EXPECT_EQ(policy->to_move(), kNoBlock);
}

// The group means stay close and say nothing about blocks within a group: a block moves every third erase.
TEST(GroupWearLeveling, MovesBlocksOfAGroupByTurns) {
  Wear wear;
  wear.counts = {5, 5, 5, 5, 5, 5, 5, 5};
  const auto policy = make("group", wear, {{"blocks", std::int64_t{4}}, {"threshold", std::int64_t{3}}});
  for (const std::uint32_t block : {0U, 2U, 3U}) policy->closed(block);
  std::vector<std::uint32_t> moved;
  for (int erase = 0; erase < 9; ++erase) {
    policy->erased(1);
    moved.push_back(policy->to_move());
  }
  EXPECT_EQ(moved, (std::vector<std::uint32_t>{kNoBlock, kNoBlock, 2, kNoBlock, kNoBlock, 3, kNoBlock, kNoBlock, 0}));
}

}  // namespace
}  // namespace flashloom::wear_leveling_test
