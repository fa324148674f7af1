// The bound on the pages that copies of compressed units take, against packing them.
#include "controllers/ftl/features/compression/compressed_room.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::compressed_room_test {
namespace {

constexpr std::uint32_t kWhole = 8;
constexpr std::uint32_t kPageUnits = 4;

// Pages that units of these sizes take when they are packed next fit.
std::uint32_t pages_of(const std::vector<std::uint32_t>& sizes) {
  std::uint32_t pages = sizes.empty() ? 0 : 1;
  std::uint32_t taken = 0;
  for (const std::uint32_t size : sizes) {
    if (taken + size > kPageUnits * kWhole) {
      ++pages;
      taken = 0;
    }
    taken += size;
  }
  return pages;
}

NandGeometry geometry() {
  NandConfig nand;
  nand.channels = nand.ways = nand.dies = nand.planes = 1;
  nand.blocks = 4;
  nand.pages = 16;
  nand.pages_per_program = 1;
  nand.page_size = 16384;
  return NandGeometry(nand, 4096, 8);
}

TEST(CompressedRoom, ByHand) {
  CompressedRoom blocks(geometry(), kWhole);
  for (int unit = 0; unit < 10; ++unit) blocks.add(2, 3);
  EXPECT_EQ(blocks.granules(2), 30U);
  EXPECT_EQ(blocks.units(2), 4U) << "30 granules of 8";
  EXPECT_EQ(blocks.most_units(2, 10), 5U) << "a page that is left has at least 25 of 32 granules: 4 x 30 / 25";
  blocks.remove(2, 3);
  EXPECT_EQ(blocks.granules(2), 27U);
  EXPECT_EQ(blocks.granules(1), 0U);
}

// Any valid units of a block that was packed next fit, copied in their order, take no more pages than the bound (plus
// one page begun before) and no more than they took before.
TEST(CompressedRoom, BoundsWhatCopiesTake) {
  const NandGeometry shape = geometry();
  std::mt19937 random(1);
  for (int trial = 0; trial < 5000; ++trial) {
    std::vector<std::uint32_t> sizes;
    const std::uint32_t least = 1 + random() % kWhole;
    while (true) {
      sizes.push_back(least + random() % (kWhole - least + 1));
      if (pages_of(sizes) <= shape.pages) continue;
      sizes.pop_back();
      break;
    }
    CompressedRoom blocks(shape, kWhole);
    std::vector<std::uint32_t> valid;
    const std::uint32_t share = random() % 100;
    for (const std::uint32_t size : sizes) {
      if (random() % 100 >= share) continue;
      valid.push_back(size);
      blocks.add(0, size);
    }
    const std::uint32_t bound = blocks.most_units(0, static_cast<std::uint32_t>(valid.size()));
    ASSERT_LE(pages_of(valid), (bound + kPageUnits - 1) / kPageUnits) << trial;
    ASSERT_LE(pages_of(valid), shape.pages) << trial;
    ASSERT_LE(bound, shape.whole_units_per_block());
    ASSERT_LE(blocks.units(0), bound);
  }
}

}  // namespace
}  // namespace flashloom::compressed_room_test
