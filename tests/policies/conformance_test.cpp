// Laws that every policy of a family obeys, whatever its idea. They run over all registered parts: a new one needs no
// edit here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <vector>

#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/placement/placement.hpp"
#include "policies/replacement/replacement.hpp"
#include "tests/support/memory_archive.hpp"

namespace flashloom {
namespace {

std::vector<std::string> names(const char* family) {
  std::vector<std::string> all;
  for (const PartInfo* info : PartCatalog::instance().parts(family)) all.push_back(info->name);
  return all;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class Replacement : public testing::TestWithParam<std::string> {};
class GarbageCollection : public testing::TestWithParam<std::string> {};
class Placement : public testing::TestWithParam<std::string> {};

// Puts a new policy of the same name in the place of one, by way of a saved state. It decides as the old one would
// have.
template <class Policy>
void reload(std::unique_ptr<Policy>& policy, const std::string& name, const typename Policy::Context& context) {
  const std::string bytes = saved(*policy);
  policy = Family<Policy>::make({name, {}}, context);
  EXPECT_TRUE(load_state(*policy, bytes));
  EXPECT_EQ(saved(*policy), bytes);
}

constexpr int kNoReload = 1'000'000;  // of a reload every so many steps

// One random life of a buffer. Returns the victims proposed.
std::vector<Slot> buffer_life(const std::string& name, std::uint32_t capacity, std::uint64_t seed,
                              int reload_every = kNoReload) {
  auto policy = Family<ReplacementPolicy>::make({name, {}}, {capacity});
  std::mt19937_64 random(seed);
  std::vector<bool> inserted(capacity);
  std::vector<Slot> victims;
  EXPECT_EQ(policy->victim(), kNoSlot);
  const auto propose = [&] {
    const Slot victim = policy->victim();
    const bool any = std::find(inserted.begin(), inserted.end(), true) != inserted.end();
    EXPECT_EQ(victim == kNoSlot, !any);
    if (any && victim != kNoSlot) {
      EXPECT_LT(victim, capacity);
      EXPECT_TRUE(victim < capacity && inserted[victim]) << "slot " << victim;
    }
    victims.push_back(victim);
    return victim;
  };
  for (int step = 0; step < 2000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, {capacity});
    const auto slot = static_cast<Slot>(random() % capacity);
    const Access access = random() % 2 == 0 ? Access::Read : Access::Write;
    if (!inserted[slot]) {
      policy->inserted(slot, random() % (4 * capacity) * capacity + slot, access);
      inserted[slot] = true;
    } else if (random() % 4 != 0) {
      policy->referenced(slot, access);
    } else {
      policy->removed(slot);  // dropped, whether proposed or not
      inserted[slot] = false;
    }
    if (random() % 3 == 0) {
      const Slot victim = propose();
      if (victim == kNoSlot || testing::Test::HasFailure()) continue;
      policy->removed(victim);
      inserted[victim] = false;
    }
  }
  for (std::uint32_t left = capacity; left != 0 && !testing::Test::HasFailure(); --left) {
    const Slot victim = propose();
    if (victim == kNoSlot) break;
    policy->removed(victim);
    inserted[victim] = false;
  }
  EXPECT_EQ(policy->victim(), kNoSlot);
  return victims;
}

TEST_P(Replacement, ProposesAnInsertedSlotAndDrains) {
  for (const std::uint32_t capacity : {1U, 2U, 7U, 64U})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<Slot> victims = buffer_life(GetParam(), capacity, seed);
      ASSERT_FALSE(HasFailure()) << "capacity " << capacity << ", seed " << seed;
      EXPECT_EQ(buffer_life(GetParam(), capacity, seed), victims) << "does not repeat";
      EXPECT_EQ(buffer_life(GetParam(), capacity, seed, 190), victims) << "decides otherwise after a saved state";
    }
}

// One random life of a die. Returns the victims proposed.
std::vector<std::uint32_t> die_life(const std::string& name, std::uint32_t blocks, std::uint32_t units,
                                    std::uint64_t seed, int reload_every = kNoReload) {
  auto policy = Family<GarbageCollectionPolicy>::make({name, {}}, {blocks, units, 99});
  std::mt19937_64 random(seed);
  std::vector<bool> closed(blocks);
  std::vector<std::uint32_t> valid(blocks);
  std::vector<std::uint32_t> victims;
  std::uint64_t age = 0;
  EXPECT_EQ(policy->victim(age), kNoBlock);
  const auto collect = [&] {
    const std::uint32_t victim = policy->victim(age);
    bool gain = false;
    for (std::uint32_t b = 0; b < blocks; ++b) gain = gain || (closed[b] && valid[b] != units);
    EXPECT_TRUE(victim != kNoBlock || !gain);
    victims.push_back(victim);
    if (victim == kNoBlock) return false;
    const bool candidate = victim < blocks && closed[victim];
    EXPECT_TRUE(candidate) << "block " << victim;
    if (!candidate) return false;
    policy->removed(victim);
    closed[victim] = false;
    return true;
  };
  for (int step = 0; step < 3000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, {blocks, units, 99});
    const auto block = static_cast<std::uint32_t>(random() % blocks);
    ++age;
    if (!closed[block]) {
      valid[block] = static_cast<std::uint32_t>(random() % (units + 1));  // some became invalid while it was open
      closed[block] = true;
      policy->closed(block, valid[block], age);
    } else if (valid[block] != 0) {
      policy->invalidated(block, --valid[block], age);
    }
    if (random() % 8 == 0) collect();
  }
  for (std::uint32_t b = 0; b < blocks; ++b)  // no block is without gain any more: all must be proposed
    if (closed[b] && valid[b] == units) policy->invalidated(b, --valid[b], ++age);
  while (!testing::Test::HasFailure() && collect()) {
  }
  EXPECT_EQ(std::count(closed.begin(), closed.end(), true), 0);
  EXPECT_EQ(policy->victim(age), kNoBlock);
  return victims;
}

