// Laws that every policy of a family obeys. They run over all registered parts, so a new part needs no edit here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "policies/correlation/correlation.hpp"
#include "policies/garbage_collection/garbage_collection.hpp"
#include "policies/memory_archive.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"
#include "policies/streams/streams.hpp"
#include "policies/wear_leveling/wear_leveling.hpp"
#include "policies/write_buffer/write_buffer.hpp"
#include "tests/support/placement_view.hpp"

namespace flashloom::conformance_test {
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
class WriteBuffer : public testing::TestWithParam<std::string> {};
class GarbageCollection : public testing::TestWithParam<std::string> {};
class Placement : public testing::TestWithParam<std::string> {};
class WearLeveling : public testing::TestWithParam<std::string> {};
class Correlation : public testing::TestWithParam<std::string> {};
class Streams : public testing::TestWithParam<std::string> {};

// Replaces a policy by a new one of the same name that loads its saved state, and must decide as the old one would.
template <class Policy>
void reload(std::unique_ptr<Policy>& policy, const std::string& name, const typename Policy::Context& context) {
  const std::string bytes = saved(*policy);
  policy = Family<Policy>::make({name, {}}, context);
  EXPECT_TRUE(load_state(*policy, bytes));
  EXPECT_EQ(saved(*policy), bytes);
}

constexpr int kNoReload = 1'000'000;  // as a number of steps between reloads: none

// A random life of a buffer. Returns the victims that the policy proposed.
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

// A random life of a buffer of written pages, eight per logical block. Returns the evicted pages in order.
std::vector<std::uint64_t> write_buffer_life(const std::string& name, std::uint32_t capacity, std::uint64_t seed,
                                             int reload_every = kNoReload) {
  constexpr std::uint32_t kPages = 8;
  const WriteBufferContext context{capacity, kPages};
  auto policy = Family<WriteBufferPolicy>::make({name, {}}, context);
  std::mt19937_64 random(seed);
  std::map<std::uint64_t, Slot> slots;  // by page
  std::vector<std::uint64_t> page_of(capacity);
  std::vector<Slot> free;
  for (Slot slot = 0; slot < capacity; ++slot) free.push_back(slot);
  std::vector<std::uint64_t> left;
  const auto drop = [&](Slot slot) {
    policy->removed(slot);
    slots.erase(page_of[slot]);
    free.push_back(slot);
  };
  const auto evict = [&] {
    const Slot victim = policy->victim();
    ASSERT_LT(victim, capacity);
    ASSERT_EQ(policy->victim(), victim) << "asking changes it";
    std::vector<Slot> leaving = {kNoSlot};  // companions() must keep what is there
    policy->companions(victim, leaving);
    ASSERT_EQ(leaving.front(), kNoSlot);
    leaving.front() = victim;
    const std::uint64_t block = page_of[victim] / kPages;
    std::set<std::uint64_t> expected;
    for (const auto& [page, slot] : slots)
      if (policy->traits().companions ? page / kPages == block : slot == victim) expected.insert(page);
    std::vector<std::uint64_t> pages;
    for (const Slot slot : leaving) pages.push_back(page_of[slot]);
    ASSERT_EQ(pages, std::vector<std::uint64_t>(expected.begin(), expected.end()))
        << "not what leaves together, in order";
    left.insert(left.end(), pages.begin(), pages.end());
    for (const Slot slot : leaving) drop(slot);
  };
  EXPECT_EQ(policy->victim(), kNoSlot);
  for (int step = 0; step < 2000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, context);
    const std::uint64_t page = random() % (std::uint64_t{4} * capacity);
    const auto found = slots.find(page);
    if (found == slots.end()) {
      if (free.empty()) evict();
      if (testing::Test::HasFailure()) break;
      const Slot slot = free.back();
      free.pop_back();
      page_of[slot] = page;
      slots[page] = slot;
      policy->inserted(slot, page, Access::Write);
    } else if (random() % 4 != 0) {
      policy->referenced(found->second, random() % 2 == 0 ? Access::Read : Access::Write);
    } else {
      drop(found->second);
    }
  }
  while (!slots.empty() && !testing::Test::HasFailure()) evict();
  EXPECT_EQ(policy->victim(), kNoSlot);
  return left;
}

