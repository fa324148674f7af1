// How the table counts the program units of a block on their way to flash.
#include "controllers/ftl/blocks/block_table.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "controllers/runtime/task.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::block_table_test {
namespace {

struct Bench : MediaBench {
  explicit Bench(const NandConfig& dies) : MediaBench(dies) {}

  BlockTable blocks{context};
};

class BlockTableTest : public testing::Test {
 protected:
  static NandConfig make_config() {
    NandConfig config;
    config.channels = config.ways = 1;
    config.blocks = 4;
    config.pages = 4;
    config.pages_per_program = 2;
    config.page_size = 8192;  // two units
    return config;
  }
  Bench bench{make_config()};
  BlockTable& blocks = bench.blocks;
  BlockNumber block = blocks.open(0);
  BlockInfo& info = blocks[block];
  PhysicalUnit first = block * blocks.units_per_block();

  // Waits on the list and counts its wake-up.
  static Task<void> count(WaitList& list, int& woken) {
    co_await list.wait();
    ++woken;
  }
  Runtime runtime;
};

// 3 dies of 4 blocks. The log gets 4 blocks: the last two of the first die and the last one of each other die.
TEST(BlocksForTheLog, AreInNoFreeListOrCountOfADie) {
  NandConfig nand;
  nand.channels = 3;
  nand.ways = 1;
  nand.blocks = nand.pages = 4;
  Bench bench(nand);
  BlockTable& blocks = bench.blocks;
  EXPECT_FALSE(blocks.keeps_for_log());
  EXPECT_EQ(blocks.next_free_for_log(), kNoBlockNumber);
  blocks.keep_for_log(4);
  EXPECT_TRUE(blocks.keeps_for_log());
  std::vector<BlockNumber> kept;
  for (BlockNumber block = 0; block < blocks.size(); ++block)
    if (blocks.for_log(block)) kept.push_back(block);
  EXPECT_EQ(kept, (std::vector<BlockNumber>{2, 3, 7, 11}));
  EXPECT_EQ(blocks.free_blocks(0), 2U);
  EXPECT_EQ(blocks.free_blocks(1), 3U);
  EXPECT_EQ(blocks.blocks_for_data(2), 3U);
  EXPECT_EQ(blocks.next_free(0), 0U);
  for (const BlockNumber block : kept) {
    EXPECT_EQ(blocks.next_free_for_log(), block);
    blocks.open_free(block);
    blocks.dedicate(block);
  }
  EXPECT_EQ(blocks.next_free_for_log(), kNoBlockNumber);
  EXPECT_EQ(blocks.free_blocks(0), 2U);
  blocks.release(7);
  EXPECT_EQ(blocks.next_free_for_log(), 7U);
  EXPECT_EQ(blocks.free_blocks(1), 3U);
}

TEST_F(BlockTableTest, ProgramUnitsAreGivenOutSubmittedAndDone) {
  EXPECT_EQ(blocks.give_out(block, 7), 0U);
  EXPECT_EQ(blocks.give_out(block, 8), 2U);
  EXPECT_EQ(info.pending->sequence, 7U) << "of the block's first program";
  EXPECT_EQ(info.pending->data_end, 4U);
  blocks.submitted(block, Origin::Gc);
  EXPECT_EQ(info.submitted, 2U);
  EXPECT_EQ(info.last_origin, Origin::Gc);
  blocks.done(block, 0);
  EXPECT_EQ(info.durable, 2U);
  blocks.retire_if_done(block);
  ASSERT_NE(info.pending, nullptr) << "a program is to come";
  blocks.submitted(block, Origin::Gc);
  blocks.done(block, 2);
  blocks.retire_if_done(block);
  EXPECT_EQ(info.pending, nullptr) << "the block is full";
}

TEST_F(BlockTableTest, SubmittingWakesTheNextProgramUnitAlone) {
  WaitList second;
  WaitList third;
  int woken_second = 0;
  int woken_third = 0;
  for (std::uint64_t sequence = 1; sequence <= 2; ++sequence) blocks.give_out(block, sequence);
  EXPECT_EQ(blocks.before_turn(block, 0, second), nullptr);
  runtime.run([&] {
    runtime.spawn([&] { return count(*blocks.before_turn(block, 4, third), woken_third); });
    runtime.spawn([&] { return count(*blocks.before_turn(block, 2, second), woken_second); });
  });
  runtime.run([&] { blocks.submitted(block, Origin::Host); });
  EXPECT_EQ(woken_second, 1);
  EXPECT_EQ(woken_third, 0);
  EXPECT_EQ(blocks.before_turn(block, 2, second), nullptr);
  runtime.destroy_frames();
}

TEST_F(BlockTableTest, AUnitIsOnFlashWhenItsProgramIsDone) {
  blocks.give_out(block, 1);
  info.pending->oob[3] = 42;
  info.pending->source[3] = 9;
  EXPECT_FALSE(blocks.on_flash(first + 3));
  EXPECT_EQ(blocks.before_on_flash(first + 3), &blocks.events(0).durable);
  EXPECT_EQ(blocks.pending_word(first + 3), 42U);
  EXPECT_EQ(blocks.pending_source(first + 3), 9U);
  blocks.submitted(block, Origin::Host);
  EXPECT_FALSE(blocks.on_flash(first + 3));
  blocks.done(block, 0);
  EXPECT_TRUE(blocks.on_flash(first + 3)) << "of the second page of the program unit";
  EXPECT_EQ(blocks.before_on_flash(first + 3), nullptr);
  EXPECT_FALSE(blocks.on_flash(first + 4));
  EXPECT_TRUE(blocks.on_flash(first + blocks.units_per_block())) << "of a block that nobody writes";
}

TEST_F(BlockTableTest, InAnyOrderEachPageCountsForItself) {
  blocks.write_in_any_order(block);
  blocks.give_out(block, 1);
  blocks.submitted(block, Origin::Host);
  blocks.done(block, 2);
  EXPECT_FALSE(blocks.on_flash(first));
  EXPECT_TRUE(blocks.on_flash(first + 4));
  EXPECT_TRUE(blocks.on_flash(first + 7));
}

TEST_F(BlockTableTest, ABlockThatIsGivenUpIsDoneWithBeforeItIsFull) {
  blocks.give_out(block, 1);
  blocks.submitted(block, Origin::Host);
  blocks.release(block);
  ASSERT_NE(info.pending, nullptr);
  EXPECT_FALSE(blocks.unused(block));
  blocks.done(block, 0);
  blocks.retire_if_done(block);
  EXPECT_EQ(info.pending, nullptr);
  EXPECT_TRUE(blocks.unused(block));
}

}  // namespace
}  // namespace flashloom::block_table_test
