// When a block may be opened, erased and programmed. A block may be open again, or released again, before an erase that
// was decided upon earlier is carried out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controllers/ftl/blocks/block_table.hpp"
#include "sc_main/assembly/system/instant_device.hpp"

namespace flashloom::block_erases_test {
namespace {

// Two dies, and `rain` more for parity, of eight blocks of eight pages of one unit.
DeviceConfig config_with(const std::string& gc_unit, std::uint32_t rain) {
  DeviceConfig config;
  config.nand.channels = 2 + rain;
  config.nand.ways = 1;
  config.nand.blocks = 8;
  config.nand.pages = 8;
  config.nand.page_size = config.ftl.mapping_unit = 4096;
  config.ftl.logical_size = 16 * 4096;
  config.ftl.gc_unit = gc_unit;
  config.ftl.rain = rain;
  return config;
}

struct Bench {
  explicit Bench(const std::string& gc_unit = "block", std::uint32_t rain = 0) : device(config_with(gc_unit, rain)) {}

  BlockNumber open(std::uint32_t bank) {
    const BlockNumber block = table.open(bank);
    table[block].allocated = 8;
    return block;
  }
  // Releases the block with all its programs done and nothing valid, while a newer version of one of its units is in
  // flight.
  void give_up(BlockNumber block) {
    table[block].submitted = table[block].durable = table[block].allocated;
    ++table[block].copies_pending;
    table.release(block);
    table.count_erase(block);
  }

