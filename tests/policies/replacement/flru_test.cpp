// FLRU and the costs of a write that it is told: values C worked by hand.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom::flru_test {
namespace {

class Told final : public CostOracle {
 public:
  bool overwrites(std::uint64_t page) const override {
    asked.insert(page);
    return merges.at(page);
  }
  std::map<std::uint64_t, bool> merges;
  mutable std::set<std::uint64_t> asked;
};

// Pages 100 and 101 are written in references 1 and 2, page 102 is read in references 3 to 13 (eleven of them). So
// C is 12 / cost of 100, 11 / cost of 101, 10 / 11 of 102.
class Flru : public testing::Test {
 protected:
  std::unique_ptr<ReplacementPolicy> worked(const CostOracle* oracle) {
    auto policy = Family<ReplacementPolicy>::make({"flru", {}}, {.capacity = 3, .oracle = oracle});
    policy->inserted(0, 100, Access::Write);
    policy->inserted(1, 101, Access::Write);
    policy->inserted(2, 102, Access::Read);
    for (int i = 0; i < 10; ++i) policy->referenced(2, Access::Read);
    return policy;
  }
  Told told;
};

TEST_F(Flru, WithoutAnAnswerEveryWriteGoesOver) {
  EXPECT_EQ(worked(nullptr)->victim(), 2U);  // 12/65, 11/65, 10/11
}

TEST_F(Flru, PrefersThePageWhoseWriteMakesNoMerge) {
  told.merges = {{100, true}, {101, false}};
  EXPECT_EQ(worked(&told)->victim(), 1U);  // 12/65, 11/7, 10/11
  told.merges = {{100, false}, {101, false}};
  EXPECT_EQ(worked(&told)->victim(), 0U);  // 12/7, 11/7, 10/11
}

TEST_F(Flru, AsksForDirtyPagesOnly) {
  told.merges = {{100, true}, {101, true}};
  const auto policy = worked(&told);
  EXPECT_EQ(policy->victim(), 2U);
  EXPECT_EQ(told.asked, (std::set<std::uint64_t>{100, 101}));
  told.asked.clear();
  told.merges[102] = false;
  policy->referenced(2, Access::Write);
  EXPECT_EQ(told.asked, std::set<std::uint64_t>{102});
}

TEST_F(Flru, AsksAnewBeforeAPageLeaves) {
  told.merges = {{100, true}, {101, false}};
  const auto policy = worked(&told);
  told.merges[101] = true;          // its log block has filled up meanwhile
  EXPECT_EQ(policy->victim(), 2U);  // 12/65, 11/65, 10/11
  EXPECT_EQ(policy->victim(), 2U);  // asking changes nothing
  told.merges = {{100, false}, {101, true}};
  EXPECT_EQ(policy->victim(), 2U);  // 100 is no candidate and keeps its previous answer
  policy->removed(2);
  EXPECT_EQ(policy->victim(), 0U);  // 12/7, 11/65
  told.merges = {{100, true}, {101, false}};
  EXPECT_EQ(policy->victim(), 0U);  // 12/65 again; 101 still has its previous answer
  policy->removed(0);
  EXPECT_EQ(policy->victim(), 1U);
}

}  // namespace
}  // namespace flashloom::flru_test