TEST_P(GarbageCollection, ProposesAClosedBlockAndDrains) {
  for (const auto& [blocks, units] : {std::pair{1U, 1U}, {2U, 4U}, {16U, 32U}, {100U, 3U}})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<std::uint32_t> victims = die_life(GetParam(), blocks, units, seed);
      ASSERT_FALSE(HasFailure()) << blocks << " blocks, seed " << seed;
      EXPECT_EQ(die_life(GetParam(), blocks, units, seed), victims) << "does not repeat";
      EXPECT_EQ(die_life(GetParam(), blocks, units, seed, 290), victims) << "decides otherwise after a saved state";
    }
}

TEST_P(Placement, UsesEveryDieAndNoOther) {
  for (const PlacementContext& shape :
       {PlacementContext{1, 1, 1}, PlacementContext{8, 1, 1}, PlacementContext{3, 2, 1}, PlacementContext{2, 4, 2}}) {
    const auto policy = Family<PlacementPolicy>::make({GetParam(), {}}, shape);
    auto again = Family<PlacementPolicy>::make({GetParam(), {}}, shape);
    std::vector<std::uint32_t> uses(shape.dies());
    for (std::uint64_t unit = 0; unit < 64 * std::uint64_t{shape.dies()}; ++unit) {
      const std::uint32_t die = policy->next_die(unit);
      ASSERT_LT(die, shape.dies());
      ++uses[die];
      if (unit % 7 == 6) reload(again, GetParam(), shape);
      ASSERT_EQ(again->next_die(unit), die) << "does not repeat, or decides otherwise after a saved state";
    }
    EXPECT_EQ(std::count(uses.begin(), uses.end(), 0U), 0);
  }
}

TEST(Conformance, EveryFamilyHasAPart) {
  for (const char* family : {ReplacementPolicy::kFamily, GarbageCollectionPolicy::kFamily, PlacementPolicy::kFamily})
    EXPECT_FALSE(names(family).empty()) << family;
}

INSTANTIATE_TEST_SUITE_P(Parts, Replacement, testing::ValuesIn(names(ReplacementPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, GarbageCollection, testing::ValuesIn(names(GarbageCollectionPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, Placement, testing::ValuesIn(names(PlacementPolicy::kFamily)), name_of);

}  // namespace
}  // namespace flashloom
