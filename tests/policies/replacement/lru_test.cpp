// LRU against a list searched from end to end.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom::lru_test {
namespace {

std::unique_ptr<ReplacementPolicy> lru(std::uint32_t capacity) {
  return Family<ReplacementPolicy>::make({"lru", {}}, {capacity});
}

TEST(Lru, TheSlotReferencedLongestAgoLeaves) {
  const auto policy = lru(3);
  EXPECT_EQ(policy->victim(), kNoSlot);
  policy->inserted(2, 100, Access::Read);
  policy->inserted(0, 101, Access::Write);
  policy->inserted(1, 102, Access::Read);
  EXPECT_EQ(policy->victim(), 2u);
  EXPECT_EQ(policy->victim(), 2u);  // asking changes nothing
  policy->referenced(2, Access::Write);
  EXPECT_EQ(policy->victim(), 0u);
  policy->removed(0);
  EXPECT_EQ(policy->victim(), 1u);
  policy->inserted(0, 103, Access::Read);  // a slot that is reused is the youngest
  policy->removed(1);
  EXPECT_EQ(policy->victim(), 2u);
  policy->removed(2);
  EXPECT_EQ(policy->victim(), 0u);
  policy->removed(0);
  EXPECT_EQ(policy->victim(), kNoSlot);
}

RC_GTEST_PROP(Lru, IsAListInOrderOfReference, ()) {
  const auto capacity = *rc::gen::inRange<std::uint32_t>(1, 12);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      200, rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, 4), rc::gen::inRange<std::uint32_t>(0, capacity)));
  const auto policy = lru(capacity);
  std::vector<Slot> order;  // least recent first
  for (const auto& [action, slot] : steps) {
    const auto at = std::find(order.begin(), order.end(), slot);
    if (at == order.end()) {
      policy->inserted(slot, slot + 1000, action % 2 == 0 ? Access::Read : Access::Write);
      order.push_back(slot);
    } else {
      order.erase(at);
      if (action == 0) {
        policy->removed(slot);
      } else {
        policy->referenced(slot, action % 2 == 0 ? Access::Read : Access::Write);
        order.push_back(slot);
      }
    }
    RC_ASSERT(policy->victim() == (order.empty() ? kNoSlot : order.front()));
  }
}

}  // namespace
}  // namespace flashloom::lru_test
