// A read cache filled with the data of host reads: which sectors are valid, and writes that overtake fills.
#include <gtest/gtest.h>

#include "tests/controllers/tier/tier_bench.hpp"

namespace flashloom::read_fill_test {
namespace {

constexpr std::uint64_t kSegment = TierBench::kSegment;

TierBench bench_with(const char* fill) {
  return TierBench(
      "write_invalidate",
      {{"fill", std::string(fill)}, {"replacement", std::string("lru")}, {"admission", std::string("always")}});
}

void settle(TierBench& bench) {
  while (!bench.software().rests()) TierBench::step();
}

TEST(ReadFill, WhatAReadBroughtComesInWithoutASecondReadOfTheDisk) {
  TierBench bench = bench_with("read");
  bench.write(2 * kSegment, kSegment, 5);
  const std::uint64_t disk = bench.home.commands;
  bench.read(2 * kSegment + 4096, 4096);
  settle(bench);
  EXPECT_EQ(bench.home.commands, disk + 1);
  EXPECT_EQ(bench.cache.cached[4096 / kSector], 5U);
  EXPECT_EQ(bench.cache.cached[0], 0U) << "only what was read";
  bench.read(2 * kSegment + 4096, 4096);
  EXPECT_EQ(bench.home.commands, disk + 1) << "a hit";
  bench.read(2 * kSegment, kSegment);
  EXPECT_EQ(bench.home.commands, disk + 2) << "its other half is not there";
}

TEST(ReadFill, AWriteTakesOutWhatItWritesOnly) {
  TierBench bench = bench_with("read");
  bench.read(2 * kSegment, kSegment);
  settle(bench);
  bench.write(2 * kSegment, 512, 6);
  const std::uint64_t disk = bench.home.commands;
  bench.read(2 * kSegment + 512, 4096);
  EXPECT_EQ(bench.home.commands, disk);
  EXPECT_EQ(bench.read(2 * kSegment), 6U);
  EXPECT_EQ(bench.home.commands, disk + 1);
}

TEST(ReadFill, ADroppingWriteTakesOutTheSegment) {
  TierBench bench = bench_with("read_drop");
  bench.read(2 * kSegment, kSegment);
  settle(bench);
  bench.write(2 * kSegment, 512, 6);
  EXPECT_EQ(bench.software().map().used(), 0U);
}

// A write that comes while a fill is in flight to the SSD makes the fill's data stale.
TEST(ReadFill, AWriteThatOvertakesTheFillLeavesNothingStale) {
  TierBench bench = bench_with("read");
  bench.write(kSegment, kSegment, 1);
  bool sent = false;
  bench.cache.on_command = [&](const IoCommand& command) { sent = sent || command.operation == IoOperation::Write; };
  bench.submit(IoOperation::Read, kSegment, kSegment, 0);
  while (!bench.done()) sc_core::sc_start(1, sc_core::SC_US);
  EXPECT_FALSE(bench.software().rests()) << "the fill is under way";
  bench.write(kSegment + 512, 512, 2);
  settle(bench);
  EXPECT_TRUE(sent);
  EXPECT_EQ(bench.read(kSegment + 512), 2U);
}

TEST(ReadFill, ARequestOverManySegmentsComesInAndLeavesBySegments) {
  TierBench bench = bench_with("read");
  bench.write(0, 10 * kSegment, 3);
  bench.read(0, 10 * kSegment);  // eight segments have room
  settle(bench);
  EXPECT_EQ(bench.software().map().used(), 8U);
  EXPECT_EQ(bench.software().map().slot_of(1), kNoSlot);
  const std::uint64_t disk = bench.home.commands;
  EXPECT_EQ(bench.read(2 * kSegment, 8 * kSegment), 3U);
  EXPECT_EQ(bench.home.commands, disk);
}

TEST(ReadFill, AStopKeepsWholeSegmentsAndACutNothing) {
  TierBench bench = bench_with("read");
  bench.write(0, 2 * kSegment, 4);
  bench.read(0, kSegment);
  settle(bench);
  bench.read(kSegment, 512);
  settle(bench);
  bench.stop();
  bench.cut();
  bench.start();
  EXPECT_NE(bench.software().map().slot_of(0), kNoSlot);
  EXPECT_EQ(bench.software().map().slot_of(1), kNoSlot);
  EXPECT_EQ(bench.read(0), 4U);
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.software().map().used(), 0U);
}

// A slot has 70 sectors: its bits begin in the middle of a word and cross the end of it.
TEST(SectorCache, KeepsSlotsApart) {
  SectorCache cache(3, 70);
  cache.set(1, 0, 70, true);
  EXPECT_TRUE(cache.whole(1));
  EXPECT_FALSE(cache.any(0));
  EXPECT_FALSE(cache.any(2));
  cache.set(1, 60, 1, false);
  EXPECT_TRUE(cache.all(1, 0, 60));
  EXPECT_FALSE(cache.all(1, 60, 1));
  EXPECT_TRUE(cache.all(1, 61, 9));
}

TEST(SectorCache, ASlotIsNotWrittenWhileItsLastSegmentIsRead) {
  SectorCache cache(1, 8);
  cache.begin_read(0);
  EXPECT_TRUE(cache.writable(0)) << "other sectors of the same segment";
  cache.assign(0);
  EXPECT_FALSE(cache.writable(0));
  cache.end_read(0);
  EXPECT_TRUE(cache.writable(0));
}

TEST(SectorCache, AWriteCancelsTheFillsThatItOverlaps) {
  SectorCache cache(1, 8);
  ReadFill& one = cache.open(0, 1024);
  ReadFill& two = cache.open(1024, 1024);
  cache.cancel(512, 512);
  EXPECT_TRUE(one.cancelled);
  EXPECT_FALSE(two.cancelled);
  EXPECT_FALSE(cache.filling(0, 1024));
  EXPECT_TRUE(cache.filling(1024, 1));
  cache.close(one);
  cache.close(two);
  EXPECT_FALSE(cache.filling(0, 4096));
}

}  // namespace
}  // namespace flashloom::read_fill_test
