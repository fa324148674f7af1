// Reading ahead, the write cache, flushes, queueing and power.
#include <gtest/gtest.h>

#include "tests/models/hdd/disk_bench.hpp"

namespace flashloom::hdd_cache_test {
namespace {

constexpr Picoseconds kOverhead = 50 * kMicrosecond;
constexpr Picoseconds kLink = 4096 * kNanosecond;

HddConfig reading_ahead() {
  HddConfig config = plain_disk();
  config.read_segments = 4;
  config.read_buffer = 4 * 64 * kDiskSector;
  config.read_ahead = 32 * kDiskSector;
  return config;
}

HddConfig caching() {
  HddConfig config = plain_disk();
  config.write_cache = true;
  return config;
}

// Sectors 10 to 41 have been read at 4.3 ms: 11 to 20 are there then, at once; one at 3 ms that is still to come comes
// with the head.
TEST(HddReadAhead, ServesWhatFollows) {
  DiskBench bench(reading_ahead());
  bench.read(10);
  DiskBench::run_until(3 * kMillisecond);
  EXPECT_EQ(bench.finish(bench.read(11, 15)).latency(), kOverhead + 15 * kLink);
  EXPECT_EQ(bench.hdd.statistics().read_hits, 1U);
  DiskBench::run_until(3'500 * kMicrosecond);
  EXPECT_EQ(bench.finish(bench.read(39, 2)).at.complete, 4'100 * kMicrosecond + kLink);
  EXPECT_EQ(bench.hdd.statistics().reads_continued, 1U);
  EXPECT_EQ(bench.hdd.statistics().media.reads, 2U);
  EXPECT_EQ(bench.hdd.statistics().seek_time, 0U);
  DiskBench::run_until(50 * kMillisecond);  // long over: 39 + 2 + 32 sectors
  EXPECT_EQ(bench.finish(bench.read(72)).latency(), kOverhead + kLink);
  EXPECT_EQ(bench.finish(bench.read(10)).status, IoStatus::Ok);
  EXPECT_EQ(bench.hdd.statistics().read_hits, 3U);  // 10 to 72 are 63 sectors: the segment holds 64
  bench.ledger.finish(kernel_now());
}

TEST(HddReadAhead, EndsForOtherWork) {
  DiskBench bench(reading_ahead());
  bench.read(10);
  DiskBench::run_until(1'500 * kMicrosecond);  // up to 14
  bench.finish(bench.read(50'000));
  bench.hdd.reset_statistics();
  bench.finish(bench.read(11, 4));
  EXPECT_EQ(bench.hdd.statistics().read_hits, 1U);
  bench.finish(bench.read(16));
  EXPECT_EQ(bench.hdd.statistics().read_hits, 1U);
}

// A reader that takes its time: what is ahead of it is filled up again when half of it is used.
TEST(HddReadAhead, StaysAheadOfASlowReader) {
  DiskBench bench(reading_ahead());
  bench.finish(bench.read(0));
  for (std::uint64_t sector = 1; sector < 300; ++sector) {
    DiskBench::run_until(kernel_now() + 2 * kMillisecond);
    bench.finish(bench.read(sector));
  }
  EXPECT_EQ(bench.hdd.statistics().read_hits, 299U);
  EXPECT_EQ(bench.hdd.statistics().media.reads, 1U);
}

// Acknowledged from memory; written while nothing else is to do; a flush waits for that.
TEST(HddWriteCache, AcknowledgesAndFlushes) {
  DiskBench bench(caching());
  DiskBench::Io& write = bench.write(30, 1, 7);
  DiskBench::Io& flush = bench.flush();
  DiskBench::run();
  EXPECT_EQ(write.latency(), kOverhead + kLink);
  EXPECT_EQ(flush.latency(), 3'100 * kMicrosecond);
  EXPECT_EQ(flush.breakdown.sum(), flush.latency());
  EXPECT_EQ(bench.hdd.statistics().cached_writes, 1U);
  EXPECT_EQ(bench.hdd.dirty_bytes(), 0U);
}

TEST(HddWriteCache, ServesReads) {
  DiskBench bench(caching());
  bench.write(30, 2, 7);
  DiskBench::run_until(100 * kMicrosecond);
  EXPECT_EQ(bench.hdd.dirty_bytes(), 2 * kDiskSector);
  DiskBench::Io& read = bench.read(30, 2);
  DiskBench::run();
  EXPECT_EQ(read.latency(), kOverhead + 2 * kLink);
  EXPECT_EQ(read.contents[15], 7U);
}

// FUA: on the platter; a plain write beside it is not waited for.
TEST(HddWriteCache, FuaIsOnThePlatter) {
  DiskBench bench(caching());
  DiskBench::Io& fua = bench.make(IoOperation::Write, 30 * kDiskSector, kDiskSector, 8);
  fua.fua = true;
  bench.write(150'000, 1, 9);
  bench.send(fua);
  DiskBench::run();
  EXPECT_EQ(bench.completed.front(), &bench.ios[1]);
  // The arm was on its way to sector 150,000 by then.
  EXPECT_GT(fua.latency(), kRevolution);
  DiskBench::Io& alone = bench.make(IoOperation::Write, 31 * kDiskSector, kDiskSector, 8);
  alone.fua = true;
  const Picoseconds rest = kernel_now() % kRevolution;
  bench.finish(bench.send(alone));
  EXPECT_GE(alone.latency() + rest, 3'200 * kMicrosecond);
}

// Three sectors of room: the fourth waits for a place.
TEST(HddWriteCache, WritersWaitForRoom) {
  HddConfig config = caching();
  config.write_buffer = 3 * kDiskSector;
  DiskBench bench(config);
  for (const std::uint64_t sector : {30, 40, 50, 60}) bench.write(sector, 1, static_cast<SectorToken>(sector));
  DiskBench::run();
  EXPECT_EQ(bench.ios[2].latency(), 3 * kOverhead + kLink);
  EXPECT_EQ(bench.ios[3].latency(), 3'100 * kMicrosecond + kLink);
  EXPECT_EQ(bench.ios[3].breakdown.of(LatencyPart::Buffer), 3'100 * kMicrosecond - 4 * kOverhead);
  EXPECT_EQ(bench.hdd.statistics().throttled_writes, 1U);
  // One that is larger than the buffer comes in pieces.
  DiskBench::Io& large = bench.finish(bench.write(1000, 10, 5));
  EXPECT_EQ(large.status, IoStatus::Ok);
  EXPECT_EQ(bench.peek(1009 * kDiskSector), 5U);
  EXPECT_EQ(bench.hdd.statistics().operations[1].bytes, 14 * kDiskSector);
}

TEST(HddQueue, WithholdsAcceptanceWhenItIsFull) {
  HddConfig config = plain_disk();
  config.queue_depth = 2;
  DiskBench bench(config);
  for (const std::uint64_t sector : {10, 20, 30}) bench.read(sector);
  DiskBench::run();
  EXPECT_EQ(bench.ios[1].at.accepted, 0U);
  EXPECT_EQ(bench.ios[2].at.accepted, 1'100 * kMicrosecond);
  EXPECT_EQ(bench.ios[2].breakdown.of(LatencyPart::Backlog), 1'100 * kMicrosecond);
  EXPECT_EQ(bench.ios[1].breakdown.of(LatencyPart::DiskWait), 1'100 * kMicrosecond - 2 * kOverhead);
  for (const DiskBench::Io& io : bench.ios) EXPECT_EQ(io.breakdown.sum(), io.latency());
}

// One read far away among many that are near: the bound brings it about.
TEST(HddQueue, NoCommandWaitsForEver) {
  HddConfig config = plain_disk();
  config.order = "satf";
  config.max_wait = 200 * kMillisecond;
  DiskBench bench(config);
  std::uint64_t sent = 0;
  bench.on_complete = [&](DiskBench::Io&) {
    if (++sent < 400) bench.read(sent * 37 % 200);
  };
  DiskBench::Io& far = bench.make(IoOperation::Read, 299'000 * kDiskSector, kDiskSector);
  for (std::uint64_t i = 0; i < 8; ++i) bench.read(i * 11);
  bench.send(far);
  DiskBench::run();
  EXPECT_GT(far.latency(), config.max_wait);
  EXPECT_LT(far.latency(), config.max_wait + 60 * kMillisecond);
}

/// Reads and writes near the head, 8 at a time, until a flush of three sectors far away is over, or 2,000 were sent.
DiskBench::Io& flush_among_others(DiskBench& bench, bool writes) {
  bench.write(299'000);
  bench.write(250'000);
  bench.write(200'000);
  DiskBench::run_until(kMillisecond);  // all is in the cache, the arm on its way to the first
  DiskBench::Io& flush = bench.make(IoOperation::Flush, 0, 0);
  std::uint64_t sent = 0;
  bench.on_complete = [&bench, &flush, sent, writes](DiskBench::Io&) mutable {
    if (flush.done || ++sent > 2000) return;
    if (writes && sent % 8 == 0)
      bench.write(sent * 41 % 200);
    else
      bench.read(sent * 37 % 200);
  };
  for (std::uint64_t i = 0; i < 8; ++i) bench.read(i * 11);
  bench.send(flush);
  DiskBench::run();
  return flush;
}

HddConfig never_waiting_long() {
  HddConfig config = caching();
  config.order = "satf";
  config.max_wait = 200 * kMillisecond;
  return config;
}

// Reads are always nearer than what a flush waits for: from the bound on it has the arm.
TEST(HddQueue, NoFlushWaitsForEver) {
  const HddConfig config = never_waiting_long();
  DiskBench bench(config);
  const DiskBench::Io& flush = flush_among_others(bench, false);
  EXPECT_GT(flush.latency(), config.max_wait);
  EXPECT_LT(flush.latency(), config.max_wait + 100 * kMillisecond);
  EXPECT_EQ(flush.breakdown.sum(), flush.latency());
}

// And what was written after it came is no part of it.
TEST(HddQueue, AFlushDoesNotWaitForLaterWrites) {
  const HddConfig config = never_waiting_long();
  DiskBench bench(config);
  const DiskBench::Io& flush = flush_among_others(bench, true);
  EXPECT_GT(flush.latency(), config.max_wait);
  EXPECT_LT(flush.latency(), config.max_wait + 100 * kMillisecond);
}

// Of a write under way what the head has passed is new: sectors 30 to 34 at 3.55 ms. The cache is lost.
TEST(HddPower, ACutTearsWritesBySectors) {
  DiskBench bench(caching());
  bench.write(30, 10, 7);
  bench.write(150'000, 1, 8);
  DiskBench::run_until(3'550 * kMicrosecond);
  EXPECT_EQ(bench.peek(39 * kDiskSector), 7U);  // a read would return the cache's
  EXPECT_EQ(bench.peek(150'000 * kDiskSector), 8U);
  DiskBench::Io& open = bench.read(60'000);
  DiskBench::run_for(kMicrosecond);
  bench.hdd.power_cut(kSecond);
  EXPECT_EQ(open.status, IoStatus::PowerLost);
  EXPECT_EQ(open.breakdown.sum(), 0U);
  EXPECT_EQ(bench.hdd.statistics().power_lost, 1U);
  for (std::uint64_t sector = 30; sector < 40; ++sector)
    EXPECT_EQ(bench.peek(sector * kDiskSector + 512), sector < 35 ? 7U : 0U) << sector;
  EXPECT_EQ(bench.peek(150'000 * kDiskSector), 0U);
  // Commands wait for the power.
  DiskBench::Io& early = bench.read(30);
  DiskBench::run_for(kSecond);
  Picoseconds ready = 0;
  bench.hdd.power_on([&] { ready = kernel_now(); });
  const Picoseconds on = kernel_now();
  DiskBench::run();
  EXPECT_EQ(ready, on + plain_disk().spin_up_time);
  EXPECT_EQ(early.status, IoStatus::Ok);
  EXPECT_EQ(early.contents[0], 7U);
  EXPECT_GT(early.at.complete, ready);
  EXPECT_EQ(early.breakdown.sum(), early.latency());
  EXPECT_EQ(early.breakdown.of(LatencyPart::Power), ready - early.at.submit);
}

// A part of a sector is written in the second revolution: in the first nothing is torn.
TEST(HddPower, ACutBeforeTheRewriteLeavesAllAsItWas) {
  DiskBench bench(plain_disk());
  bench.send(IoOperation::Write, 30 * kDiskSector, 512, 7);
  DiskBench::run_until(3'150 * kMicrosecond);
  bench.hdd.power_cut(kSecond);
  EXPECT_EQ(bench.peek(30 * kDiskSector), 0U);
}

TEST(HddPower, CutsComeAtAnyTime) {
  DiskBench bench(caching());
  bench.write(30, 1, 7);
  bench.hdd.power_cut(kMillisecond);  // the data are not there yet
  EXPECT_EQ(bench.peek(30 * kDiskSector), 0U);
  DiskBench::run_for(kMillisecond);
  bench.hdd.power_on([] { FAIL(); });
  DiskBench::run_for(kMillisecond);
  bench.write(31, 1, 7);
  bench.hdd.power_cut(kMillisecond);  // spinning up
  EXPECT_EQ(bench.ios[1].status, IoStatus::PowerLost);
  DiskBench::run_for(kMillisecond);
  bool ready = false;
  bench.hdd.power_on([&] { ready = true; });
  DiskBench::run();
  EXPECT_TRUE(ready);
  EXPECT_EQ(bench.finish(bench.read(30)).status, IoStatus::Ok);
  bench.ledger.finish(kernel_now());  // residencies add to the time
}

Picoseconds residency(const EnergyReport& report, const std::string& state) {
  for (const ComponentEnergy::State& s : report.components.at(0).states)
    if (s.name == state) return s.residency;
  ADD_FAILURE() << state;
  return 0;
}

// A seek of 1 ms, 0.95 ms on the track, the rest idle.
TEST(HddEnergy, OfOneRead) {
  DiskBench bench(plain_disk());
  bench.read(203);
  DiskBench::run_until(kSecond);
  bench.ledger.finish(kSecond);
  const EnergyReport report = bench.ledger.report();
  EXPECT_EQ(residency(report, "seek"), kMillisecond);
  EXPECT_EQ(residency(report, "transfer"), 950 * kMicrosecond);
  EXPECT_EQ(residency(report, "idle"), kSecond - 1'950 * kMicrosecond);
  EXPECT_NEAR(report.total_j, 5.4 * 0.99805 + 9.3 * 1e-3 + 8.0 * 0.95e-3, 1e-9);
  EXPECT_EQ(report.operations.at("hdd.seek").intervals, 1U);
}

// Reading ahead draws power though nothing wakes: 32 sectors.
TEST(HddEnergy, OfReadingAhead) {
  DiskBench bench(reading_ahead());
  bench.read(10);
  DiskBench::run_until(kSecond);
  bench.ledger.finish(kSecond);
  EXPECT_EQ(residency(bench.ledger.report(), "transfer"), 950 * kMicrosecond + 33 * 100 * kMicrosecond);
}

// The head reads ahead for a command that the controller has still: what is written back meanwhile waits for it.
TEST(HddEnergy, OfAnArmThatReadsAheadForTheNextCommand) {
  HddConfig config = reading_ahead();
  config.write_cache = true;
  config.command_overhead = kMillisecond;
  DiskBench bench(config);
  bench.on_complete = [&](DiskBench::Io& io) {
    if (io.offset != 10 * kDiskSector) return;
    bench.write(50'000);
    bench.read(11);
  };
  bench.read(10);
  DiskBench::run();
  ASSERT_EQ(bench.completed.size(), 3U);
  EXPECT_EQ(bench.hdd.statistics().media.writes, 1U);
  bench.ledger.finish(kernel_now());  // written back: the arm was idle while the first command came, and never again
  EXPECT_EQ(residency(bench.ledger.report(), "idle"), kMillisecond);
}

// Idle from 3.1 ms on, standby 2 s later; a read at 10 s spins it up for 13.5 s; standby again. Off for a second.
TEST(HddEnergy, OfStandby) {
  HddConfig config = plain_disk();
  config.standby_after = 2 * kSecond;
  DiskBench bench(config);
  bench.finish(bench.read(30));
  const std::uint64_t wakes = bench.hdd.wakes();
  DiskBench::run_until(10 * kSecond);
  EXPECT_EQ(bench.hdd.wakes(), wakes);
  DiskBench::Io& late = bench.finish(bench.read(30));
  // Back on its track at 23.50005 s, an angle of 50 us.
  EXPECT_EQ(late.latency(), kOverhead + 13'500 * kMillisecond + 3'100 * kMicrosecond - kOverhead + kLink);
  EXPECT_EQ(late.breakdown.of(LatencyPart::Power), 13'500 * kMillisecond);
  EXPECT_EQ(bench.hdd.statistics().spin_ups, 1U);
  EXPECT_EQ(bench.hdd.statistics().spin_up_time, 13'500 * kMillisecond);
  DiskBench::run_until(30 * kSecond);
  bench.hdd.power_cut(kSecond);
  DiskBench::run_for(kSecond);
  bench.hdd.power_on([] {});
  DiskBench::run();
  bench.ledger.finish(45 * kSecond);
  const EnergyReport report = bench.ledger.report();
  const Picoseconds before = 2 * kSecond + 3'100 * kMicrosecond;
  const Picoseconds again = 23'503'100 * kMicrosecond + 2 * kSecond;
  EXPECT_EQ(residency(report, "standby"), 10 * kSecond + kOverhead - before + 30 * kSecond - again);
  EXPECT_EQ(residency(report, "spin_up"), 27 * kSecond);
  EXPECT_EQ(residency(report, "off"), kSecond);
  EXPECT_EQ(residency(report, "transfer"), 2 * 3'050 * kMicrosecond);
  Picoseconds sum = 0;
  for (const ComponentEnergy::State& state : report.components.at(0).states) sum += state.residency;
  EXPECT_EQ(sum, 45 * kSecond);
  const double idle = static_cast<double>(residency(report, "idle")) * 1e-12;
  const double standby = static_cast<double>(residency(report, "standby")) * 1e-12;
  EXPECT_NEAR(report.total_j, 5.4 * idle + 0.75 * standby + 20.0 * 27 + 8.0 * 6.1e-3, 1e-6);
}

}  // namespace
}  // namespace flashloom::hdd_cache_test