TEST_P(WriteBuffer, ProposesWhatLeavesTogetherAndDrains) {
  for (const std::uint32_t capacity : {1U, 2U, 7U, 64U})
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const std::vector<std::uint64_t> pages = write_buffer_life(GetParam(), capacity, seed);
      ASSERT_FALSE(HasFailure()) << "capacity " << capacity << ", seed " << seed;
      EXPECT_EQ(write_buffer_life(GetParam(), capacity, seed), pages) << "does not repeat";
      EXPECT_EQ(write_buffer_life(GetParam(), capacity, seed, 190), pages) << "decides otherwise after a saved state";
    }
}

// A clean victim is clean, and there is one as long as the buffer holds a clean page.
TEST_P(Replacement, ProposesACleanSlot) {
  constexpr std::uint32_t kCapacity = 16;
  enum class Page : std::uint8_t { None, Clean, Dirty };
  std::mt19937_64 random(7);
  const auto policy = Family<ReplacementPolicy>::make({GetParam(), {}}, {kCapacity});
  std::vector<Page> pages(kCapacity, Page::None);
  for (int step = 0; step < 3000; ++step) {
    const auto slot = static_cast<Slot>(random() % kCapacity);
    const Access access = random() % 3 == 0 ? Access::Write : Access::Read;
    if (pages[slot] == Page::None) {
      policy->inserted(slot, slot, access);
      pages[slot] = access == Access::Write ? Page::Dirty : Page::Clean;
    } else if (random() % 4 == 0) {
      policy->removed(slot);
      pages[slot] = Page::None;
    } else {
      policy->referenced(slot, access);
      if (access == Access::Write) pages[slot] = Page::Dirty;
    }
    const Slot clean = policy->clean_victim();
    const bool any = std::find(pages.begin(), pages.end(), Page::Clean) != pages.end();
    ASSERT_EQ(clean != kNoSlot, any) << "step " << step;
    if (any) {
      ASSERT_EQ(pages.at(clean), Page::Clean) << "step " << step;
    }
  }
}

// A random life of a die. Returns the victims that the policy proposed.
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
    EXPECT_TRUE(!gain || (victim < blocks && valid[victim] != units)) << "a block with an invalid unit goes first";
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
      // some units became invalid while the block was open
      valid[block] = static_cast<std::uint32_t>(random() % (units + 1));
      closed[block] = true;
      policy->closed(block, valid[block], age);
    } else if (valid[block] != 0) {
      policy->invalidated(block, --valid[block], age);
    }
    if (random() % 8 == 0) collect();
  }
  for (std::uint32_t b = 0; b < blocks; ++b)  // without wholly valid blocks all closed blocks must be proposed
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

// A random life of a device's banks. Returns the banks that the policy named.
std::vector<std::uint32_t> bank_life(const std::string& name, const PlacementContext& shape, std::uint64_t seed,
                                     int reload_every = kNoReload) {
  auto policy = Family<PlacementPolicy>::make({name, {}}, shape);
  FakePlacementView view(shape);
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> named;
  for (int step = 0; step < 2000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, shape);
    // The device changes meanwhile: blocks fill and are opened again, dies are busy, banks wear.
    const auto stream = static_cast<std::uint32_t>(random() % shape.streams);
    for (std::uint32_t bank = 0; bank < shape.banks(); ++bank) {
      view.is_full[bank] = random() % 4 == 0;
      view.is_open[stream][bank] = random() % 2 == 0;
      view.erased[bank] += random() % 2;
    }
    for (std::uint32_t& load : view.loads) load = static_cast<std::uint32_t>(random() % 4);
    const auto set = static_cast<std::uint32_t>(random() % 3 == 0 ? 1 + step / 20 : 0);
    const std::uint32_t bank = policy->next({static_cast<std::uint32_t>(random() % 10000), stream, set}, view);
    named.push_back(bank);
    EXPECT_LT(bank, shape.banks());
    if (bank >= shape.banks()) break;
    EXPECT_TRUE(!view.is_full[bank] || std::ranges::count(view.is_full, false) == 0) << "bank " << bank << " is full";
  }
  return named;
}

TEST_P(Placement, NamesBanksWithRoom) {
  for (const PlacementContext& shape : {PlacementContext{1, 1, 1}, PlacementContext{8, 1, 1},
                                        PlacementContext{3, 2, 1, 2, 2, 5}, PlacementContext{2, 4, 2, 4, 3, 12}})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::vector<std::uint32_t> named = bank_life(GetParam(), shape, seed);
      ASSERT_FALSE(HasFailure()) << shape.banks() << " banks, seed " << seed;
      EXPECT_EQ(bank_life(GetParam(), shape, seed), named) << "does not repeat";
      EXPECT_EQ(bank_life(GetParam(), shape, seed, 70), named) << "decides otherwise after a saved state";
    }
}

