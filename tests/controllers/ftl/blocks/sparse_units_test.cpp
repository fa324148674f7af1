// A table of few units equals a map that holds them.
#include "controllers/ftl/blocks/sparse_units.hpp"

#include <gtest/gtest.h>

#include <map>

#include "workloads/random.hpp"

namespace flashloom::sparse_units_test {
namespace {

TEST(SparseUnits, HasWhatWasAdded) {
  SparseUnits sparse;
  std::map<std::uint32_t, PhysicalUnit> all;
  Random random(1);
  const auto keep = [](std::uint32_t unit) { return unit % 3 != 0; };
  while (all.size() < 20'000) {
    const auto unit = static_cast<std::uint32_t>(random.below(100'000));
    const auto place = static_cast<PhysicalUnit>(random.below(1'000'000));
    if (PhysicalUnit* const there = sparse.find(unit))
      *there = place;
    else
      sparse.add(unit, place, keep);
    all[unit] = place;
  }
  std::map<std::uint32_t, PhysicalUnit> found;
  for (std::uint32_t group = 0; group <= 100'000 / SparseUnits::kGroup; ++group)
    sparse.for_group(group, [&](std::uint32_t unit, PhysicalUnit place) {
      EXPECT_EQ(unit / SparseUnits::kGroup, group);
      EXPECT_TRUE(found.emplace(unit, place).second);
    });
  for (std::uint32_t unit = 0; unit < 100'000; ++unit) {
    const PhysicalUnit* const there = sparse.find(unit);
    EXPECT_EQ(there != nullptr, found.contains(unit));
    if (there != nullptr)
      EXPECT_EQ(*there, all.at(unit));
    else
      EXPECT_FALSE(keep(unit) && all.contains(unit));
  }
}

}  // namespace
}  // namespace flashloom::sparse_units_test
