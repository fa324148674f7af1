// A map that holds a part of its entries as a rule equals the map that holds each entry.
#include "controllers/ftl/blocks/unit_map.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policies/memory_archive.hpp"
#include "workloads/random.hpp"

namespace flashloom::unit_map_test {
namespace {

constexpr std::uint32_t kUnits = 100'000;

// The place of a program unit: places have another order than writes, or go round five blocks.
std::uint32_t any_place(std::uint32_t number) { return (number * 7919U) % 65'521U; }
std::uint32_t by_turn(std::uint32_t number) { return number % 5 * 30'000 + number / 5; }
using PlaceOf = std::uint32_t (*)(std::uint32_t number);

struct Maps {
  UnitMap told{kUnits};
  UnitMap plain{kUnits};

  Maps(std::uint32_t units_per_program, std::uint32_t first, std::uint32_t end, PlaceOf place_of = any_place) {
    for (std::uint32_t unit = 0; unit < first * units_per_program; ++unit) set(unit, unit + 5);
    told.begin_fill(units_per_program);
    for (std::uint32_t number = first; number < end; ++number) {
      told.add_program(number, place_of(number));
      for (std::uint32_t i = 0; i < units_per_program; ++i)
        plain.set(number * units_per_program + i, place_of(number) * units_per_program + i);
    }
    told.end_fill(first, end);
  }
  void set(std::uint32_t unit, PhysicalUnit place) {
    told.set(unit, place);
    plain.set(unit, place);
  }
  void expect_alike() {
    for (std::uint32_t unit = 0; unit < kUnits; ++unit) ASSERT_EQ(told.get(unit), plain.get(unit)) << unit;
    EXPECT_TRUE(saved(told) == saved(plain));
  }
};

TEST(UnitMap, IsTheSameByARule) {
  for (const std::uint32_t units : {1U, 2U, 3U, 24U, 1024U, 3000U})
    for (const std::uint32_t first : {0U, 1U, 5U})
      for (const PlaceOf place_of : {any_place, by_turn}) {
        Maps maps(units, first, kUnits / units - 1, place_of);
        maps.expect_alike();
      }
}

TEST(UnitMap, ChangesBesideTheRule) {
  for (const int changes : {60, 3000, 20'000}) {  // few, some pieces written out, nearly all
    Maps maps(24, 3, 4000, changes == 60 ? any_place : by_turn);
    EXPECT_TRUE(maps.told.by_rule());
    Random random(1);
    for (int i = 0; i < changes; ++i) {
      const auto unit = static_cast<std::uint32_t>(random.below(i % 5 == 0 ? 40 : kUnits));
      if (i % 3 == 0) {
        maps.told.clear(unit);
        maps.plain.clear(unit);
      } else {
        maps.set(unit, static_cast<PhysicalUnit>(random.below(1'000'000)));
      }
    }
    maps.expect_alike();
    for (std::uint32_t unit = 0; unit < kUnits; unit += 1000) maps.told.enter(unit);
    EXPECT_FALSE(maps.told.by_rule());
    maps.expect_alike();
  }
}

TEST(UnitMap, HasNoRuleForLessThanAPiece) {
  Maps maps(24, 2, 40);
  EXPECT_FALSE(maps.told.by_rule());
  maps.expect_alike();
}

TEST(UnitMap, IsLoadedByWhoCannotMapIt) {
  Maps maps(24, 3, 4000);
  UnitMap again(kUnits);
  EXPECT_TRUE(load_state(again, saved(maps.told)));
  for (std::uint32_t unit = 0; unit < kUnits; ++unit) ASSERT_EQ(again.get(unit), maps.plain.get(unit)) << unit;
}

}  // namespace
}  // namespace flashloom::unit_map_test
