#include "analysis/growing_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>

namespace flashloom::growing_table_test {
namespace {

constexpr std::size_t kPageBytes = 4096;

std::size_t resident_bytes() {
  std::size_t size = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> size >> resident;
  return resident * kPageBytes;
}

TEST(GrowingTable, KeepsWhatItHasWhereverItMoves) {
  GrowingTable<std::uint32_t> table;
  EXPECT_TRUE(table.empty());
  constexpr std::uint32_t kMany = 3'000'000;  // beyond small pages, and several times beyond huge ones
  for (std::uint32_t i = 0; i < kMany; ++i) table.push_back(i * 7);
  ASSERT_EQ(table.size(), kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(table[i], i * 7);
  GrowingTable<std::uint32_t> taken(std::move(table));
  EXPECT_EQ(taken.end() - taken.begin(), kMany);
  EXPECT_EQ(taken[kMany - 1], (kMany - 1) * 7);
  taken.clear();
  EXPECT_TRUE(taken.empty());
  taken.push_back(5);
  EXPECT_EQ(taken[0], 5U);
}

TEST(GrowingTable, WhatIsNewIsZero) {
  GrowingTable<std::uint64_t> table;
  for (const std::size_t size : {std::size_t{3}, std::size_t{10'000}, std::size_t{1'000'000}}) {
    const std::size_t before = table.size();
    table.extend(size);
    ASSERT_EQ(table.size(), size);
    for (std::size_t i = before; i < size; ++i) ASSERT_EQ(table[i], 0U);
    table[size - 1] = 1;
  }
  EXPECT_EQ(table[2], 1U);
  EXPECT_EQ(table[9'999], 1U);
}

// 64 MiB in pieces: growth makes no second copy, and reserved capacity takes no memory.
TEST(GrowingTable, TakesMemoryForWhatItHoldsOnly) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  const std::size_t before = resident_bytes();
  GrowingTable<std::uint64_t> table;
  table.reserve(std::size_t{1} << 30);
  EXPECT_LT(resident_bytes(), before + 8 * kMiB);
  GrowingTable<std::uint64_t> grown;
  for (std::uint64_t i = 0; i < 8 * kMiB; ++i) grown.push_back(i);
  EXPECT_LT(resident_bytes(), before + 80 * kMiB);
  EXPECT_GT(resident_bytes(), before + 60 * kMiB);
}

}  // namespace
}  // namespace flashloom::growing_table_test
