// Frames, slots and ranges of the heap: worked by hand.
#include <gtest/gtest.h>

#include "controllers/heap/extents.hpp"
#include "controllers/heap/heap_layout.hpp"
#include "controllers/heap/swap_space.hpp"

namespace flashloom::heap_space_test {
namespace {

// 16 records of 32 bytes; 256 slots for 252 pages and 4 pages in flight; 8 bytes an entry.
TEST(HeapLayout, WhatFits) {
  HeapConfig config;
  config.objects = 16;
  config.in_flight = 4;
  config.nvram.size = 36 << 10;
  const HeapLayout page(config, 1 << 20, 512, false);
  EXPECT_EQ(page.slots, 256U);
  EXPECT_EQ(page.pages, 252U);
  EXPECT_EQ(page.metadata_bytes(), 16U * 32 + 252 * 8);
  EXPECT_EQ(page.frames, 8U);  // (36864 - 2528) / 4096
  EXPECT_EQ(page.words(), 16U * 4 + 252);
  config.atomic = "object";
  const HeapLayout object(config, 1 << 20, 512, true);
  EXPECT_EQ(object.metadata_bytes(), 16U * 32 + 2 * 252 * 8);
  EXPECT_EQ(object.frames, 7U);  // (36864 - 4544) / 4096
  EXPECT_EQ(object.words(), 16U * 4 + 2 * 252 + 7 * 8);
  config.nvram.size = 4096;
  EXPECT_EQ(HeapLayout(config, 1 << 20, 512, true).frames, 0U);
}

TEST(HeapLayout, AnEntryIsAWord) {
  for (const PagePlace place : {PagePlace{PagePlace::Kind::Frame, 0}, {PagePlace::Kind::Swap, 77}, PagePlace{}})
    EXPECT_EQ(PagePlace::of(place.word()), place);
  EXPECT_EQ(PagePlace{}.word(), 0U);  // as in new memory
  EXPECT_NE((PagePlace{PagePlace::Kind::Frame, 0}.word()), 0U);
}

TEST(SwapSpace, GivesNeighboursRoundAndRound) {
  SwapSpace space(8);
  const auto take = [&](std::uint32_t most) {
    const SwapSpace::Run run = space.take(most);
    return std::pair(run.first, run.count);
  };
  EXPECT_EQ(take(3), std::pair(0U, 3U));
  EXPECT_EQ(take(2), std::pair(3U, 2U));
  space.give_back(1);
  EXPECT_EQ(take(8), std::pair(5U, 3U));  // up to the end
  EXPECT_EQ(take(8), std::pair(1U, 1U));  // the only free slot
  EXPECT_EQ(take(1).second, 0U);
  EXPECT_EQ(space.free_slots(), 0U);
  space.give_back(4);
  space.give_back(5);
  EXPECT_EQ(take(1), std::pair(4U, 1U));
  EXPECT_EQ(take(1), std::pair(5U, 1U));
}

TEST(Extents, FirstFitAndWholeAgain) {
  Extents extents(10);
  EXPECT_EQ(extents.take(4), 0U);
  EXPECT_EQ(extents.take(4), 4U);
  EXPECT_EQ(extents.take(4), kNone);
  extents.give_back(0, 4);
  EXPECT_EQ(extents.take(3), 0U);
  EXPECT_EQ(extents.take(2), 8U);  // unit 3 alone is too short
  extents.give_back(4, 4);         // joins unit 3
  EXPECT_EQ(extents.take(5), 3U);
  extents.give_back(0, 3);
  extents.give_back(8, 2);
  extents.give_back(3, 5);
  EXPECT_EQ(extents.take(10), 0U);
  extents.give_back(0, 10);
  extents.take_at(6, 2);
  EXPECT_EQ(extents.take(7), kNone);
  EXPECT_EQ(extents.take(6), 0U);
  EXPECT_EQ(extents.take(2), 8U);
}

}  // namespace
}  // namespace flashloom::heap_space_test
