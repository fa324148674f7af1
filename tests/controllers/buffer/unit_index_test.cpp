#include "controllers/buffer/unit_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace flashloom {
namespace {

class UnitIndexTest : public testing::Test {
 protected:
  Slot find(std::uint32_t unit) const { return index_.find(unit); }
  void insert(std::uint32_t unit, Slot slot) {
    units_[slot] = unit;
    index_.insert(unit, slot);
  }
  void erase(Slot slot) { index_.erase(units_[slot], slot); }

  static constexpr Slot kSlots = 64;
  UnitIndex index_{kSlots};
  std::vector<std::uint32_t> units_ = std::vector<std::uint32_t>(kSlots);
};

TEST_F(UnitIndexTest, FindsWhatWasInsertedUntilItIsErased) {
  EXPECT_EQ(find(7), kNoSlot);
  insert(7, 0);
  insert(4'000'000'000, 63);
  EXPECT_EQ(find(7), 0U);
  EXPECT_EQ(find(4'000'000'000), 63U);
  EXPECT_EQ(find(8), kNoSlot);
  erase(0);
  EXPECT_EQ(find(7), kNoSlot);
  EXPECT_EQ(find(4'000'000'000), 63U);
}

// Random inserts and erases, with every slot in use at times, of units that are neighbours, multiples of a power of
// two, or random. Erasing moves colliding rows up, also across the end of the table.
TEST_F(UnitIndexTest, SaysWhatAMapSays) {
  for (const std::uint32_t stride : {1U, 16U, 512U, 0U}) {
    std::mt19937 random(stride + 1);
    std::map<std::uint32_t, Slot> expected;
    std::vector<Slot> free;
    for (Slot slot = 0; slot < kSlots; ++slot) free.push_back(slot);
    for (int step = 0; step < 20'000; ++step) {
      const auto unit = static_cast<std::uint32_t>(stride == 0 ? random() % 300 * 7919 : random() % 100 * stride);
      const auto known = expected.find(unit);
      ASSERT_EQ(find(unit), known == expected.end() ? kNoSlot : known->second);
      if (known != expected.end()) {
        erase(known->second);
        free.push_back(known->second);
        expected.erase(known);
      } else if (!free.empty()) {
        insert(unit, free.back());
        expected[unit] = free.back();
        free.pop_back();
      }
    }
    for (const auto& [unit, slot] : expected) {
      ASSERT_EQ(find(unit), slot);
      erase(slot);
    }
  }
}

// The buffer inserts a unit twice only under a fault that tests inject; the index must then find the older slot first.
TEST_F(UnitIndexTest, SaysTheFirstOfTwoSlotsOfAUnit) {
  insert(5, 1);
  insert(5, 2);
  EXPECT_EQ(find(5), 1U);
  erase(1);
  EXPECT_EQ(find(5), 2U);
}

}  // namespace
}  // namespace flashloom
