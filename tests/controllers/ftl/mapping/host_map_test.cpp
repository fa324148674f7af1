// Translation pages in the host memory buffer: inserts, evictions and changed pages, by hand.
#include <gtest/gtest.h>

#include "controllers/ftl/mapping/host_level.hpp"
#include "policies/memory_archive.hpp"

namespace flashloom::host_map_test {
namespace {

constexpr std::uint32_t kPages = 8;

HostMap map_of(std::uint64_t slots) {
  HostMap map(kPages, {"lru", {}});
  map.resize(slots);
  return map;
}

TEST(HostMap, HasNoMoreSlotsThanThereArePages) {
  EXPECT_EQ(map_of(3).slots(), 3U);
  EXPECT_EQ(map_of(1000).slots(), kPages);
}

TEST(HostMap, TakesNothingWithoutSlots) {
  HostMap map = map_of(0);
  EXPECT_EQ(map.insert(5), kNoTranslationPage);
  EXPECT_FALSE(map.holds(5));
  EXPECT_EQ(map.clean_one(), kNoTranslationPage);
}

// LRU with two slots: after 1, 2 and 1 again, 3 evicts 2, which is clean and so is not returned.
TEST(HostMap, PutsOutThePageThatWasUsedLongestAgo) {
  HostMap map = map_of(2);
  map.insert(1);
  map.insert(2);
  map.use(1);
  EXPECT_EQ(map.insert(3), kNoTranslationPage);
  EXPECT_TRUE(map.holds(1));
  EXPECT_FALSE(map.holds(2));
  EXPECT_TRUE(map.holds(3));
}

TEST(HostMap, NamesAChangedPageThatLeaves) {
  HostMap map = map_of(2);
  map.insert(1);
  map.insert(2);
  map.change(1);
  EXPECT_EQ(map.insert(3), 1U);
  EXPECT_FALSE(map.holds(1));
  EXPECT_EQ(map.insert(4), kNoTranslationPage);  // 2 was not changed
  map.insert(1);                                 // evicts 3; page 1 comes back as it is on flash
  EXPECT_EQ(map.insert(5), kNoTranslationPage);  // evicts 4
  EXPECT_EQ(map.insert(6), kNoTranslationPage);  // evicts 1
}

// A round finds each changed page once, and a second round finds none; the next round finds a page changed in between.
TEST(HostMap, CleansEachChangedPageOnce) {
  HostMap map = map_of(4);
  for (const TranslationPage page : {4U, 5U, 6U}) map.insert(page);
  map.change(6);
  map.change(4);
  map.change(6);
  EXPECT_EQ(map.clean_one(), 4U);
  EXPECT_EQ(map.clean_one(), 6U);
  EXPECT_EQ(map.clean_one(), kNoTranslationPage);
  EXPECT_EQ(map.clean_one(), kNoTranslationPage);
  map.change(4);
  EXPECT_EQ(map.clean_one(), 4U);
  EXPECT_TRUE(map.holds(4));
}

TEST(HostMap, ForgetsAllWhenItIsResized) {
  HostMap map = map_of(2);
  map.insert(1);
  map.change(1);
  map.resize(0);
  EXPECT_FALSE(map.holds(1));
  EXPECT_EQ(map.clean_one(), kNoTranslationPage);
  map.resize(2);
  EXPECT_FALSE(map.holds(1));
  EXPECT_EQ(map.insert(1), kNoTranslationPage);
}

// A saved map loaded into one of another size continues as the saved one: its slots, changed pages and LRU order.
TEST(HostMap, IsSavedWithItsSize) {
  HostMap map = map_of(2);
  map.insert(1);
  map.insert(2);
  map.change(2);
  map.use(1);
  HostMap loaded = map_of(5);
  ASSERT_TRUE(load_state(loaded, saved(map)));
  EXPECT_EQ(loaded.slots(), 2U);
  EXPECT_TRUE(loaded.holds(1));
  EXPECT_EQ(loaded.insert(3), 2U);
  EXPECT_EQ(loaded.insert(4), kNoTranslationPage);
  EXPECT_FALSE(loaded.holds(1));
}

// 64 MiB of pages of 4 KiB are 16384 slots of 8 bytes; a small map needs only as many slots as it has pages.
TEST(HostMap, NeedsADirectoryOfEightBytesAPage) {
  HmbConfig hmb;
  EXPECT_EQ(host_map_directory_bytes(hmb, 4096, 60000), 0U);
  hmb.size = 64U << 20U;
  EXPECT_EQ(host_map_directory_bytes(hmb, 4096, 60000), 128U << 10U);
  EXPECT_EQ(host_map_directory_bytes(hmb, 4096, 100), 800U);
}

}  // namespace
}  // namespace flashloom::host_map_test
