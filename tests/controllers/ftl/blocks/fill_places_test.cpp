// A fill's places in turns round open blocks, and in any other order, are those that were added.
#include "controllers/ftl/blocks/fill_places.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "policies/memory_archive.hpp"
#include "workloads/random.hpp"

namespace flashloom::fill_places_test {
namespace {

constexpr std::uint32_t kPrograms = 16;  // of a block

// Blocks 3, 1 and 7, then 4, 2 and 8, ..., by turn.
std::uint32_t by_turn(std::uint32_t number) {
  constexpr std::uint32_t kBlocks[] = {3, 1, 7};
  const std::uint32_t turn = number / 3;
  return (kBlocks[number % 3] + turn / kPrograms) * kPrograms + turn % kPrograms;
}

TEST(FillPlaces, PassesTurnsThatGoOn) {
  FillPlaces places;
  std::vector<std::uint32_t> turn;
  std::uint32_t number = 0;
  for (; number < 6; ++number) {
    places.add(number, by_turn(number));
    places.next_turn(number + 1, turn);
    EXPECT_EQ(turn.empty(), number != 5) << number;
  }
  EXPECT_EQ(turn, (std::vector<std::uint32_t>{3 * kPrograms + 2, 1 * kPrograms + 2, 7 * kPrograms + 2}));
  for (number += 3 * 10; number < 3 * 100; ++number) places.add(number, by_turn(number));
  places.end(number);
  for (number = 0; number < 3 * 100; ++number) EXPECT_EQ(places.place(number, 0), by_turn(number));
  EXPECT_LT(saved(places).size(), 100);
}

TEST(FillPlaces, TellsPlacesInAnyOrder) {
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    Random random(seed);
    FillPlaces places;
    std::vector<std::uint32_t> all;
    while (all.size() < 300) {  // some turns round some blocks
      std::vector<std::uint32_t> blocks(1 + random.below(5));
      for (std::uint32_t& block : blocks) block = static_cast<std::uint32_t>(random.below(40) * kPrograms);
      for (std::uint64_t turns = random.below(6); turns != 0; --turns)
        for (std::uint32_t& block : blocks) all.push_back(block++);
    }
    const auto first = static_cast<std::uint32_t>(random.below(9));
    const auto end = first + static_cast<std::uint32_t>(all.size());
    for (std::uint32_t i = 0; i < all.size(); ++i) places.add(first + i, all[i]);
    places.end(end);
    std::vector<std::uint32_t> told;
    places.for_places(first + 7, end - 9, 0, [&](std::uint32_t place) { told.push_back(place); });
    ASSERT_EQ(told, (std::vector<std::uint32_t>(all.begin() + 7, all.end() - 9))) << seed;
    for (std::uint32_t number = first; number < end; ++number) {
      const std::uint32_t stretch = places.stretch_of(number);
      ASSERT_EQ(places.place(number, stretch), all[number - first]) << seed << " " << number;
      ASSERT_EQ(places.place(number, stretch / 2), all[number - first]) << seed << " " << number;
    }
  }
}

}  // namespace
}  // namespace flashloom::fill_places_test
