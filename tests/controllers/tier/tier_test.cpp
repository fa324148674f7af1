// Routing, passes, start and stop of a tier, step by step, on two memory devices.
#include <gtest/gtest.h>

#include "tests/controllers/tier/tier_bench.hpp"

namespace flashloom::tier_test {
namespace {

constexpr std::uint64_t kSegment = TierBench::kSegment;

/// Caches segments 3 and 5, in slots 0 and 1.
void cache_two(TierBench& bench) {
  bench.heat(3, 5);
  bench.pass();
  ASSERT_EQ(bench.software().map().slot_of(3), 0U);
  ASSERT_EQ(bench.software().map().slot_of(5), 1U);
}

TEST(Tier, WhatIsNotCachedIsOnTheHdd) {
  TierBench bench;
  EXPECT_EQ(bench.write(kSegment + 512, 1024, 7), IoStatus::Ok);
  EXPECT_EQ(bench.read(kSegment + 1024), 7U);
  EXPECT_EQ(bench.home.cached[kSegment / kSector + 1], 7U);
  EXPECT_EQ(bench.cache.commands, 0U);
  EXPECT_EQ(bench.run(IoOperation::Read, 16 * kSegment, 512), IoStatus::OutOfRange);
}

TEST(Tier, WhatIsCachedIsReadAndWrittenOnTheSsdAlone) {
  TierBench bench;
  bench.write(3 * kSegment, kSegment, 1);
  cache_two(bench);
  const std::uint64_t before = bench.home.commands;
  EXPECT_EQ(bench.read(3 * kSegment + 512), 1U);
  EXPECT_EQ(bench.write(3 * kSegment, 512, 2), IoStatus::Ok);
  EXPECT_EQ(bench.read(3 * kSegment), 2U);
  EXPECT_EQ(bench.home.commands, before);
  EXPECT_EQ(bench.cache.cached[0], 2U);
  EXPECT_EQ(bench.home.cached[3 * kSegment / kSector], 1U);
  EXPECT_TRUE(bench.software().dirty(0));
  EXPECT_FALSE(bench.software().dirty(1));
  const TierRequests requests = bench.tier->statistics().total();
  EXPECT_EQ(requests.write_hits, 1U);
  EXPECT_EQ(requests.writes, 2U);
  EXPECT_EQ(requests.read_hit_bytes, 2 * 512U);
}

TEST(Tier, ARequestOverCachedAndUncachedSegmentsGoesToBoth) {
  TierBench bench;
  cache_two(bench);
  // The write covers segments 2 to 5, of which 3 and 5 are cached.
  EXPECT_EQ(bench.write(2 * kSegment + 4096, 3 * kSegment, 9), IoStatus::Ok);
  EXPECT_EQ(bench.cache.cached[0], 9U);
  EXPECT_EQ(bench.cache.cached[kSegment / kSector + 7], 9U);
  EXPECT_EQ(bench.cache.cached[kSegment / kSector + 8], 0U);
  EXPECT_EQ(bench.home.cached[3 * kSegment / kSector - 1], 9U);
  EXPECT_EQ(bench.home.cached[3 * kSegment / kSector], 0U);
  EXPECT_EQ(bench.home.cached[4 * kSegment / kSector], 9U);
  bench.run(IoOperation::Read, 2 * kSegment + 4096, 3 * kSegment);
  for (const SectorToken token : bench.contents()) EXPECT_EQ(token, 9U);
}

TEST(Tier, AStopBringsDirtySegmentsHomeAndSetsTheCleanBit) {
  TierBench bench;
  cache_two(bench);
  bench.write(5 * kSegment + 512, 512, 4);
  bench.stop();
  EXPECT_EQ(bench.home.durable[5 * kSegment / kSector + 1], 4U);
  EXPECT_TRUE(bench.software().image().clean);
  bench.cut();
  const std::uint64_t commands = bench.cache.commands;
  bench.start();
  EXPECT_EQ(bench.cache.commands, commands + 1) << "nothing is copied: one flush";
  EXPECT_FALSE(bench.software().image().clean) << "before the first write";
  EXPECT_EQ(bench.software().map().slot_of(5), 1U);
  EXPECT_EQ(bench.read(5 * kSegment + 512), 4U);
}

TEST(Tier, ACutOutsideAPassCopiesAllThatIsCachedHome) {
  TierBench bench;
  cache_two(bench);
  bench.write(3 * kSegment, 512, 6);
  bench.run(IoOperation::Flush);
  bench.write(3 * kSegment, 512, 8);  // not flushed: lost
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.tier->statistics().written_back_segments, 2U);
  EXPECT_EQ(bench.home.durable[3 * kSegment / kSector], 6U);
  EXPECT_EQ(bench.read(3 * kSegment), 6U);
  EXPECT_EQ(bench.software().map().slot_of(3), 0U) << "still cached";
}

// The pass replaces 3 and 5 by 8 and 9. While 8 is filled, the update bit is on the media, and a write to 5, which is
// still cached, goes to both devices.
TEST(Tier, InAPassWritesGoToBothDevices) {
  TierBench bench;
  cache_two(bench);
  bench.write(5 * kSegment, 512, 1);
  for (int i = 0; i < 12; ++i)
    for (const Segment segment : {8, 9, 10, 11}) bench.read(segment * kSegment);
  bench.build();
  bool filling = false;
  bench.tier->on_step([&](TierStep step, Segment) { filling = filling || step == TierStep::Fill; });
  bool over = false;
  bench.tier->start_pass([&over] { over = true; });
  while (!filling) TierBench::step();
  EXPECT_TRUE(bench.software().image().update);
  EXPECT_EQ(bench.home.durable[5 * kSegment / kSector], 1U) << "dirty segments have gone home before";
  EXPECT_EQ(bench.software().map().slot_of(5), 1U);
  EXPECT_EQ(bench.write(5 * kSegment, 512, 2), IoStatus::Ok);
  EXPECT_EQ(bench.home.cached[5 * kSegment / kSector], 2U);
  EXPECT_EQ(bench.cache.cached[kSegment / kSector], 2U);
  EXPECT_FALSE(bench.software().dirty(1));
  EXPECT_EQ(bench.tier->statistics().dual_writes, 1U);
  while (!over) TierBench::step();
  EXPECT_FALSE(bench.software().image().update);
  EXPECT_EQ(bench.software().image().map, bench.software().map().segments());
  EXPECT_EQ(bench.read(5 * kSegment), 2U);
}

// After a cut in a pass the SSD may hold anything and is filled again by the last map. Data written and flushed after
// that survive a second cut, as the update bit is cleared.
TEST(Tier, ACutInAPassMakesAWarmStart) {
  TierBench bench;
  cache_two(bench);
  for (const Segment segment : {3, 5}) bench.write(segment * kSegment, kSegment, 10 + segment);
  for (int i = 0; i < 12; ++i)
    for (const Segment segment : {8, 9, 10, 11}) bench.read(segment * kSegment);
  bool over = false;
  bench.tier->start_pass([&over] { over = true; });
  while (bench.software().map().slot_of(8) == kNoSlot) TierBench::step();
  bench.cut();
  std::fill(bench.cache.durable.begin(), bench.cache.durable.end(), 99);
  bench.cache.cached = bench.cache.durable;
  bench.start();
  EXPECT_EQ(bench.software().map().slot_of(3), 0U);
  EXPECT_EQ(bench.software().map().slot_of(5), 1U);
  EXPECT_EQ(bench.software().map().slot_of(8), kNoSlot);
  EXPECT_EQ(bench.read(3 * kSegment), 13U);
  EXPECT_EQ(bench.cache.durable[0], 13U);
  bench.write(3 * kSegment, kSegment, 20);
  bench.run(IoOperation::Flush);
  bench.cut();
  bench.start();
  EXPECT_EQ(bench.read(3 * kSegment), 20U);
}

// The last image lacks one sector on the media: the image before counts.
TEST(Tier, AnImageOfWhichASectorIsMissingIsNotTaken) {
  TierBench bench;
  cache_two(bench);
  const std::uint64_t version = bench.software().image().version;
  const std::uint64_t area =
      (bench.tier->layout().metadata.areas + version % 2 * bench.tier->layout().metadata.area_bytes) / kSector;
  bench.cut();
  bench.home.durable[area + 1] = bench.home.cached[area + 1] = 0;
  bench.start();
  // The image before is the one that the pass began with: no segment is cached.
  EXPECT_EQ(bench.software().map().used(), 0U);
  EXPECT_EQ(bench.software().image().version, version) << "written anew";
  EXPECT_EQ(bench.read(3 * kSegment), 0U);
}

TEST(Tier, APassWaitsForTheHostButNotForEver) {
  TierBench bench;
  bench.config.patience = 50 * kMillisecond;
  bench.heat(3, 5);
  bool over = false;
  Picoseconds first = 0;
  bench.tier->on_step([&](TierStep step, Segment) {
    if (step == TierStep::Fill && first == 0) first = kernel_now();
  });
  bench.home.on_command = [](const IoCommand&) {};
  bench.tier->start_pass([&over] { over = true; });
  const Picoseconds begin = kernel_now();
  // The host sends each request right after the one before and never rests.
  while (first == 0) {
    bench.submit(IoOperation::Read, 12 * kSegment, 512, 0);
    while (!bench.done() && first == 0) TierBench::step();
  }
  EXPECT_GT(first, begin);
  EXPECT_LE(first - begin, 200 * kMillisecond);
  while (!over || !bench.done()) TierBench::step();
}

TEST(Tier, AnIdlePassComesOnceTheHostHasRestedLongEnough) {
  TierBench bench;
  bench.config.pass = "idle";
  bench.config.pass_idle = kSecond;
  bench.config.pass_interval = 100 * kSecond;
  bench.heat(3, 5);
  const Picoseconds rested = kernel_now();
  while (bench.tier->statistics().passes.empty()) TierBench::step();
  EXPECT_GE(bench.tier->statistics().passes[0].begin, rested + kSecond - 200 * kMicrosecond);
  EXPECT_LE(bench.tier->statistics().passes[0].begin, rested + kSecond + 200 * kMicrosecond);
  bench.read(0);
  sc_core::sc_start(90, sc_core::SC_SEC);
  EXPECT_EQ(bench.tier->statistics().passes.size(), 1U);
  sc_core::sc_start(20, sc_core::SC_SEC);
  EXPECT_EQ(bench.tier->statistics().passes.size(), 2U);
  sc_core::sc_start(1000, sc_core::SC_SEC);
  EXPECT_EQ(bench.tier->statistics().passes.size(), 2U) << "nothing was used since";
}

TEST(Tier, ADailyPassComesAtItsTimeOfDay) {
  TierBench bench;
  bench.config.pass = "daily";
  bench.config.day = 100 * kSecond;
  bench.config.pass_at = 30 * kSecond;
  bench.heat(3, 5);
  sc_core::sc_start(150, sc_core::SC_SEC);
  bench.read(0);
  sc_core::sc_start(350, sc_core::SC_SEC);
  const auto& passes = bench.tier->statistics().passes;
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_EQ(passes[0].begin, 30 * kSecond);
  EXPECT_EQ(passes[1].begin, 230 * kSecond);
}

}  // namespace
}  // namespace flashloom::tier_test