// The address space is written in order, on banks that are all alike.
TEST_P(Placement, UsesEveryBankAlike) {
  for (const PlacementContext& shape : {PlacementContext{3, 2, 1}, PlacementContext{2, 4, 2, 2, 2, 4}}) {
    const auto policy = Family<PlacementPolicy>::make({GetParam(), {}}, shape);
    const FakePlacementView view(shape);
    std::vector<std::uint32_t> uses(shape.banks());
    for (std::uint32_t i = 0; i < 8 * shape.banks(); ++i) ++uses[policy->next({i * shape.units_per_program, 0}, view)];
    EXPECT_EQ(uses, std::vector<std::uint32_t>(shape.banks(), 8));
  }
}

struct Erases final : BlockWear {
  explicit Erases(std::uint32_t blocks) : counts(blocks) {}
  std::uint32_t erases(std::uint32_t block) const override { return counts.at(block); }
  std::vector<std::uint32_t> counts;
};

struct FreeList final : FreeBlocks {
  std::uint32_t size() const override { return static_cast<std::uint32_t>(blocks.size()); }
  std::uint32_t block(std::uint32_t index) const override { return blocks.at(index); }
  std::vector<std::uint32_t> blocks;
};

// A random life of a die whose blocks are opened, filled, moved and erased. Returns the blocks opened and moved.
std::vector<std::uint32_t> wear_life(const std::string& name, std::uint32_t blocks, std::uint64_t seed,
                                     int reload_every = kNoReload) {
  Erases wear(blocks);
  auto policy = Family<WearLevelingPolicy>::make({name, {}}, {blocks, &wear});
  std::mt19937_64 random(seed);
  FreeList free;
  std::vector<std::uint32_t> closed;
  for (std::uint32_t block = 0; block < blocks; ++block) free.blocks.push_back(block);
  std::vector<std::uint32_t> decided;
  const auto erase = [&](std::uint32_t block) {
    policy->removed(block);
    std::erase(closed, block);
    ++wear.counts[block];
    policy->erased(block);
    free.blocks.push_back(block);
  };
  for (int step = 0; step < 4000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, {blocks, &wear});
    if (!free.blocks.empty()) {
      const FreeUse use = random() % 4 == 0 ? FreeUse::Cold : FreeUse::Data;
      const std::uint32_t index = policy->choose(free, use);
      EXPECT_LT(index, free.size());
      if (index >= free.size()) break;
      EXPECT_EQ(policy->choose(free, use), index) << "asking changes something";
      const std::uint32_t block = free.blocks[index];
      free.blocks.erase(free.blocks.begin() + index);
      closed.push_back(block);
      policy->closed(block);
      decided.push_back(block);
    }
    // The younger half of the closed blocks is erased again and again; the older half is cold.
    while (closed.size() > blocks / 2 + 1) erase(closed[closed.size() / 2 + random() % (closed.size() / 2)]);
    const std::uint32_t cold = policy->to_move();
    if (cold == kNoBlock) continue;
    EXPECT_TRUE(policy->moves());
    EXPECT_NE(std::ranges::count(closed, cold), 0) << "block " << cold << " holds no data";
    if (std::ranges::count(closed, cold) == 0) break;
    decided.push_back(blocks + cold);
    erase(cold);
  }
  return decided;
}

TEST_P(WearLeveling, OpensFreeBlocksAndMovesClosedOnes) {
  for (const std::uint32_t blocks : {2U, 5U, 64U})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const std::vector<std::uint32_t> decided = wear_life(GetParam(), blocks, seed);
      ASSERT_FALSE(HasFailure()) << blocks << " blocks, seed " << seed;
      EXPECT_EQ(wear_life(GetParam(), blocks, seed), decided) << "does not repeat";
      EXPECT_EQ(wear_life(GetParam(), blocks, seed, 190), decided) << "decides otherwise after a saved state";
    }
}

// A random life of a device. Returns the streams of its writes.
std::vector<std::uint32_t> stream_life(const std::string& name, std::uint64_t seed, int reload_every = kNoReload) {
  const StreamContext context{.logical_units = 500};
  auto policy = Family<StreamPolicy>::make({name, {}}, context);
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> streams;
  for (int step = 0; step < 5000; ++step) {
    if (step % reload_every == reload_every - 1) reload(policy, name, context);
    const auto unit = static_cast<std::uint32_t>(random() % (random() % 4 == 0 ? 500 : 50));
    streams.push_back(policy->stream_of(unit, {.number = static_cast<std::uint32_t>(random() % 256)}));
    EXPECT_LT(streams.back(), policy->count());
  }
  return streams;
}

