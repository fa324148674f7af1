// Tiers whose contents change with every miss, and the end of an SSD.
#include <gtest/gtest.h>

#include "tests/controllers/tier/tier_bench.hpp"

namespace flashloom::demand_tier_test {
namespace {

constexpr std::uint64_t kSegment = TierBench::kSegment;

/// Steps until nothing is in flight.
void settle(TierBench& bench) {
  while (!bench.software().rests()) TierBench::step();
}

void bring_in(TierBench& bench, Segment segment) {
  bench.read(segment * kSegment);
  settle(bench);
}

TEST(WriteBackTier, AMissBringsItsSegmentInAndAWriteMakesItDirty) {
  TierBench bench("write_back");
  bench.write(2 * kSegment, kSegment, 5);
  settle(bench);
  EXPECT_EQ(bench.software().map().slot_of(2), 0U);
  EXPECT_EQ(bench.cache.cached[0], 5U);
  EXPECT_FALSE(bench.software().dirty(0));
  bench.write(2 * kSegment, 512, 6);
  EXPECT_TRUE(bench.software().dirty(0));
  EXPECT_TRUE(bench.software().image().dirty[0]) << "and the journal says so";
  EXPECT_EQ(bench.home.cached[2 * kSegment / kSector], 5U);
}

TEST(WriteBackTier, TheOneThatLeavesGoesHomeFirst) {
  TierBench bench("write_back");
  for (const Segment segment : {0, 1, 2, 3}) bring_in(bench, segment);
  bench.write(0, 512, 6);
  for (const Segment segment : {1, 2, 3}) bench.read(segment * kSegment);
  bring_in(bench, 9);
  EXPECT_EQ(bench.software().map().slot_of(9), 0U);
  EXPECT_EQ(bench.home.durable[0], 6U);
  EXPECT_EQ(bench.read(0), 6U);
}

TEST(WriteBackTier, WhatTheJournalSaysIsThereAfterACut) {
  TierBench bench("write_back");
  for (const Segment segment : {0, 1, 2}) bring_in(bench, segment);
  bench.write(kSegment, 512, 6);
  bench.run(IoOperation::Flush);
  bench.cut();
  const std::uint64_t commands = bench.home.commands;
  bench.start();
  EXPECT_EQ(bench.home.commands, commands + 2) << "two headers; nothing is copied";
  EXPECT_EQ(bench.software().map().used(), 3U);
  EXPECT_TRUE(bench.software().dirty(1));
  EXPECT_FALSE(bench.software().dirty(0));
  EXPECT_EQ(bench.read(kSegment), 6U);
}

// Journals of 16 KiB have four blocks each; the test makes many more changes than they hold.
TEST(WriteBackTier, AFullJournalGivesWayToAnImage) {
  TierBench bench("write_back");
  for (int round = 0; round < 6; ++round)
    for (Segment segment = 0; segment < 16; ++segment) {
      bench.write(segment * kSegment, 512, 100 * round + segment + 1);
      settle(bench);
    }
  EXPECT_GT(bench.tier->statistics().metadata.images, 3U);
  bench.run(IoOperation::Flush);
  const std::vector<Segment> map = bench.software().map().segments();
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.software().map().segments(), map);
  for (Segment segment = 0; segment < 16; ++segment) EXPECT_EQ(bench.read(segment * kSegment), 500U + segment + 1);
}

TEST(WriteInvalidateTier, AWriteTakesItsSegmentOutOfTheCache) {
  TierBench bench("write_invalidate");
  bring_in(bench, 4);
  EXPECT_EQ(bench.software().map().slot_of(4), 0U);
  bench.write(4 * kSegment + 512, 512, 3);
  settle(bench);
  EXPECT_EQ(bench.software().map().slot_of(4), kNoSlot);
  EXPECT_EQ(bench.home.cached[4 * kSegment / kSector + 1], 3U);
  EXPECT_EQ(bench.tier->statistics().invalidated_segments, 1U);
  EXPECT_EQ(bench.tier->statistics().total().write_hits, 0U);
  EXPECT_EQ(bench.read(4 * kSegment + 512), 3U);
}

TEST(WriteInvalidateTier, StartsEmptyAfterACutAndFullAfterAStop) {
  TierBench bench("write_invalidate");
  bring_in(bench, 4);
  bench.stop();
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.software().map().slot_of(4), 0U);
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.software().map().used(), 0U);
}

TEST(HddOnlyTier, UsesNoSsd) {
  TierBench bench("hdd_only");
  bench.heat(1, 2, 10);
  bench.pass();
  bench.run(IoOperation::Flush);
  EXPECT_EQ(bench.cache.commands, 0U);
}

