#include "models/common/doubling_bins.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>
#include <vector>

namespace flashloom::doubling_bins_test {
namespace {

constexpr Picoseconds kWidth = Picoseconds{1} << DoublingBins<int>::kInitialShift;
constexpr auto kSum = [](int a, int b, Picoseconds) { return a + b; };

TEST(DoublingBins, WidenMergesNeighbours) {
  DoublingBins<int> bins(4);
  for (int i = 0; i < 4; ++i) bins.reach(static_cast<Picoseconds>(i) * kWidth, kSum) = 1 << i;
  bins.reach(4 * kWidth, kSum) += 100;
  EXPECT_EQ(bins.width(), 2 * kWidth);
  EXPECT_EQ((std::vector<int>{bins[0], bins[1], bins[2], bins[3]}), (std::vector<int>{3, 12, 100, 0}));
}

TEST(DoublingBins, CutGivesTheRemainderToTheLastBin) {
  EXPECT_EQ(BinCut(8, 0).count, 0U);
  EXPECT_EQ(BinCut(8, 3).count, 1U);   // shorter than a bin
  EXPECT_EQ(BinCut(8, 19).count, 2U);  // 8 and 11
  EXPECT_EQ(BinCut(8, 19).width_of(1), 11U);
  EXPECT_EQ(BinCut(8, 20).count, 3U);  // 8, 8 and 4
  EXPECT_EQ(BinCut(8, 20).width_of(2), 4U);
  EXPECT_EQ(BinCut(8, 19).bin_of(2), 1U);
}

// A bin holds the counts of its stretch of time, no matter when the width doubled.
RC_GTEST_PROP(DoublingBins, CountsStayWhereTheyBelong, ()) {
  const auto times = *rc::gen::container<std::vector<Picoseconds>>(rc::gen::inRange<Picoseconds>(0, 300 * kWidth));
  DoublingBins<int> bins(8);
  for (const Picoseconds at : times) ++bins.reach(at, kSum);
  std::vector<int> expected(8);
  for (const Picoseconds at : times) ++expected.at(at >> bins.shift());
  for (std::size_t i = 0; i < 8; ++i) RC_ASSERT(bins[i] == expected[i]);
}

}  // namespace
}  // namespace flashloom::doubling_bins_test
