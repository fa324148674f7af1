#include "models/nand/oob_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "policies/memory_archive.hpp"

namespace flashloom::oob_table_test {
namespace {

constexpr std::uint64_t kWords = 200;

// Words that fit, all ones among them, and words that do not fit, in any order at any place.
TEST(OobTable, KeepsWordsThatDoNotFitBesideTheOthers) {
  for (const unsigned width : {5U, 28U, 33U, OobTable::kFull}) {
    std::vector<std::uint64_t> memory(OobTable::bytes(kWords, width) / 8);
    OobTable table(reinterpret_cast<std::byte*>(memory.data()), width);
    EXPECT_EQ(table.width(), width);
    EXPECT_EQ(table.full(), width == OobTable::kFull);
    const OobWord ones = width == OobTable::kFull ? ~OobWord{0} : (OobWord{1} << width) - 1;
    std::vector<OobWord> expected(kWords);
    std::mt19937_64 random(width);
    for (int i = 0; i < 5000; ++i) {
      const std::uint64_t at = random() % kWords;
      const OobWord choices[] = {random() & ones, random() & ones, ones, random()};
      expected[at] = choices[random() % 4];
      table.set(at, expected[at]);
    }
    for (std::uint64_t i = 0; i < kWords; ++i) ASSERT_EQ(table.get(i), expected[i]) << width << " bits, word " << i;
  }
}

struct Saved {
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(OobTable::bytes(kWords, 20) / 8);
  OobTable table = OobTable(reinterpret_cast<std::byte*>(memory.data()), 20);
  void state(StateArchive& archive) {
    table.state(archive);
    archive.table(memory.data(), memory.size());
  }
};

TEST(OobTable, IsSavedWithWhatLiesBeside) {
  Saved from, to;
  for (std::uint64_t i = 0; i < kWords; ++i) from.table.set(i, i % 3 == 0 ? ~i : i);
  ASSERT_TRUE(load_state(to, saved(from)));
  for (std::uint64_t i = 0; i < kWords; ++i) EXPECT_EQ(to.table.get(i), i % 3 == 0 ? ~i : i);
}

}  // namespace
}  // namespace flashloom::oob_table_test
