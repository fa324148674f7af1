// COLD's detectors against sets written out by hand; tests/papers has random ones.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/policies/correlation/detector_bench.hpp"

namespace flashloom::detectors_test {
namespace {

using Buffer = DetectorBench;
using Pages = DetectorBench::Pages;

TEST(Spatial, ARunOfDeltaPagesIsASetInOrderOfAddress) {
  Buffer buffer("spatial", {{"threshold", std::int64_t{4}}});
  buffer.write({12, 10, 13});
  EXPECT_EQ(buffer.set_of(12), Pages{});  // 12 and 13 are a run of two
  buffer.write(11);                       // joins the runs on both sides
  for (const std::uint64_t page : {10U, 11U, 12U, 13U}) EXPECT_EQ(buffer.set_of(page), (Pages{10, 11, 12, 13}));
  buffer.write({12, 20});  // 12 again, and a page elsewhere
  EXPECT_EQ(buffer.set_of(10), (Pages{10, 11, 12, 13}));
  EXPECT_EQ(buffer.set_of(20), Pages{});
  buffer.write({14, 15});
  buffer.remove(12);
  EXPECT_EQ(buffer.set_of(10), Pages{});  // two runs, of two and of three
  EXPECT_EQ(buffer.set_of(14), Pages{});
  buffer.write(16);
  EXPECT_EQ(buffer.set_of(14), (Pages{13, 14, 15, 16}));
}

TEST(Spatial, ALongRunIsCutIntoPiecesFromItsFirstPageOn) {
  Buffer buffer("spatial", {{"threshold", std::int64_t{3}}, {"limit", std::int64_t{4}}});
  for (std::uint64_t page = 5; page < 15; ++page) buffer.write(page);
  EXPECT_EQ(buffer.set_of(5), (Pages{5, 6, 7, 8}));
  EXPECT_EQ(buffer.set_of(12), (Pages{9, 10, 11, 12}));
  EXPECT_EQ(buffer.set_of(14), (Pages{13, 14}));
  Buffer by_block("spatial", {{"threshold", std::int64_t{3}}});  // 16 pages a block
  for (std::uint64_t page = 0; page < 20; ++page) by_block.write(page);
  EXPECT_EQ(by_block.set_of(0).size(), 16U);
  EXPECT_EQ(by_block.set_of(16), (Pages{16, 17, 18, 19}));
}

TEST(Temporal, AWindowOfDeltaPagesIsASetInOrderOfArrival) {
  Buffer buffer("temporal", {{"threshold", std::int64_t{3}}});
  buffer.write({50, 7});
  EXPECT_EQ(buffer.set_of(7), Pages{});  // its window still fills
  buffer.write({50, 31, 4});             // 50 is in the window already
  EXPECT_EQ(buffer.set_of(7), (Pages{50, 7, 31}));
  EXPECT_EQ(buffer.set_of(4), Pages{});
  buffer.write({7, 9});  // 7 leaves its window, which keeps the other pages
  EXPECT_EQ(buffer.set_of(50), (Pages{50, 31}));
  EXPECT_EQ(buffer.set_of(9), (Pages{4, 7, 9}));
  buffer.remove(4);
  EXPECT_EQ(buffer.set_of(9), (Pages{7, 9}));
}

TEST(Both, ARunGoesBeforeAWindow) {
  Buffer buffer("both", {{"threshold", std::int64_t{3}}, {"window", std::int64_t{4}}});
  buffer.write({1, 40, 2, 60});  // a window
  EXPECT_EQ(buffer.set_of(1), (Pages{1, 40, 2, 60}));
  buffer.write(3);
  EXPECT_EQ(buffer.set_of(1), (Pages{1, 2, 3}));
  EXPECT_EQ(buffer.set_of(60), (Pages{40, 60}));
}

TEST(Request, APageBelongsToTheRequestThatWroteItLast) {
  Buffer buffer("request", {{"threshold", std::int64_t{3}}, {"limit", std::int64_t{4}}});
  buffer.write({8, 9}, 1);
  EXPECT_EQ(buffer.set_of(8), Pages{});  // too small
  buffer.write({3, 4, 5}, 2);
  buffer.write(10, 1);  // requests may mix
  EXPECT_EQ(buffer.set_of(8), (Pages{8, 9, 10}));
  EXPECT_EQ(buffer.set_of(4), (Pages{3, 4, 5}));
  buffer.write({9, 20, 21, 22, 23, 24}, 3);
  EXPECT_EQ(buffer.set_of(8), Pages{});
  EXPECT_EQ(buffer.set_of(21), (Pages{9, 20, 21, 22}));
  EXPECT_EQ(buffer.set_of(24), (Pages{23, 24}));
}

// 3 and 4 are evicted for room; 10 is in a set with 11 and 12, which are evicted with it.
TEST(CorrelatedSets, WhatLeavesTakesItsSetAlong) {
  CorrelatedSets sets(
      Family<CorrelationDetector>::make({"spatial", ParameterValues({{"threshold", std::int64_t{3}}})}, {8, 8}), 8);
  const Pages pages = {3, 10, 12, 11, 20, 21, 22, 4};
  for (Slot slot = 0; slot < pages.size(); ++slot) sets.written(slot, pages[slot], 0);
  std::vector<LeavingPage> leaving;
  const auto numbers = [&leaving] {
    std::vector<std::pair<Slot, std::uint32_t>> all;
    for (const LeavingPage& page : leaving) all.emplace_back(page.slot, page.set);
    return all;
  };
  sets.complete({0, 2, 7, 1, 5}, leaving);
  EXPECT_EQ(numbers(), (std::vector<std::pair<Slot, std::uint32_t>>{
                           {0, 0}, {1, 1}, {3, 1}, {2, 1}, {7, 0}, {4, 2}, {5, 2}, {6, 2}}));
  sets.complete({1}, leaving);  // completed again: another set number
  EXPECT_EQ(numbers(), (std::vector<std::pair<Slot, std::uint32_t>>{{1, 3}, {3, 3}, {2, 3}}));
}

}  // namespace
}  // namespace flashloom::detectors_test
