#include "controllers/ftl/blocks/unit_bits.hpp"

#include <gtest/gtest.h>

namespace flashloom::unit_bits_test {
namespace {

TEST(UnitBits, TakesThoseOfARangeInTheirOrder) {
  for (const auto& [first, end] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 64}, {0, 200}, {63, 65}, {64, 128}, {5, 5}, {70, 75}, {199, 200}, {1, 199}}) {
    UnitBits bits(200);
    for (std::uint32_t unit = 0; unit < 200; ++unit)
      if (unit % 3 != 1) bits.set(unit);
    std::vector<std::uint32_t> taken;
    bits.take(first, end, [&](std::uint32_t unit) { taken.push_back(unit); });
    std::vector<std::uint32_t> expected;
    for (std::uint32_t unit = 0; unit < 200; ++unit) {
      const bool in_range = unit >= first && unit < end;
      if (in_range && unit % 3 != 1) expected.push_back(unit);
      EXPECT_EQ(bits.has(unit), !in_range && unit % 3 != 1) << first << " to " << end << ", " << unit;
    }
    EXPECT_EQ(taken, expected);
  }
}

TEST(UnitBits, Counts) {
  UnitBits bits;
  EXPECT_TRUE(bits.empty());
  bits.resize(65);
  bits.set(0);
  bits.set(64);
  EXPECT_EQ(bits.count(), 2);
  bits.clear(64);
  EXPECT_EQ(bits.count(), 1);
}

}  // namespace
}  // namespace flashloom::unit_bits_test