// Dirty segments are lost and their reads fail until the whole segment is written; the HDD serves all else, also after
// a restart.
TEST(DeadSsd, OnlyWhatItAloneHadIsLost) {
  TierBench bench("write_back");
  bench.config.ssd_fails_at = 10 * kSecond;
  for (const Segment segment : {0, 1, 2}) bring_in(bench, segment);
  bench.write(kSegment, 512, 6);
  bench.write(7 * kSegment, 512, 7);
  settle(bench);
  sc_core::sc_start(10, sc_core::SC_SEC);
  EXPECT_EQ(bench.read(0), 0U);
  EXPECT_TRUE(bench.software().retired());
  EXPECT_EQ(bench.run(IoOperation::Read, kSegment + 4096, 512), IoStatus::MediaError);
  EXPECT_EQ(bench.write(kSegment, 512, 8), IoStatus::MediaError);
  EXPECT_EQ(bench.read(7 * kSegment), 7U);
  bench.run(IoOperation::Flush);
  bench.cut();
  bench.start();
  EXPECT_TRUE(bench.software().retired());
  EXPECT_EQ(bench.run(IoOperation::Read, kSegment, 512), IoStatus::MediaError);
  EXPECT_EQ(bench.write(kSegment, kSegment, 9), IoStatus::Ok);
  EXPECT_EQ(bench.read(kSegment + 4096), 9U);
}

// Segment 1 is cached and clean. The write that finds the SSD dead goes to the HDD, which has the rest of the segment.
void expect_nothing_lost(TierBench& bench) {
  ASSERT_NE(bench.software().map().slot_of(1), kNoSlot);
  bench.cache.refuses_writes = true;
  bench.cache.unreadable = [](std::uint64_t) { return true; };
  EXPECT_EQ(bench.write(kSegment, 512, 6), IoStatus::Ok);
  EXPECT_TRUE(bench.software().retired());
  EXPECT_FALSE(bench.software().lost(1));
  EXPECT_EQ(bench.read(kSegment), 6U);
  EXPECT_EQ(bench.run(IoOperation::Read, kSegment + 4096, 512), IoStatus::Ok);
}

TEST(DeadSsd, AFirstWriteOfWriteBackLosesNothing) {
  TierBench bench("write_back");
  bring_in(bench, 1);
  expect_nothing_lost(bench);
}

TEST(DeadSsd, AFirstWriteOfPwcLosesNothing) {
  TierBench bench("pwc");
  bench.heat(1, 2, 10);
  bench.pass();
  expect_nothing_lost(bench);
}

TEST(DeadSsd, OneThatCanStillBeReadLosesNothing) {
  TierBench bench("write_back");
  for (const Segment segment : {0, 1, 2}) bring_in(bench, segment);
  bench.write(kSegment, 512, 6);
  bench.cache.refuses_writes = true;
  EXPECT_EQ(bench.write(2 * kSegment, 512, 7), IoStatus::Ok);
  EXPECT_TRUE(bench.software().retired());
  EXPECT_EQ(bench.read(kSegment), 6U);
  EXPECT_EQ(bench.read(2 * kSegment), 7U);
  EXPECT_EQ(bench.home.cached[kSegment / kSector], 6U);
}

// Segment 0 is brought in and written; its eviction fails while it is to be brought in anew elsewhere.
TEST(DeadSsd, IsGivenUpThoughASegmentThatIsToComeInCannotLeave) {
  TierBench bench("write_back");
  bench.config.exchanges = 8;
  bench.cache.unreadable = [](std::uint64_t sector) { return sector < kSegment / kSector; };
  for (Segment segment = 0; segment < 5; ++segment)
    bench.submit_beside(IoOperation::Read, segment * kSegment, kSector, 0);
  bench.submit_beside(IoOperation::Write, 0, kSector, 6);
  for (int i = 0; i < 10'000 && !bench.software().retired(); ++i) TierBench::step();
  EXPECT_TRUE(bench.software().retired());
  EXPECT_TRUE(bench.software().lost(0));
  EXPECT_EQ(bench.read(kSegment), 0U);
}

TEST(DeadSsd, InAPassLosesNothing) {
  TierBench bench("pwc");
  bench.heat(3, 5);
  bench.pass();
  bench.write(3 * kSegment, 512, 4);
  for (int i = 0; i < 12; ++i)
    for (const Segment segment : {8, 9, 10, 11}) bench.read(segment * kSegment);
  bool over = false;
  bench.tier->on_step([&](TierStep step, Segment) {
    if (step == TierStep::Fill) bench.cache.refuses_writes = true;
  });
  bench.tier->start_pass([&over] { over = true; });
  while (!bench.software().retired()) TierBench::step();
  EXPECT_EQ(bench.read(3 * kSegment), 4U);
  EXPECT_EQ(bench.write(3 * kSegment, 512, 5), IoStatus::Ok);
  EXPECT_EQ(bench.read(3 * kSegment), 5U);
}

}  // namespace
}  // namespace flashloom::demand_tier_test
