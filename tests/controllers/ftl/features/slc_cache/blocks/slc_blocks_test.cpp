#include "controllers/ftl/features/slc_cache/blocks/slc_blocks.hpp"

#include <gtest/gtest.h>

#include "controllers/ftl/blocks/block_table.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::slc_blocks_test {
namespace {

// 8 blocks, of which two at a time may be borrowed, but not the last 5 free ones.
TEST(SlcBlocks, ADieLendsWhatItCanSpare) {
  NandConfig nand;
  nand.channels = nand.ways = 1;
  nand.blocks = 8;
  nand.slc_dynamic = 2;
  FtlConfig ftl;
  ftl.gc_high = 5;
  MediaBench bench(nand, ftl);
  BlockTable blocks(bench.context);
  SlcBlocks& slc = blocks.slc();
  EXPECT_EQ(slc.lendable(0), 2U);
  const BlockNumber borrowed = blocks.open(0);
  slc.borrow(borrowed);
  EXPECT_TRUE(slc.borrowed(borrowed));
  EXPECT_EQ(slc.borrowed_of(0), 1U);
  EXPECT_EQ(slc.lendable(0), 1U) << "7 are free";
  blocks.open(0);
  blocks.open(0);
  EXPECT_EQ(slc.lendable(0), 0U) << "5 are free";
  EXPECT_FALSE(slc.can_open(0));
  EXPECT_EQ(slc.oldest_borrowed(0), kNoBlockNumber);
  blocks.close(borrowed, 0);
  EXPECT_EQ(slc.oldest_borrowed(0), borrowed);
  blocks.collect(borrowed);
  blocks.release(borrowed);
  EXPECT_EQ(slc.borrowed_of(0), 0U);
  EXPECT_EQ(slc.lendable(0), 1U);
  blocks.spare().wear_down();
  EXPECT_EQ(slc.lendable(0), 0U) << "a worn-down device lends nothing";
}

}  // namespace
}  // namespace flashloom::slc_blocks_test
