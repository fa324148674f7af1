// The log-block FTL (BAST) on sequences worked by hand: reads, programs and erases of each merge.
#include <gtest/gtest.h>

#include "tests/controllers/ftl/kinds/merge_bench.hpp"

namespace flashloom::log_block_test {
namespace {

// A device with the smallest buffer, written through: each write goes to flash.
DeviceConfig device(std::int64_t log_blocks, bool in_order = true, bool probe = false) {
  DeviceConfig config = twelve_blocks(in_order);
  config.ftl.kind = {"log_block", ParameterValues({{"log_blocks", log_blocks}, {"probe", probe}})};
  config.buffer.mode = "write_through";
  config.buffer.size = 0;
  return config;
}

using Merges = std::array<std::uint64_t, 3>;  // switch, partial, full

TEST(LogBlock, WritesInPlaceWhereADataBlockIsFree) {
  MergeBench bench(device(1));
  bench.write_block(0);
  bench.write_block(1);
  EXPECT_EQ(bench.counts(), (Counts{16, 0, 0, 0}));
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 0}));
}

TEST(LogBlock, SwitchesALogBlockWrittenInOrder) {
  MergeBench bench(device(1));
  bench.write_block(0);
  bench.write_block(0);
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 0}));  // no other block needs the log block yet
  bench.write({0});
  EXPECT_EQ(bench.merges(), (Merges{1, 0, 0}));
  EXPECT_EQ(bench.counts(), (Counts{17, 0, 0, 1}));
}

TEST(LogBlock, CopiesBehindAPrefix) {
  MergeBench bench(device(1));
  bench.write_block(0);
  bench.write_block(1);
  bench.write({0, 1, 2});  // to the log block of block 0
  bench.write({8});        // block 1 needs the log block
  EXPECT_EQ(bench.merges(), (Merges{0, 1, 0}));
  EXPECT_EQ(bench.counts(), (Counts{20, 5, 5, 1}));
}

TEST(LogBlock, WhatIsNotFullIsAPartialMergeEvenIfNothingIsLeftToCopy) {
  MergeBench bench(device(1));
  bench.write({0, 1, 2});  // nothing else of block 0 was ever written
  bench.write_block(1);
  bench.write({0, 1, 2});  // to its log block
  bench.write({8});        // block 1 needs the log block
  EXPECT_EQ(bench.merges(), (Merges{0, 1, 0}));
  EXPECT_EQ(bench.counts(), (Counts{15, 0, 0, 1}));
}

TEST(LogBlock, MergesFullyWhatWasWrittenOutOfOrder) {
  MergeBench bench(device(1));
  bench.write_block(0);
  bench.write_block(1);
  bench.write({3, 3, 5});
  bench.write({8});
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
  EXPECT_EQ(bench.counts(), (Counts{20, 8, 8, 2}));
  bench.write({9, 10, 11, 12, 13, 14, 15});  // the rest of block 1, in order
  bench.write({1});                          // block 0 needs the log block
  EXPECT_EQ(bench.merges(), (Merges{1, 0, 1}));
  EXPECT_EQ(bench.counts(), (Counts{28, 8, 8, 3}));
}

TEST(LogBlock, MergesWhenItsLogBlockIsFull) {
  MergeBench bench(device(2));
  bench.write_block(0);
  bench.write({0, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 0}));
  bench.write({0});
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
  EXPECT_EQ(bench.counts(), (Counts{17, 8, 8, 2}));
}

TEST(LogBlock, TakesTheLogBlockWrittenLongestAgo) {
  MergeBench bench(device(2));
  for (const std::uint64_t block : {0, 1, 2}) bench.write_block(block);
  bench.write({5, 13, 5});  // log blocks of blocks 0 and 1; that of block 0 was written last
  bench.write({21});        // block 2 takes the log block of block 1
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
  bench.write({5});  // block 0 still has its own
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
}

// A full merge copies only valid units; a trimmed unit leaves a gap, which is padded where pages go in order.
TEST(LogBlock, LeavesOutWhatWasTrimmed) {
  MergeBench bench(device(1));
  bench.write_block(0);
  bench.write_block(1);
  bench.write({2, 2});
  bench.device.run({.offset = 4 * kUnit, .length = 2 * kUnit, .kind = RequestKind::Trim});
  bench.write({8});
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
  EXPECT_EQ(bench.counts(), (Counts{19, 6, 6, 2}));
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Program, Origin::Padding).units, 2U);
}

// Where pages may be programmed in any order, a data block takes a write to any of its free pages.
TEST(LogBlock, WritesInPlaceInAnyOrderWhereTheDieAllows) {
  MergeBench bench(device(1, false));
  bench.write({7, 3, 0, 12});
  EXPECT_EQ(bench.counts(), (Counts{4, 0, 0, 0}));
  bench.write({3, 1});  // the first to the log block, the second in place
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 0}));
  bench.write({12});  // block 1 needs the log block: 0, 1, 3, 7 are copied, and the gaps stay erased
  EXPECT_EQ(bench.merges(), (Merges{0, 0, 1}));
  EXPECT_EQ(bench.counts(), (Counts{7, 4, 4, 2}));
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Program, Origin::Padding).units, 0U);
  bench.write({2});  // in place again
  EXPECT_EQ(bench.counts(), (Counts{8, 4, 4, 2}));
}

// On a drive that is not full, the log block holds a prefix, and only units that were ever written are copied behind
// it.
TEST(LogBlock, CopiesBehindAPrefixOnlyWhatIsThere) {
  MergeBench bench(device(1, false));
  bench.write({0, 1, 5, 9});  // in place
  bench.write({0, 1});        // the log block of block 0
  bench.write({9});           // block 1 needs the log block: 5 is copied; 2, 3, 4, 6 and 7 stay erased
  EXPECT_EQ(bench.merges(), (Merges{0, 1, 0}));
  EXPECT_EQ(bench.counts(), (Counts{7, 1, 1, 1}));
  bench.write({7});  // in place behind the copied unit
  EXPECT_EQ(bench.merges(), (Merges{0, 1, 0}));
  EXPECT_EQ(bench.counts(), (Counts{8, 1, 1, 1}));
}

// A block that was never written is neither probed nor logged.
TEST(LogBlock, ProbesNoBlockThatWasNeverWritten) {
  MergeBench bench(device(1, false, true));
  bench.write({0, 8, 16, 24});
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Read, Origin::Map).pages, 0U);
  bench.write({3});  // free in a block that exists: the page is read to see that
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Read, Origin::Map).pages, 1U);
  EXPECT_EQ(bench.counts(), (Counts{5, 0, 0, 0}));
}

// The baseline of the paper reads before each write to a data block that exists.
TEST(LogBlock, ProbesBeforeItWrites) {
  MergeBench bench(device(1, false, true));
  bench.write_block(0);
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Read, Origin::Map).pages, 7U);
  bench.write({0, 3});
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Read, Origin::Map).pages, 9U);
}

}  // namespace
}  // namespace flashloom::log_block_test
