// Greedy against a search through all closed blocks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/registry.hpp"

namespace flashloom::greedy_test {
namespace {

std::unique_ptr<GarbageCollectionPolicy> greedy(std::uint32_t blocks, std::uint32_t units) {
  return Family<GarbageCollectionPolicy>::make({"greedy", {}}, {blocks, units, 1});
}

TEST(Greedy, TheFewestValidUnitsAndTheOldestAmongEquals) {
  const auto policy = greedy(4, 8);
  EXPECT_EQ(policy->victim(0), kNoBlock);
  policy->closed(3, 8, 1);
  policy->closed(1, 5, 2);
  policy->closed(0, 5, 3);
  EXPECT_EQ(policy->victim(4), 1u);
  EXPECT_EQ(policy->victim(4), 1u);  // asking changes nothing
  policy->invalidated(3, 7, 5);
  EXPECT_EQ(policy->victim(6), 1u);
  policy->invalidated(0, 4, 7);
  EXPECT_EQ(policy->victim(8), 0u);
  policy->removed(0);
  EXPECT_EQ(policy->victim(9), 1u);
  policy->removed(1);
  EXPECT_EQ(policy->victim(10), 3u);
  policy->closed(2, 0, 11);  // no valid unit
  EXPECT_EQ(policy->victim(12), 2u);
  policy->removed(2);
  policy->removed(3);
  EXPECT_EQ(policy->victim(13), kNoBlock);
}

RC_GTEST_PROP(Greedy, FindsWhatASearchFinds, ()) {
  const auto blocks = *rc::gen::inRange<std::uint32_t>(1, 10);
  const auto units = *rc::gen::inRange<std::uint32_t>(1, 7);
  const auto steps = *rc::gen::container<std::vector<std::pair<std::uint32_t, std::uint32_t>>>(
      200, rc::gen::pair(rc::gen::inRange<std::uint32_t>(0, units + 1), rc::gen::inRange<std::uint32_t>(0, blocks)));
  struct Known {
    bool closed = false;
    std::uint32_t valid = 0;
    std::uint64_t touched = 0;
  };
  std::vector<Known> known(blocks);
  const auto policy = greedy(blocks, units);
  std::uint64_t age = 0;
  for (const auto& [number, block] : steps) {
    Known& it = known[block];
    ++age;
    if (!it.closed) {
      it = {true, number, age};
      policy->closed(block, it.valid, age);
    } else if (it.valid != 0 && number != 0) {
      it = {true, it.valid - 1, age};
      policy->invalidated(block, it.valid, age);
    } else {
      it.closed = false;
      policy->removed(block);
    }
    std::uint32_t best = kNoBlock;
    for (std::uint32_t b = 0; b < blocks; ++b) {
      if (!known[b].closed) continue;
      if (best == kNoBlock ||
          std::pair(known[b].valid, known[b].touched) < std::pair(known[best].valid, known[best].touched))
        best = b;
    }
    RC_ASSERT(policy->victim(age) == best);
  }
}

}  // namespace
}  // namespace flashloom::greedy_test
