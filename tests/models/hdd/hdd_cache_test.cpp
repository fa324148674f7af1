// Read-ahead, the write cache, flushes, queueing and power.
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

// By 4.3 ms the disk has read sectors 10 to 41. At 3 ms it serves 11 to 25 from its buffer at once; a read of a sector
// still to come waits for the head.
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
  DiskBench::run_until(50 * kMillisecond);  // the read-ahead is over: 39 + 2 + 32 sectors
  EXPECT_EQ(bench.finish(bench.read(72)).latency(), kOverhead + kLink);
  EXPECT_EQ(bench.finish(bench.read(10)).status, IoStatus::Ok);
  EXPECT_EQ(bench.hdd.statistics().read_hits, 3U);  // 10 to 72 are 63 sectors: the segment holds 64
  bench.ledger.finish(kernel_now());
}

TEST(HddReadAhead, EndsForOtherWork) {
  DiskBench bench(reading_ahead());
  bench.read(10);
  DiskBench::run_until(1'500 * kMicrosecond);  // the read-ahead has come to sector 14
  bench.finish(bench.read(50'000));
  bench.hdd.reset_statistics();
  bench.finish(bench.read(11, 4));
  EXPECT_EQ(bench.hdd.statistics().read_hits, 1U);
  bench.finish(bench.read(16));
  EXPECT_EQ(bench.hdd.statistics().read_hits, 1U);
}

// A slow reader: the disk reads ahead again when half of its buffer is used.
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

// The disk acknowledges a write from memory and writes it when idle; a flush waits for that.
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

// A FUA write completes on the platter and does not wait for a plain write beside it.
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

// The buffer has room for three sectors: the fourth write waits.
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
  // A write larger than the buffer comes in pieces.
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

// One read is far away among many near ones: max_wait bounds its wait.
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

/// Sends requests near the head, reads and with `writes` some writes, until a flush of three sectors far away is over
/// or 2,000 were sent.
DiskBench::Io& flush_among_others(DiskBench& bench, bool writes) {
  bench.write(299'000);
  bench.write(250'000);
  bench.write(200'000);
  DiskBench::run_until(kMillisecond);  // all writes are in the cache, and the arm moves to the first
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

// Reads are always nearer than the sectors that a flush waits for: after max_wait the flush gets the arm.
TEST(HddQueue, NoFlushWaitsForEver) {
  const HddConfig config = never_waiting_long();
  DiskBench bench(config);
  const DiskBench::Io& flush = flush_among_others(bench, false);
  EXPECT_GT(flush.latency(), config.max_wait);
  EXPECT_LT(flush.latency(), config.max_wait + 100 * kMillisecond);
  EXPECT_EQ(flush.breakdown.sum(), flush.latency());
}

// A flush does not wait for data that were written after it came.
TEST(HddQueue, AFlushDoesNotWaitForLaterWrites) {
  const HddConfig config = never_waiting_long();
  DiskBench bench(config);
  const DiskBench::Io& flush = flush_among_others(bench, true);
  EXPECT_GT(flush.latency(), config.max_wait);
  EXPECT_LT(flush.latency(), config.max_wait + 100 * kMillisecond);
}

// A cut at 3.55 ms leaves those sectors new that the head has written: 30 to 34. The cache is lost.
TEST(HddPower, ACutTearsWritesBySectors) {
  DiskBench bench(caching());
  bench.write(30, 10, 7);
  bench.write(150'000, 1, 8);
  DiskBench::run_until(3'550 * kMicrosecond);
  EXPECT_EQ(bench.peek(39 * kDiskSector), 7U);  // a read would return the cached sector
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
  // Commands wait for power.
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

// A partial sector is written in the second revolution: a cut in the first one tears nothing.
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
  bench.hdd.power_cut(kMillisecond);  // the data have not arrived yet
  EXPECT_EQ(bench.peek(30 * kDiskSector), 0U);
  DiskBench::run_for(kMillisecond);
  bench.hdd.power_on([] { FAIL(); });
  DiskBench::run_for(kMillisecond);
  bench.write(31, 1, 7);
  bench.hdd.power_cut(kMillisecond);  // while the disk spins up
  EXPECT_EQ(bench.ios[1].status, IoStatus::PowerLost);
  DiskBench::run_for(kMillisecond);
  bool ready = false;
  bench.hdd.power_on([&] { ready = true; });
  DiskBench::run();
  EXPECT_TRUE(ready);
  EXPECT_EQ(bench.finish(bench.read(30)).status, IoStatus::Ok);
  bench.ledger.finish(kernel_now());  // finish() checks that the residencies add up to the time
}

Picoseconds residency(const EnergyReport& report, const std::string& state) {
  for (const ComponentEnergy::State& s : report.components.at(0).states)
    if (s.name == state) return s.residency;
  ADD_FAILURE() << state;
  return 0;
}

// A read takes a seek of 1 ms and 0.95 ms on the track; the disk idles the rest of the second.
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

// Read-ahead of 32 sectors draws power although no event wakes the disk.
TEST(HddEnergy, OfReadingAhead) {
  DiskBench bench(reading_ahead());
  bench.read(10);
  DiskBench::run_until(kSecond);
  bench.ledger.finish(kSecond);
  EXPECT_EQ(residency(bench.ledger.report(), "transfer"), 950 * kMicrosecond + 33 * 100 * kMicrosecond);
}

// The head reads ahead for a command that is still in the controller: data to be written back wait for that command.
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
  bench.ledger.finish(kernel_now());  // all is written back: the arm was idle only while the first command came
  EXPECT_EQ(residency(bench.ledger.report(), "idle"), kMillisecond);
}

// The disk is idle from 3.1 ms on and in standby 2 s later; a read at 10 s spins it up for 13.5 s; it goes to standby
// again. Then it is off for a second.
TEST(HddEnergy, OfStandby) {
  HddConfig config = plain_disk();
  config.standby_after = 2 * kSecond;
  DiskBench bench(config);
  bench.finish(bench.read(30));
  const std::uint64_t wakes = bench.hdd.wakes();
  DiskBench::run_until(10 * kSecond);
  EXPECT_EQ(bench.hdd.wakes(), wakes);
  DiskBench::Io& late = bench.finish(bench.read(30));
  // The arm is back on its track at 23.50005 s, at an angle of 50 us.
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
