// The erase units of a superblock: those of one number, or those of one rank by speed.
#include "controllers/ftl/features/superblocks/superblocks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "models/nand/nand_config.hpp"
#include "models/nand/nand_variation.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::superblocks_test {
namespace {

struct Bench : MediaBench {
  Bench(const NandConfig& dies, const FtlConfig& ftl, std::vector<Picoseconds> times)
      : MediaBench(dies, ftl, true, std::move(times)) {}

  BlockTable all{context};
};

NandConfig device(std::uint32_t dies, std::uint32_t planes, std::uint32_t blocks) {
  NandConfig config;
  config.channels = dies;
  config.ways = 1;
  config.planes = planes;
  config.blocks = blocks;
  config.pages = 4;
  return config;
}

FtlConfig ftl_of(const char* by, std::uint32_t dies = 0) {
  FtlConfig config;
  config.gc_unit = "superblock";
  config.superblock_by = by;
  config.superblock_dies = dies;
  return config;
}

std::vector<std::uint32_t> members(const Bench& bench, GcUnit superblock) {
  const auto range = bench.all.members_of(superblock);
  return {range.begin(), range.end()};
}

// Two dies of four blocks: die 0 takes 40, 10, 30, 20 ps to test, die 1 takes 5, 6, 6, 4.
TEST(SuperblocksBySpeed, HaveTheMembersOfOneRank) {
  const Bench bench(device(2, 1, 4), ftl_of("speed"), {40, 10, 30, 20, 5, 6, 6, 4});
  using Blocks = std::vector<std::uint32_t>;
  EXPECT_EQ(members(bench, 0), (Blocks{1, 4 + 3}));
  EXPECT_EQ(members(bench, 1), (Blocks{3, 4 + 0}));
  EXPECT_EQ(members(bench, 2), (Blocks{2, 4 + 1})) << "of equal ones the first";
  EXPECT_EQ(members(bench, 3), (Blocks{0, 4 + 2}));
  const Bench position(device(2, 1, 4), ftl_of("position"), {40, 10, 30, 20, 5, 6, 6, 4});
  EXPECT_EQ(members(position, 1), (Blocks{1, 4 + 1}));
}

// On planes programmed apart each plane has ranks of its own: block 2n + p of a die is the n-th of plane p.
TEST(SuperblocksBySpeed, RankEachPlaneByItself) {
  const Bench bench(device(1, 2, 3), ftl_of("speed"), {30, 5, 10, 6, 20, 4});
  using Blocks = std::vector<std::uint32_t>;
  EXPECT_EQ(members(bench, 0), (Blocks{2, 5}));
  EXPECT_EQ(members(bench, 1), (Blocks{4, 1}));
  EXPECT_EQ(members(bench, 2), (Blocks{0, 3}));
}

// Each erase unit is a member of exactly one superblock, which gc_unit_of() names; on each bank the block times of a group rise
// with the number of the superblock.
TEST(SuperblocksBySpeed, AreAPartition) {
  for (const bool together : {false, true})
    for (const std::uint32_t dies : {0U, 1U, 2U}) {
      NandConfig nand = device(4, 2, 16);
      nand.multi_plane_program = together;
      nand.variation.program = {.die = 0.1, .block = 0.1};
      nand.variation.erase.block = 0.2;
      const NandGeometry geometry(nand, 4096);
      const std::vector<Picoseconds> times = tested_block_times(nand, geometry);
      const Bench bench(nand, ftl_of("speed", dies), times);
      std::set<std::uint32_t> seen;
      for (GcUnit superblock = 0; superblock < bench.all.gc_unit_count(); ++superblock)
        for (std::uint32_t n = 0; n < bench.all.members(); ++n) {
          const std::uint32_t block = bench.all.member(superblock, n);
          EXPECT_TRUE(seen.insert(block).second);
          EXPECT_EQ(bench.all.gc_unit_of(block), superblock);
          if (superblock % bench.all.gc_units_of_group() != 0) {
            EXPECT_GE(times[block], times[bench.all.member(superblock - 1, n)]);
          }
        }
      EXPECT_EQ(seen.size(), times.size());
    }
}

}  // namespace
}  // namespace flashloom::superblocks_test