TEST_P(Streams, StaysWithinItsCountRepeatsAndUsesAll) {
  const auto policy = Family<StreamPolicy>::make({GetParam(), {}}, {.logical_units = 500});
  ASSERT_GE(policy->count(), 1U);
  ASSERT_LE(policy->count(), kMaxStreams);
  EXPECT_TRUE(policy->gc_apart() || policy->count() == 1);
  const std::vector<std::uint32_t> streams = stream_life(GetParam(), 1);
  std::set<std::string> names;
  for (std::uint32_t stream = 0; stream < policy->count(); ++stream) {
    names.insert(policy->name(stream));
    EXPECT_NE(std::ranges::count(streams, stream), 0) << "stream " << stream << " is never used";
  }
  EXPECT_EQ(names.size(), policy->count());
  EXPECT_EQ(stream_life(GetParam(), 1), streams) << "does not repeat";
  EXPECT_EQ(stream_life(GetParam(), 1, 190), streams) << "decides otherwise after a saved state";
}

// A random life of a buffer. Returns the sets that were evicted.
std::vector<std::vector<Slot>> correlation_life(const std::string& name, std::uint32_t capacity, std::uint64_t seed,
                                                int reload_every = kNoReload) {
  const CorrelationContext context{capacity, 8};
  auto detector = Family<CorrelationDetector>::make({name, {}}, context);
  std::mt19937_64 random(seed);
  std::vector<bool> written(capacity);
  std::vector<std::vector<Slot>> left;
  for (int step = 0; step < 4000 && !testing::Test::HasFailure(); ++step) {
    if (step % reload_every == reload_every - 1) reload(detector, name, context);
    const auto slot = static_cast<Slot>(random() % capacity);
    if (!written[slot] || random() % 8 != 0) {
      detector->written(slot, slot, static_cast<std::uint64_t>(step) / 20);  // a slot keeps its page while it is there
      written[slot] = true;
      continue;
    }
    std::vector<Slot> members;
    detector->set_of(slot, members);
    std::set<Slot> distinct(members.begin(), members.end());
    EXPECT_EQ(distinct.size(), members.size());
    EXPECT_TRUE(members.empty() || distinct.contains(slot));
    for (const Slot member : members) {
      EXPECT_TRUE(written[member]);
      std::vector<Slot> same;
      detector->set_of(member, same);
      EXPECT_EQ(same, members) << "sets overlap";
    }
    if (members.empty()) members.push_back(slot);
    for (const Slot member : members) {
      detector->removed(member);
      written[member] = false;
    }
    left.push_back(std::move(members));
  }
  return left;
}

TEST_P(Correlation, FindsDisjointSetsOfWhatIsThere) {
  for (const std::uint32_t capacity : {1U, 2U, 7U, 64U, 300U})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto left = correlation_life(GetParam(), capacity, seed);
      ASSERT_FALSE(HasFailure()) << "capacity " << capacity << ", seed " << seed;
      EXPECT_EQ(correlation_life(GetParam(), capacity, seed), left) << "does not repeat";
      EXPECT_EQ(correlation_life(GetParam(), capacity, seed, 190), left) << "decides otherwise after a saved state";
    }
}

TEST(Conformance, EveryFamilyHasAPart) {
  for (const char* family : {ReplacementPolicy::kFamily, GarbageCollectionPolicy::kFamily, PlacementPolicy::kFamily,
                             StreamPolicy::kFamily, WearLevelingPolicy::kFamily, CorrelationDetector::kFamily})
    EXPECT_FALSE(names(family).empty()) << family;
}

INSTANTIATE_TEST_SUITE_P(All, WriteBuffer, testing::ValuesIn(names("write_buffer")), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, Replacement, testing::ValuesIn(names(ReplacementPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, GarbageCollection, testing::ValuesIn(names(GarbageCollectionPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, WearLeveling, testing::ValuesIn(names(WearLevelingPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, Correlation, testing::ValuesIn(names(CorrelationDetector::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, Streams, testing::ValuesIn(names(StreamPolicy::kFamily)), name_of);
INSTANTIATE_TEST_SUITE_P(Parts, Placement, testing::ValuesIn(names(PlacementPolicy::kFamily)), name_of);

}  // namespace
}  // namespace flashloom::conformance_test
