// Each victim policy on the history of a die, worked by hand: blocks of 8 units, ages in host writes.
#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/registry.hpp"

namespace flashloom::victims_test {
namespace {

constexpr std::uint32_t kUnits = 8;
using Policy = std::unique_ptr<GarbageCollectionPolicy>;

Policy make(const std::string& name, std::map<std::string, ParameterValue> parameters = {},
            const BlockWear* wear = nullptr, std::uint64_t seed = 1) {
  return Family<GarbageCollectionPolicy>::make({name, ParameterValues(std::move(parameters))},
                                               {.blocks = 8, .units_per_block = kUnits, .seed = seed, .wear = wear});
}

/// Takes victims until the policy has none.
std::vector<std::uint32_t> drain(GarbageCollectionPolicy& policy, std::uint64_t age) {
  std::vector<std::uint32_t> victims;
  for (std::uint32_t victim = policy.victim(age); victim != kNoBlock; victim = policy.victim(age)) {
    victims.push_back(victim);
    policy.removed(victim);
  }
  return victims;
}

TEST(Fifo, TakesBlocksInTheOrderOfTheirClosingWhateverTheyHold) {
  const Policy policy = make("fifo");
  policy->closed(5, 7, 10);
  policy->closed(2, 1, 20);
  policy->closed(4, 3, 30);
  policy->invalidated(4, 2, 31);
  policy->invalidated(2, 0, 32);
  EXPECT_EQ(drain(*policy, 40), (std::vector<std::uint32_t>{5, 2, 4}));
}

TEST(Fifo, PassesOverWhollyValidBlocksWhichGoToTheEnd) {
  const Policy policy = make("fifo");
  policy->closed(0, 8, 10);  // wholly valid: collecting it would gain nothing
  policy->closed(1, 7, 20);
  policy->closed(2, 8, 30);
  EXPECT_EQ(policy->victim(40), 1u);  // 0 is now behind 2
  policy->removed(1);
  EXPECT_EQ(policy->victim(41), kNoBlock);
  policy->invalidated(0, 7, 42);
  policy->invalidated(2, 7, 43);
  EXPECT_EQ(drain(*policy, 44), (std::vector<std::uint32_t>{2, 0}));
}

TEST(WindowedGreedy, TakesTheFewestValidUnitsOfTheOldestOnly) {
  const Policy policy = make("windowed_greedy", {{"window", std::int64_t{3}}});
  policy->closed(0, 6, 10);
  policy->closed(1, 4, 20);
  policy->closed(2, 4, 30);
  policy->closed(3, 1, 40);  // the fewest valid units, but the fourth oldest block
  // {0,1,2} -> 1 (4 valid, before 2); {0,2,3} -> 3; {0,2} -> 2; 0.
  EXPECT_EQ(drain(*policy, 50), (std::vector<std::uint32_t>{1, 3, 2, 0}));
}

TEST(WindowedGreedy, SlidesWhenItsWindowHoldsNothingToGain) {
  const Policy policy = make("windowed_greedy", {{"window", std::int64_t{2}}});
  policy->closed(0, 8, 10);
  policy->closed(1, 8, 20);
  policy->closed(2, 5, 30);
  policy->closed(3, 4, 40);
  EXPECT_EQ(policy->victim(50), 2u);  // {0,1} is wholly valid: 0 goes to the end; {1,2} has 2
}

TEST(WindowedGreedy, OfOneIsFifoAndOfAllIsGreedy) {
  const Policy one = make("windowed_greedy", {{"window", std::int64_t{1}}});
  const Policy all = make("windowed_greedy", {{"window", std::int64_t{8}}});
  for (const auto& [block, valid] : {std::pair{3U, 5U}, {1U, 2U}, {6U, 7U}, {0U, 1U}}) {
    one->closed(block, valid, block);
    all->closed(block, valid, block);
  }
  EXPECT_EQ(drain(*one, 9), (std::vector<std::uint32_t>{3, 1, 6, 0}));
  EXPECT_EQ(drain(*all, 9), (std::vector<std::uint32_t>{0, 1, 3, 6}));
}

TEST(Random, DrawsEveryBlockThatHasSomethingToGainAlikeAndNoOther) {
  const Policy policy = make("random");
  policy->closed(0, 8, 1);  // nothing to gain
  for (std::uint32_t block = 1; block < 5; ++block) policy->closed(block, block, 2);
  std::map<std::uint32_t, int> drawn;
  constexpr int kDraws = 40000;
  for (int i = 0; i < kDraws; ++i) ++drawn[policy->victim(3)];
  ASSERT_EQ(drawn.size(), 4u);
  // Binomial with p = 1/4: a standard deviation is 87; the bound is six of them.
  for (const auto& [block, times] : drawn) EXPECT_NEAR(times, kDraws / 4, 520) << "block " << block;
}

TEST(Random, RepeatsByItsSeed) {
  const auto sequence = [](std::uint64_t seed) {
    const Policy policy = make("random", {}, nullptr, seed);
    for (std::uint32_t block = 0; block < 8; ++block) policy->closed(block, 3, 2);
    return drain(*policy, 3);
  };
  EXPECT_EQ(sequence(5), sequence(5));
  EXPECT_NE(sequence(5), sequence(6));
}

// Of two blocks, d draws miss the better one with probability 2^-d.
TEST(DChoices, TakesTheBestOfItsDraws) {
  for (const std::int64_t d : {1, 2, 4}) {
    const Policy policy = make("d_choices", {{"d", d}});
    policy->closed(0, 6, 1);
    policy->closed(1, 2, 1);
    int better = 0;
    constexpr int kDraws = 40000;
    for (int i = 0; i < kDraws; ++i) better += policy->victim(3) == 1 ? 1 : 0;
    const double expected = kDraws * (1 - 1.0 / static_cast<double>(1 << d));
    EXPECT_NEAR(better, expected, 600) << "d = " << d;
  }
}

TEST(DChoices, IsAlsoCalledRandomGreedy) {
  EXPECT_EQ(PartCatalog::instance().find("garbage_collection", "random_greedy"),
            PartCatalog::instance().find("garbage_collection", "d_choices"));
}

// (1 - u) * age / (1 + u), at age 100:
//   block 0: u = 2/8, closed at 90:  0.75 * 10 / 1.25 =  6
//   block 1: u = 6/8, closed at 20:  0.25 * 80 / 1.75 = 11.43   older, and wins though it holds three times as much
// older, so it wins though it holds three times as much
//   block 3: u = 1/8, closed at 97:  0.875 * 3 / 1.125 = 2.33
TEST(CostBenefit, WeighsGainAndAgeAgainstCost) {
  const Policy policy = make("cost_benefit");
  policy->closed(0, 2, 90);
  policy->closed(1, 6, 20);
  policy->closed(2, 4, 70);
  policy->closed(3, 1, 97);
  EXPECT_EQ(drain(*policy, 100), (std::vector<std::uint32_t>{1, 2, 0, 3}));
}

// Both blocks were closed at the same age; one was touched a moment ago.
//   block 0: u = 4/8, touched at 95: 0.5 * 5 / 1.5 = 1.67;   block 1: u = 5/8, touched at 50: 0.375 * 50 / 1.625 = 11.5
// By the age of closing (100 - 10 = 90): 30 and 20.8.
TEST(CostBenefit, CountsAgeFromClosingOrFromTheLastInvalidation) {
  for (const auto& [age, first] : {std::pair{"closed", 0U}, {"invalidated", 1U}}) {
    const Policy policy = make("cost_benefit", {{"age", std::string(age)}});
    policy->closed(0, 6, 10);
    policy->closed(1, 6, 10);
    policy->invalidated(1, 5, 50);
    policy->invalidated(0, 5, 94);
    policy->invalidated(0, 4, 95);
    EXPECT_EQ(policy->victim(100), first) << age;
  }
}

struct Wear final : BlockWear {
  std::uint32_t erases(std::uint32_t block) const override { return erased.at(block); }
  std::vector<std::uint32_t> erased = {0, 4, 9, 0, 0, 0, 0, 0};
};

// u / (1 - u) / age * (erases + 1), at age 100:
//   block 0: u = 6/8, closed at 50: 3 / 50 * 1 = 0.06
//   block 1: u = 4/8, closed at 50: 1 / 50 * 5 = 0.1
//   block 2: u = 4/8, closed at 10: 1 / 90 * 10 = 0.111
// Without wear: 0.06, 0.02, 0.011.
TEST(CostAgeTimes, SparesWornBlocks) {
  const Wear wear;
  for (const BlockWear* const seen : {static_cast<const BlockWear*>(&wear), static_cast<const BlockWear*>(nullptr)}) {
    const Policy policy = make("cost_age_times", {}, seen);
    policy->closed(0, 6, 50);
    policy->closed(1, 4, 50);
    policy->closed(2, 4, 10);
    EXPECT_EQ(drain(*policy, 100),
              seen != nullptr ? (std::vector<std::uint32_t>{0, 1, 2}) : (std::vector<std::uint32_t>{2, 1, 0}));
  }
}

TEST(CostAgeTimes, TakesAnEmptyBlockAtOnce) {
  const Policy policy = make("cost_age_times");
  policy->closed(0, 1, 1);
  policy->closed(1, 0, 99);
  EXPECT_EQ(policy->victim(100), 1u);
}

}  // namespace
}  // namespace flashloom::victims_test
