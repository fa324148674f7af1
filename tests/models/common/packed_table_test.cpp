#include "models/common/packed_table.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace flashloom::packed_table_test {
namespace {

TEST(PackedTable, HoldsNumbersOfAnyWidthAndLeavesTheirNeighboursAlone) {
  constexpr std::uint64_t kNumbers = 300;
  for (unsigned width = 1; width <= 57; ++width) {
    std::vector<std::byte> memory(PackedTable::bytes(kNumbers, width));
    PackedTable table(memory.data(), width);
    std::vector<std::uint64_t> expected(kNumbers);
    std::mt19937_64 random(width);
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t at = random() % kNumbers;
      expected[at] = i % 5 == 0 ? table.most() : random() & table.most();
      table.set(at, expected[at]);
    }
    for (std::uint64_t i = 0; i < kNumbers; ++i) ASSERT_EQ(table.get(i), expected[i]) << width << " bits, number " << i;
  }
}

// 244,190,646 units of 4 KiB are a terabyte; flash of 7 % more has 261 million places.
TEST(PackedTable, OfATerabyteTakesThreeAndAHalfBytesAPlace) {
  EXPECT_EQ(PackedTable::width_for(261'284'000), 28U);
  EXPECT_EQ(PackedTable::bytes(244'190'646, 28), 244'190'646ULL / 2 * 7 + 7);
  EXPECT_EQ(PackedTable::width_for(0), 1U);
  EXPECT_EQ(PackedTable::width_for(255), 8U);
  EXPECT_EQ(PackedTable::width_for(256), 9U);
}

}  // namespace
}  // namespace flashloom::packed_table_test
