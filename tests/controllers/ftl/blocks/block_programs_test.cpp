#include "controllers/ftl/blocks/block_programs.hpp"

#include <gtest/gtest.h>

#include "controllers/ftl/blocks/block_table.hpp"
#include "controllers/runtime/task.hpp"
#include "models/nand/nand_config.hpp"
#include "tests/support/media_bench.hpp"

namespace flashloom::block_programs_test {
namespace {

class BlockProgramsTest : public testing::Test {
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
  MediaBench bench{make_config()};
  BlockTable blocks{bench.context};
  BlockPrograms& programs = blocks.programs();
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

TEST_F(BlockProgramsTest, ProgramUnitsAreGivenOutSubmittedAndDone) {
  EXPECT_EQ(programs.give_out(block, 7), 0U);
  EXPECT_EQ(programs.give_out(block, 8), 2U);
  EXPECT_EQ(info.pending->sequence, 7U) << "of the block's first program";
  EXPECT_EQ(info.pending->data_end, 4U);
  programs.submitted(block, Origin::Gc);
  EXPECT_EQ(info.submitted, 2U);
  EXPECT_EQ(info.last_origin, Origin::Gc);
  programs.done(block, 0);
  EXPECT_EQ(info.durable, 2U);
  programs.retire_if_done(block);
  ASSERT_NE(info.pending, nullptr) << "a program is to come";
  programs.submitted(block, Origin::Gc);
  programs.done(block, 2);
  programs.retire_if_done(block);
  EXPECT_EQ(info.pending, nullptr) << "the block is full";
}

TEST_F(BlockProgramsTest, SubmittingWakesTheNextProgramUnitAlone) {
  WaitList second;
  WaitList third;
  int woken_second = 0;
  int woken_third = 0;
  for (std::uint64_t sequence = 1; sequence <= 2; ++sequence) programs.give_out(block, sequence);
  EXPECT_EQ(programs.before_turn(block, 0, second), nullptr);
  runtime.run([&] {
    runtime.spawn([&] { return count(*programs.before_turn(block, 4, third), woken_third); });
    runtime.spawn([&] { return count(*programs.before_turn(block, 2, second), woken_second); });
  });
  runtime.run([&] { programs.submitted(block, Origin::Host); });
  EXPECT_EQ(woken_second, 1);
  EXPECT_EQ(woken_third, 0);
  EXPECT_EQ(programs.before_turn(block, 2, second), nullptr);
  runtime.destroy_frames();
}

TEST_F(BlockProgramsTest, AUnitIsOnFlashWhenItsProgramIsDone) {
  programs.give_out(block, 1);
  info.pending->oob[3] = 42;
  info.pending->source[3] = 9;
  EXPECT_FALSE(blocks.on_flash(first + 3));
  EXPECT_EQ(programs.before_on_flash(first + 3), &blocks.waits().events(0).durable);
  EXPECT_EQ(programs.pending_word(first + 3), 42U);
  EXPECT_EQ(programs.pending_source(first + 3), 9U);
  programs.submitted(block, Origin::Host);
  EXPECT_FALSE(blocks.on_flash(first + 3));
  programs.done(block, 0);
  EXPECT_TRUE(blocks.on_flash(first + 3)) << "of the second page of the program unit";
  EXPECT_EQ(programs.before_on_flash(first + 3), nullptr);
  EXPECT_FALSE(blocks.on_flash(first + 4));
  EXPECT_TRUE(blocks.on_flash(first + blocks.units_per_block())) << "of a block that nobody writes";
}

TEST_F(BlockProgramsTest, InAnyOrderEachPageCountsForItself) {
  programs.write_in_any_order(block);
  programs.give_out(block, 1);
  programs.submitted(block, Origin::Host);
  programs.done(block, 2);
  EXPECT_FALSE(blocks.on_flash(first));
  EXPECT_TRUE(blocks.on_flash(first + 4));
  EXPECT_TRUE(blocks.on_flash(first + 7));
}

TEST_F(BlockProgramsTest, ABlockThatIsGivenUpIsDoneWithBeforeItIsFull) {
  programs.give_out(block, 1);
  programs.submitted(block, Origin::Host);
  blocks.release(block);
  ASSERT_NE(info.pending, nullptr);
  EXPECT_FALSE(blocks.waits().unused(block));
  programs.done(block, 0);
  programs.retire_if_done(block);
  EXPECT_EQ(info.pending, nullptr);
  EXPECT_TRUE(blocks.waits().unused(block));
}

}  // namespace
}  // namespace flashloom::block_programs_test
