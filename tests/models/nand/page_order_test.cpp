#include "models/nand/page_order.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/nand/nand_config.hpp"
#include "models/nand/nand_timing.hpp"

namespace flashloom::page_order_test {
namespace {

// The other page of a page's word line.
std::uint32_t partner(const PageOrder& order, std::uint32_t pages, std::uint32_t page) {
  for (std::uint32_t other = 0; other < pages; ++other)
    if (other != page && order.of(other).word_line == order.of(page).word_line) return other;
  return pages;
}

TEST(PageOrder, WordLineByWordLine) {
  const PageOrder order(9, 3, false);
  for (std::uint32_t page = 0; page < 9; ++page) {
    EXPECT_EQ(order.of(page).word_line, page / 3);
    EXPECT_EQ(order.of(page).type, page % 3);
  }
}

// The paired pages of planar MLC blocks of 128 pages: 0-2, 1-4, 3-6, 5-8, ... 123-126, 125-127.
TEST(PageOrder, ShadowOfTwoBitsIsThePairedPageTable) {
  const PageOrder order(128, 2, true);
  EXPECT_EQ(partner(order, 128, 0), 2U);
  for (std::uint32_t lower = 1; lower <= 123; lower += 2) EXPECT_EQ(partner(order, 128, lower), lower + 3) << lower;
  EXPECT_EQ(partner(order, 128, 125), 127U);
}

// L0 L1 M0 L2 M1 U0 L3 M2 U1 M3 U2 U3.
TEST(PageOrder, ShadowOfThreeBits) {
  const PageOrder order(12, 3, true);
  const std::uint32_t places[12][2] = {{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2},
                                       {3, 0}, {2, 1}, {1, 2}, {3, 1}, {2, 2}, {3, 2}};
  for (std::uint32_t page = 0; page < 12; ++page) {
    EXPECT_EQ(order.of(page).word_line, places[page][0]) << page;
    EXPECT_EQ(order.of(page).type, places[page][1]) << page;
  }
}

// Each page has one place in its block. A page type is programmed after the type below it, on its own and the next word
// line.
TEST(PageOrder, EveryShadowOrderIsProgrammable) {
  for (std::uint32_t types = 1; types <= 4; ++types)
    for (std::uint32_t word_lines = 1; word_lines <= 9; ++word_lines) {
      const PageOrder order(types * word_lines, types, true);
      std::vector<std::uint32_t> programmed(word_lines);  // pages of a word line
      for (std::uint32_t page = 0; page < types * word_lines; ++page) {
        const auto [word_line, type] = order.of(page);
        ASSERT_LT(word_line, word_lines);
        EXPECT_EQ(programmed[word_line], type);
        if (type > 0 && word_line + 1 < word_lines) {
          EXPECT_GE(programmed[word_line + 1], type);
        }
        ++programmed[word_line];
      }
      for (const std::uint32_t pages : programmed) EXPECT_EQ(pages, types);
    }
}

TEST(PageOrder, DecidesArrayTimes) {
  NandConfig config;
  config.pages = 8;
  config.read_time = {48, 64};
  config.program_time = {850, 2300};
  config.page_order = "shadow";
  const NandTiming timing(config, NandGeometry(config, 4096));
  const Picoseconds programs[] = {850, 850, 2300, 850, 2300, 850, 2300, 2300};
  for (std::uint32_t page = 0; page < 8; ++page) {
    EXPECT_EQ(timing.program_time(Page{page}), programs[page]) << page;
    EXPECT_EQ(timing.read_time(Page{page}), programs[page] == 850 ? 48U : 64U) << page;
  }
}

// A single read time holds for every page type, beside a list of program times.
TEST(PageOrder, OneReadTimeForAllTypes) {
  NandConfig config;
  config.read_time = {50};
  config.program_time = {500, 2000, 5500};
  const NandTiming timing(config, NandGeometry(config, 4096));
  for (std::uint32_t page = 0; page < 6; ++page) {
    EXPECT_EQ(timing.read_time(Page{page}), 50U);
    EXPECT_EQ(timing.program_time(Page{page}), config.program_time[page % 3]);
  }
}

}  // namespace
}  // namespace flashloom::page_order_test
