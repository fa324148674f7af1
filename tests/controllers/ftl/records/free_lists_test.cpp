#include "controllers/ftl/records/free_lists.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::free_lists_test {
namespace {

// A die of two planes programmed apart: the even blocks are one bank, the odd ones the other.
TEST(FreeLists, BanksKeepTheOrderInWhichBlocksBecameFree) {
  NandConfig nand;
  nand.channels = nand.ways = 1;
  nand.planes = 2;
  nand.multi_plane_program = false;
  nand.blocks = 3;
  const MediaBench bench(nand);
  const BlockRecords blocks(bench.context, BlockNumbers(bench.geometry));
  FreeLists free(blocks);
  ASSERT_EQ(blocks.banks(), 2U);
  EXPECT_EQ(free.of_die(0), 6U);
  free.take(2);
  free.take(0);
  EXPECT_EQ(free.of_die(0), 4U);
  EXPECT_EQ(free.of_bank(0), FreeList(1, 4U));
  EXPECT_EQ(free.bank_of_most_room(0), 1U);
  EXPECT_EQ(free.bank_with_room(0), 0U) << "it has one left";
  free.take(4);
  EXPECT_EQ(free.bank_with_room(0), 1U);
  free.add(4);
  free.add(0);
  EXPECT_EQ(free.of_bank(0).front(), 4U);
  EXPECT_EQ(free.of_bank(0).back(), 0U);
  EXPECT_EQ(free.of_die(0), 5U);
}

// 3 dies of 4 blocks. The log gets 4 blocks: the last two of the first die and the last one of each other die.
TEST(BlocksForTheLog, AreInNoFreeListOrCountOfADie) {
  NandConfig nand;
  nand.channels = 3;
  nand.ways = 1;
  nand.blocks = nand.pages = 4;
  MediaBench bench(nand);
  BlockTable blocks(bench.context);
  FreeLists& free = blocks.free();
  EXPECT_FALSE(free.keeps_for_log());
  EXPECT_EQ(free.next_for_log(), kNoBlockNumber);
  free.keep_for_log(4);
  EXPECT_TRUE(free.keeps_for_log());
  std::vector<BlockNumber> kept;
  for (BlockNumber block = 0; block < blocks.size(); ++block)
    if (free.for_log(block)) kept.push_back(block);
  EXPECT_EQ(kept, (std::vector<BlockNumber>{2, 3, 7, 11}));
  EXPECT_EQ(free.of_die(0), 2U);
  EXPECT_EQ(free.of_die(1), 3U);
  EXPECT_EQ(free.blocks_for_data(2), 3U);
  EXPECT_EQ(blocks.next_free(0), 0U);
  for (const BlockNumber block : kept) {
    EXPECT_EQ(free.next_for_log(), block);
    blocks.open_free(block);
    blocks.dedicate(block);
  }
  EXPECT_EQ(free.next_for_log(), kNoBlockNumber);
  EXPECT_EQ(free.of_die(0), 2U);
  blocks.release(7);
  EXPECT_EQ(free.next_for_log(), 7U);
  EXPECT_EQ(free.of_die(1), 3U);
}

}  // namespace
}  // namespace flashloom::free_lists_test
