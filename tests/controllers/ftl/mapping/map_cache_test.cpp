// The cached mapping table alone: which of its entries differ from their translation pages.
#include "controllers/ftl/mapping/map_cache.hpp"

#include <gtest/gtest.h>

namespace flashloom::map_cache_test {
namespace {

// 16 units, 4 entries a page, room for 3 entries.
MapCache cache_of(bool batch) { return MapCache(16, 4, 3, {"lru", {}}, batch); }

TEST(MapCache, KnowsWhichEntriesDifferFromTheirPage) {
  MapCache cache = cache_of(true);
  EXPECT_TRUE(cache.has_room(3));
  cache.access(1, Access::Write);
  cache.access(2, Access::Read);
  EXPECT_TRUE(cache.differs(1));
  EXPECT_FALSE(cache.differs(2));
  EXPECT_FALSE(cache.differs(3)) << "it is not there";
  EXPECT_TRUE(cache.has_room(1));
  EXPECT_FALSE(cache.has_room(2));
  EXPECT_TRUE(cache.change(2));
  EXPECT_FALSE(cache.change(3));
  EXPECT_EQ(cache.written(0), 2U);
  EXPECT_FALSE(cache.differs(1));
  EXPECT_FALSE(cache.differs(2));
}

// An evicted entry is written alone or with the others of its page; a checkpoint writes the entries that still differ.
TEST(MapCache, WithoutBatchesOthersOfThePageStayAsTheyAre) {
  for (const bool batch : {false, true}) {
    MapCache cache = cache_of(batch);
    for (const std::uint32_t unit : {0U, 1U, 2U, 8U}) cache.access(unit, Access::Write);
    EXPECT_FALSE(cache.holds(0));
    EXPECT_EQ(cache.differs(1), !batch);
    EXPECT_EQ(cache.differs(2), !batch);
    EXPECT_TRUE(cache.differs(8));
  }
}

// A written page cleans its own entries only, wherever in a word of the dirty bits the page begins.
TEST(MapCache, APageEndsWhereItsEntriesEnd) {
  MapCache cache(1000, 100, 1000, {"lru", {}}, true);
  for (std::uint32_t unit = 0; unit < 1000; unit += 3) cache.access(unit, Access::Write);
  for (std::uint32_t page = 0; page < 10; page += 2) EXPECT_EQ(cache.written(page), page % 3 == 0 ? 34U : 33U) << page;
  for (std::uint32_t unit = 0; unit < 1000; ++unit)
    EXPECT_EQ(cache.differs(unit), unit % 3 == 0 && unit / 100 % 2 == 1) << unit;
  EXPECT_EQ(cache.written(0), 0U);
}

}  // namespace
}  // namespace flashloom::map_cache_test