  InstantDevice device;
  FtlContext context{.config = device.config.ftl,
                     .geometry = device.geometry,
                     .media = device.media,
                     .hardware = device.hardware,
                     .logical_units = 16,
                     .host_units = 16,
                     .sectors_per_unit = 8,
                     .verify = false,
                     .seed = 1};
  BlockTable table{context};
};

// Opens the block of bank 0 that was just released and is not erased yet.
BlockNumber open_unerased(Bench& bench, BlockNumber block) {
  bench.table.waits().copy_done(block);
  bench.table.open_free(block);
  bench.table[block].allocated = 8;
  return block;
}

TEST(BlockErases, OpensABlockAsSoonAsItsOldDataAreNotUsed) {
  Bench bench;
  const BlockNumber block = bench.open(0);
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);  // fresh: erased
  bench.give_up(block);
  EXPECT_EQ(bench.table.waits().before_opening(block), &bench.table.waits().events(0).unused);
  EXPECT_EQ(bench.table.waits().before_erase(bench.table.pending_erase(block)), &bench.table.waits().events(0).unused);
  bench.table.waits().copy_done(block);
  EXPECT_EQ(bench.table.waits().before_opening(block), nullptr);
  EXPECT_EQ(bench.table.waits().before_erase(bench.table.pending_erase(block)), nullptr);
}

TEST(BlockErases, ProgramsWaitForTheErase) {
  Bench bench;
  const BlockNumber block = bench.open(0);
  bench.give_up(block);
  open_unerased(bench, block);
  EXPECT_EQ(bench.table.waits().before_first_program(block), &bench.table.waits().events(0).erased);
  EXPECT_FALSE(bench.table[block].erased);
  bench.table.waits().erase_done(bench.table.pending_erase(block));
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
  EXPECT_TRUE(bench.table[block].erased);
}

// Data written into the block since its release do not hold up the erase that they wait for themselves.
TEST(BlockErases, AnEraseDoesNotWaitForDataBehindIt) {
  Bench bench;
  const BlockNumber block = bench.open(0);
  bench.give_up(block);
  const PendingErase first = bench.table.pending_erase(block);
  open_unerased(bench, block);
  ++bench.table[block].copies_pending;  // a unit in it has a newer version already
  EXPECT_EQ(bench.table.waits().before_erase(first), nullptr);
  // Released once more, the block has two pending erases: the first may run, the second waits.
  bench.table.release(block);
  bench.table.count_erase(block);
  EXPECT_EQ(bench.table.waits().before_erase(first), nullptr);
  EXPECT_NE(bench.table.waits().before_erase(bench.table.pending_erase(block)), nullptr);
  bench.table.waits().erase_done(first);
  EXPECT_FALSE(bench.table[block].erased);  // the second is still to come
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
}

// A reclaim unit may be left before its blocks are erased, so a block can have two pending erases.
TEST(BlockErases, WhatFollowsASecondEraseDoesNotTakeTheFirstForIt) {
  Bench bench;
  const BlockNumber block = bench.open(0);
  bench.give_up(block);
  bench.table.waits().copy_done(block);
  const PendingErase first = bench.table.pending_erase(block);
  bench.table.open_free(block);
  bench.table.release(block);  // empty
  bench.table.count_erase(block);
  bench.table.open_free(block);
  bench.table[block].allocated = 8;
  bench.table.waits().erase_done(first);
  EXPECT_EQ(bench.table.waits().before_first_program(block), &bench.table.waits().events(0).erased);
  bench.table.waits().erase_done(bench.table.pending_erase(block));
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
  EXPECT_TRUE(bench.table[block].erased);
}

// After a power cut the die must have one erase unit to go on in; that spare is chosen when a block is opened.
TEST(BlockErases, ProgramsWaitUntilTheSpareBlockMayBeErased) {
  Bench bench;
  const BlockNumber spare = bench.open(0);
  bench.give_up(spare);
  const BlockNumber block = bench.open(0);
  bench.table[block].pending->spare = bench.table.pending_erase(spare);
  EXPECT_EQ(bench.table.waits().before_first_program(block), &bench.table.waits().events(0).unused);
  bench.table.waits().copy_done(spare);
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
  // The spare is opened, filled and released again: its next erase is another one.
  bench.table.open_free(spare);
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
  bench.table[spare].allocated = 8;
  bench.give_up(spare);
  EXPECT_EQ(bench.table.waits().before_first_program(block), nullptr);
}

TEST(BlockErases, MembersOfASuperblockWaitForEachOther) {
  Bench bench("superblock");
  const BlockTable& all = bench.table;
  ASSERT_EQ(all.members(), 2U);
  const BlockNumber here = all.member(0, 0);
  const BlockNumber there = all.member(0, 1);
  for (const BlockNumber member : {here, there}) {
    bench.table.open_free(member);
    bench.table[member].allocated = 8;
    bench.give_up(member);
  }
  bench.table.waits().copy_done(here);
  WaitList* const other_die = &bench.table.waits().events(1).unused;
  EXPECT_EQ(bench.table.waits().before_opening(here), other_die);
  EXPECT_EQ(bench.table.waits().before_erase(bench.table.pending_erase(here)), other_die);
  bench.table.waits().copy_done(there);
  EXPECT_EQ(bench.table.waits().before_opening(here), nullptr);
  for (const BlockNumber member : {here, there}) bench.table.open_free(member);
  bench.table.waits().erase_done(bench.table.pending_erase(here));
  EXPECT_EQ(bench.table.waits().before_first_program(here), &bench.table.waits().events(1).erased);
  bench.table.waits().erase_done(bench.table.pending_erase(there));
  EXPECT_EQ(bench.table.waits().before_first_program(here), nullptr);
}

// A member that is bad for good keeps old data until its erase has failed; a member that fails with its present data
// must be programmed first.
TEST(BlockErases, WithParityTheErasesOfBadMembersAreWaitedForOnce) {
  Bench bench("superblock", 1);
  const BlockTable& all = bench.table;
  const std::vector<BlockNumber> members = {all.member(0, 0), all.member(0, 1), all.member(0, 2)};
  const BlockNumber failing = members[1];
  bench.table.take(0);
  for (const BlockNumber member : members) {
    bench.table.open_free(member);
    bench.table[member].allocated = 8;
  }
  bench.table.set_failed(failing, 0);
  for (const BlockNumber member : members) bench.table.release(member);  // released before they are programmed
  bench.table.give_back(0);
  for (const BlockNumber member : members) bench.table.count_erase(member);
  ASSERT_EQ(bench.table[failing].state, BlockState::Bad);
  for (const BlockNumber member : members) {
    EXPECT_EQ(bench.table.waits().before_first_program(member), nullptr);
    bench.table[member].submitted = bench.table[member].durable = 8;
    bench.table.programs().retire_if_done(member);
  }
  EXPECT_EQ(bench.table.waits().before_erase(bench.table.pending_erase(failing)), nullptr);
  bench.table.take(0);
  for (const BlockNumber good : {members[0], members[2]}) {
    bench.table.open_free(good);
    bench.table.waits().erase_done(bench.table.pending_erase(good));
  }
  EXPECT_EQ(bench.table.waits().before_first_program(members[0]), &bench.table.waits().events(1).erased);
  bench.table.waits().erase_done(bench.table.pending_erase(failing));
  EXPECT_EQ(bench.table.waits().before_first_program(members[0]), nullptr);
}

}  // namespace
}  // namespace flashloom::block_erases_test
