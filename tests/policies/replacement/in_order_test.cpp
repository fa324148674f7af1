// Policies that claim in_order evict a sequential stream in its order, and their state holds only the pages still
// there.
#include <gtest/gtest.h>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom::in_order_test {
namespace {

// The state of a policy with EvictionTraits::in_order after `pages` new pages have gone through slots taken in turn.
std::string state_behind_a_stream(const std::string& name, std::uint32_t capacity, std::uint64_t first,
                                  std::uint64_t pages) {
  auto policy = Family<ReplacementPolicy>::make({name, {}}, {capacity});
  for (std::uint64_t page = first; page < first + pages; ++page) {
    const auto slot = static_cast<Slot>(page % capacity);
    if (page >= first + capacity) {
      EXPECT_EQ(policy->victim(), slot);
      policy->removed(slot);
    }
    policy->inserted(slot, page, Access::Write);
  }
  return saved(*policy);
}

TEST(InOrder, LetsAStreamLeaveInOrderAndForgetsIt) {
  int policies = 0;
  for (const PartInfo* part : PartCatalog::instance().parts(ReplacementPolicy::kFamily)) {
    if (!Family<ReplacementPolicy>::make({part->name, {}}, {4})->traits().in_order) continue;
    ++policies;
    for (const std::uint32_t capacity : {1U, 2U, 7U, 64U})
      EXPECT_TRUE(state_behind_a_stream(part->name, capacity, 0, 10 * capacity) ==
                  state_behind_a_stream(part->name, capacity, 7 * capacity, 3 * capacity))
          << part->name << ", " << capacity;
  }
  EXPECT_GE(policies, 2);
}

}  // namespace
}  // namespace flashloom::in_order_test
