// Block LRU on a sequence worked by hand: blocks of four pages.
#include <gtest/gtest.h>

#include <vector>

#include "policies/registry.hpp"
#include "policies/write_buffer/write_buffer.hpp"

namespace flashloom::block_lru_test {
namespace {

TEST(BlockLru, TheBlockWrittenLongestAgoLeavesWhole) {
  const auto policy = Family<WriteBufferPolicy>::make({"block_lru", {}}, {8, 4});
  policy->inserted(0, 6, Access::Write);   // block 1
  policy->inserted(1, 9, Access::Write);   // block 2
  policy->inserted(2, 4, Access::Write);   // block 1 again: block 2 is now the oldest
  policy->inserted(3, 20, Access::Write);  // block 5
  EXPECT_EQ(policy->victim(), 1U);
  policy->referenced(1, Access::Read);  // reads do not count
  EXPECT_EQ(policy->victim(), 1U);
  policy->referenced(1, Access::Write);  // block 2 is the youngest: block 1 leaves, its lowest page first
  policy->inserted(4, 7, Access::Read);  // block 1 is touched: block 5 is the oldest
  EXPECT_EQ(policy->victim(), 3U);
  policy->removed(3);
  EXPECT_EQ(policy->victim(), 1U);
  policy->removed(1);
  EXPECT_EQ(policy->victim(), 2U);
  std::vector<Slot> others;
  policy->companions(2, others);
  EXPECT_EQ(others, (std::vector<Slot>{0, 4}));  // pages 6 and 7
  for (const Slot slot : {2U, 0U, 4U}) policy->removed(slot);
  EXPECT_EQ(policy->victim(), kNoSlot);
}

}  // namespace
}  // namespace flashloom::block_lru_test
