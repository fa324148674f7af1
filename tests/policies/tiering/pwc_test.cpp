#include <gtest/gtest.h>

#include <set>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/tiering/tiering.hpp"

namespace flashloom::pwc_test {
namespace {

std::unique_ptr<TieringPolicy> make(const char* name, const TieringContext& context) {
  return Family<TieringPolicy>::make({name, {}}, context);
}

/// Accesses both segments in turn, so that each access counts.
void hit(TieringPolicy& policy, Segment one, int hits, Segment other) {
  for (int i = 0; i < hits; ++i) {
    policy.accessed(one, Access::Read, true);
    policy.accessed(other, Access::Read, true);
  }
}

std::vector<TierExchange> carry_out_pass(TieringPolicy& policy, TierMap& map) {
  std::vector<TierExchange> exchanges;
  policy.begin_pass();
  while (const auto wanted = policy.next_exchange(map)) {
    exchanges.push_back(*wanted);
    map.clear(wanted->slot);
    map.set(wanted->slot, wanted->segment);
  }
  policy.end_pass();
  return exchanges;
}

// Figure 4 of the paper: 16 segments on the HDD, 4 on the SSD, hot from 20 on. The SSD holds 0, 3, 7 and 12 in slots 0
// to 3; 3 and 12 stay hot, 6 and 9 have become so. The caching clock stops at 6, the eviction clock, which was at slot
// 3, at slot 0 (segment 0 is not hot): 6 takes its place. Then the caching clock stops at 9, the eviction clock goes
// over slot 1 (3 is hot) to slot 2: 9 takes the place of 7.
TEST(Pwc, FigureFour) {
  const auto policy = make("pwc", {16, 4});
  TierMap map(4);
  map.set(0, 0);
  map.set(1, 3);
  map.set(2, 7);
  map.set(3, 12);
  // In turns, so that each access counts: 3, 12, 6 and 9 come to 20, 0 and 7 to 5.
  policy->accessed(0, Access::Read, true);
  policy->accessed(7, Access::Write, true);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {3, 12, 6, 9}) policy->accessed(segment, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 2U);
  EXPECT_EQ(exchanges[0].segment, 6U);
  EXPECT_EQ(exchanges[0].slot, 0U);
  EXPECT_EQ(exchanges[1].segment, 9U);
  EXPECT_EQ(exchanges[1].slot, 2U);
  EXPECT_EQ(map.segments(), (std::vector<Segment>{6, 3, 9, 12}));
}

// The eviction clock keeps its place between passes: the next pass begins behind slot 2.
TEST(Pwc, TheEvictionClockKeepsItsPlace) {
  const auto policy = make("pwc", {16, 4});
  TierMap map(4);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {1, 2, 3}) policy->accessed(segment, Access::Read, true);
  EXPECT_EQ(carry_out_pass(*policy, map).back().slot, 2U);
  for (int round = 0; round < 4; ++round)
    for (const Segment segment : {4, 5}) policy->accessed(segment, Access::Read, true);
  // Five are hot at 20: all decay to 16, and only those hit again are hot.
  for (const Segment segment : {4, 5}) policy->accessed(segment, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 2U);
  EXPECT_EQ(exchanges[0].slot, 3U);
  EXPECT_EQ(exchanges[1].slot, 0U);
}

TEST(Pwc, HitsInARowAreOne) {
  const auto policy = make("pwc", {16, 1});
  TierMap map(1);
  policy->accessed(2, Access::Read, true);
  for (int i = 0; i < 100; ++i) policy->accessed(1, Access::Read, true);
  EXPECT_TRUE(carry_out_pass(*policy, map).empty());  // 5 each: nothing is hot
  hit(*policy, 2, 3, 1);
  // 1 is at 20, 2 at 20: two are hot for one slot, both decay to 16.
  EXPECT_TRUE(carry_out_pass(*policy, map).empty());
  policy->accessed(2, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 1U);
  EXPECT_EQ(exchanges[0].segment, 2U);
}

TEST(Pwc, WhileFewerAreTouchedThanThereAreSlotsAllOfThemAreHot) {
  const auto policy = make("pwc", {100, 8});
  TierMap map(8);
  for (const Segment segment : {90, 4, 17}) policy->accessed(segment, Access::Read, true);
  const auto exchanges = carry_out_pass(*policy, map);
  ASSERT_EQ(exchanges.size(), 3U);
  EXPECT_EQ(exchanges[0].segment, 4U);
  EXPECT_EQ(exchanges[1].segment, 17U);
  EXPECT_EQ(exchanges[2].segment, 90U);
}

TEST(Pwc, NothingChangesInAPass) {
  const auto policy = make("pwc", {100, 8});
  TierMap map(8);
  policy->accessed(1, Access::Read, true);
  policy->begin_pass();
  for (Segment segment = 0; segment < 100; ++segment) policy->accessed(segment, Access::Read, true);
  const auto first = policy->next_exchange(map);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->segment, 1U);
  map.set(first->slot, first->segment);
  EXPECT_FALSE(policy->next_exchange(map));
  policy->end_pass();
}

// Against plain frequency counts, over random accesses, passes and restarts in between.
TEST(Pwc, AgreesWithAPlainCount) {
  constexpr std::uint32_t kSegments = 200;
  constexpr std::uint32_t kSlots = 12;
  auto policy = make("pwc", {kSegments, kSlots});
  std::vector<std::uint32_t> frequency(kSegments, 0);
  std::set<Segment> touched;
  Segment last = kNoSegment;
  TierMap map(kSlots);
  const auto hot = [&](Segment segment) {
    return touched.size() < kSlots ? touched.count(segment) != 0 : frequency[segment] >= 20;
  };
  std::uint64_t random = 1;
  const auto draw = [&](std::uint64_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (random >> 33) % below;
  };
  std::uint64_t exchanges = 0;
  for (int step = 0; step < 20000; ++step) {
    const auto segment =
        static_cast<Segment>(draw(10) < 7 ? draw(15) + static_cast<Segment>(step / 1000) : draw(kSegments));
    policy->accessed(segment, Access::Read, true);
    if (segment != last) {
      last = segment;
      touched.insert(segment);
      frequency[segment] = std::min(frequency[segment] + 5, 65535U);
      const auto over = [&] {
        return std::count_if(frequency.begin(), frequency.end(), [](auto f) { return f >= 20; });
      };
      while (touched.size() >= kSlots && over() > kSlots)
        for (auto& f : frequency) f = f * 4 / 5;
    }
    if (step % 500 != 499) continue;
    for (const TierExchange& exchange : carry_out_pass(*policy, map)) {
      EXPECT_TRUE(hot(exchange.segment));
      ++exchanges;
    }
    for (Segment at = 0; at < kSegments; ++at)
      if (hot(at)) {
        EXPECT_NE(map.slot_of(at), kNoSlot) << at << " at step " << step;
      }
    auto again = make("pwc", {kSegments, kSlots});
    ASSERT_TRUE(load_state(*again, saved(*policy)));
    policy = std::move(again);
    last = kNoSegment;
  }
  EXPECT_GT(exchanges, 50U);
}

}  // namespace
}  // namespace flashloom::pwc_test
