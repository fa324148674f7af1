// Single requests, worked by hand, to the tick.
#include "models/hdd/hdd.hpp"

#include <gtest/gtest.h>

#include "models/common/config_problem.hpp"
#include "tests/models/hdd/disk_bench.hpp"

namespace flashloom::hdd_test {
namespace {

constexpr Picoseconds kOverhead = 50 * kMicrosecond;
constexpr Picoseconds kLink = 4096 * kNanosecond;  // of a physical sector

// The head is over track 0. The controller is done at 50 us; sector 30 begins at 3 ms, and takes 100 us to read.
TEST(Hdd, ReadsASectorOfItsTrack) {
  DiskBench bench(plain_disk());
  EXPECT_EQ(bench.finish(bench.read(30)).latency(), 3'100 * kMicrosecond + kLink);
  const HddStatistics& statistics = bench.hdd.statistics();
  EXPECT_EQ(statistics.seeks, 0U);
  EXPECT_EQ(statistics.seek_time, 0U);
  EXPECT_EQ(statistics.rotation_time, 2'950 * kMicrosecond);
  EXPECT_EQ(statistics.transfer_time, 100 * kMicrosecond);
  EXPECT_EQ(statistics.operations[0].ios, 1U);
  EXPECT_EQ(statistics.operations[0].bytes, kDiskSector);
}

// The seek to cylinder 1 takes 1 ms and ends at 1.05 ms. Track 0 there is skewed by 1.6 ms: sector 3 begins at 1.9 ms.
TEST(Hdd, SeeksToTheNextCylinder) {
  DiskBench bench(plain_disk());
  const DiskBench::Io& io = bench.finish(bench.read(203));
  EXPECT_EQ(io.latency(), 2'000 * kMicrosecond + kLink);
  EXPECT_EQ(io.breakdown.of(LatencyPart::Cpu), kOverhead);
  EXPECT_EQ(io.breakdown.of(LatencyPart::Disk), 1'950 * kMicrosecond);
  EXPECT_EQ(io.breakdown.of(LatencyPart::Link), kLink);
  EXPECT_EQ(io.breakdown.sum(), io.latency());
  EXPECT_EQ(bench.hdd.statistics().seeks, 1U);
  EXPECT_EQ(bench.hdd.statistics().seek_cylinders, 1U);
  EXPECT_EQ(bench.hdd.statistics().seek_time, kMillisecond);
}

// The other head is ready at 0.45 ms; its sector 0 begins at 0.5 ms.
TEST(Hdd, SwitchesHeads) {
  DiskBench bench(plain_disk());
  EXPECT_EQ(bench.finish(bench.read(100)).latency(), 600 * kMicrosecond + kLink);
  EXPECT_EQ(bench.hdd.statistics().seeks, 0U);
}

TEST(Hdd, MissesASector) {
  HddConfig config = plain_disk();
  config.command_overhead = 101 * kMicrosecond;  // head 1 at 0.501 ms
  DiskBench bench(config);
  EXPECT_EQ(bench.finish(bench.read(100)).latency(), kRevolution + 600 * kMicrosecond + kLink);
}

// A full stroke of 11 ms to cylinder 1999, which is skewed by 1999 x 1.6 ms mod 10 ms = 8.4 ms, and head 1 by 0.5 more:
// 8.9 ms. The arm arrives at 11.05 ms; sector 11, at 200 us each, begins at 21.1 ms (1.1 ms mod 10).
TEST(Hdd, SeeksOverAllCylinders) {
  DiskBench bench(plain_disk());
  const DiskBench::Io& io = bench.finish(bench.read(300'000 - 50 + 11));
  EXPECT_EQ(io.latency(), 11'300 * kMicrosecond + kLink);
  EXPECT_EQ(bench.hdd.statistics().seek_cylinders, 1999U);
}

// 350 sectors: tracks 0 and 1 of cylinder 0, and one and a half of cylinder 1. In a sequential read a switch costs the
// skew.
TEST(Hdd, ReadsOverTracksWithoutLosingARevolution) {
  DiskBench bench(plain_disk());
  // The first sector comes at 10 ms; three and a half tracks follow, with 0.5 + 1.1 + 0.5 ms between them.
  EXPECT_EQ(bench.finish(bench.read(0, 350)).latency(), (10'000 + 35'000 + 2'100) * kMicrosecond + kLink);
  EXPECT_EQ(bench.hdd.statistics().transfer_time, (35'000 + 2'100) * kMicrosecond);
}

// Data cross the link while they are read if the link is fast enough; a slower link sets the time.
TEST(Hdd, TheLinkMayBeSlower) {
  HddConfig config = plain_disk();
  config.link_rate = 100'000'000;  // 100 ns a byte: 409.6 us a sector, 100 us under the head
  DiskBench bench(config);
  // The first of ten sectors has been read at 1.1 ms.
  EXPECT_EQ(bench.finish(bench.read(10, 10)).latency(), 1'100 * kMicrosecond + 4'096 * kMicrosecond);
}

// Write-through: the data are in 4.096 us after the overhead, at 54.096 us. Then as a read: on track 0 the arm need not
// settle.
TEST(Hdd, WritesThrough) {
  DiskBench bench(plain_disk());
  const DiskBench::Io& io = bench.finish(bench.write(30, 1, 7));
  EXPECT_EQ(io.latency(), 3'100 * kMicrosecond);
  EXPECT_EQ(io.breakdown.of(LatencyPart::Link), kLink);
  EXPECT_EQ(io.breakdown.sum(), io.latency());
  EXPECT_EQ(bench.peek(30 * kDiskSector), 7U);
  EXPECT_EQ(bench.peek(31 * kDiskSector), 0U);
  EXPECT_EQ(bench.hdd.statistics().cached_writes, 0U);
}

// To the next cylinder a write takes 1.1 ms, and reaches sector 0 there at 1.6 ms; to a far cylinder it takes 0.5 ms
// longer than a read.
TEST(Hdd, WritesSettle) {
  DiskBench bench(plain_disk());
  EXPECT_EQ(bench.finish(bench.write(200)).latency(), 1'700 * kMicrosecond);
  EXPECT_EQ(bench.hdd.statistics().seek_time, 1'100 * kMicrosecond);
  bench.hdd.reset_statistics();
  bench.finish(bench.read(0));
  bench.finish(bench.write(400));
  const Picoseconds back = kMillisecond;
  const SeekCurve seek(kMillisecond, 6 * kMillisecond, 11 * kMillisecond, 2000);
  EXPECT_EQ(bench.hdd.statistics().seek_time, back + seek(2) + 500 * kMicrosecond);
}

// 512e: a partly written sector is read, and written a revolution later; the rest of it stays.
TEST(Hdd, WritesPartsOfASectorARevolutionLater) {
  DiskBench bench(plain_disk());
  bench.finish(bench.write(30, 1, 7));
  const Picoseconds begin = kernel_now();  // 3.1 ms
  DiskBench::Io& part = bench.finish(bench.send(IoOperation::Write, 30 * kDiskSector + 1024, 512, 8));
  EXPECT_EQ(begin + part.latency(), 2 * kRevolution + 3'100 * kMicrosecond);
  EXPECT_EQ(bench.peek(30 * kDiskSector + 512), 7U);
  EXPECT_EQ(bench.peek(30 * kDiskSector + 1024), 8U);
  EXPECT_EQ(bench.peek(30 * kDiskSector + 1536), 7U);
  EXPECT_EQ(bench.hdd.statistics().media.read_modify_writes, 1U);
  // A whole sector and a part of the next one: one more pass for both.
  const Picoseconds again = kernel_now();
  DiskBench::Io& more = bench.finish(bench.send(IoOperation::Write, 40 * kDiskSector, 4096 + 512, 9));
  EXPECT_EQ(again + more.latency(), 3 * kRevolution + 4'200 * kMicrosecond);
  EXPECT_EQ(bench.peek(41 * kDiskSector), 9U);
  EXPECT_EQ(bench.peek(41 * kDiskSector + 512), 0U);
}

TEST(Hdd, ReadsReturnWhatWasWritten) {
  DiskBench bench(plain_disk());
  bench.write(5, 3, 11);
  bench.finish(bench.send(IoOperation::Write, 6 * kDiskSector + 512, 1024, 12));
  DiskBench::Io& io = bench.finish(bench.read(4, 5));
  for (std::size_t i = 0; i < 40; ++i)
    EXPECT_EQ(io.contents[i], i == 17 || i == 18 ? 12U : i >= 8 && i < 32 ? 11U : 0U) << i;
}

TEST(Hdd, RefusesWhatIsBeyondItsEnd) {
  DiskBench bench(plain_disk());
  const std::uint64_t end = bench.hdd.capacity_bytes();
  for (const IoOperation operation : {IoOperation::Read, IoOperation::Write, IoOperation::Trim}) {
    EXPECT_EQ(bench.finish(bench.send(operation, end - 4096, 8192, 3)).status, IoStatus::OutOfRange);
    EXPECT_EQ(bench.finish(bench.send(operation, ~std::uint64_t{0} - 511, 512, 3)).status, IoStatus::OutOfRange);
    EXPECT_EQ(bench.finish(bench.send(operation, end - 4096, 4096, 4)).status, IoStatus::Ok);
  }
  EXPECT_EQ(bench.peek(end - 512), 4U);  // the trim changed nothing
  EXPECT_EQ(bench.hdd.statistics().operations[0].ios, 1U);
}

TEST(Hdd, TrimsAndIdleFlushesCostTheControllerOnly) {
  DiskBench bench(plain_disk());
  EXPECT_EQ(bench.finish(bench.send(IoOperation::Trim, 0, 1 << 20)).latency(), kOverhead);
  EXPECT_EQ(bench.finish(bench.flush()).latency(), kOverhead);
  EXPECT_EQ(bench.hdd.statistics().operations[static_cast<std::size_t>(IoOperation::Trim)].bytes, 1U << 20);
}

TEST(Hdd, ServesAHostOf4KiBSectors) {
  DiskBench bench(plain_disk(), true, 4096);
  bench.finish(bench.write(9, 2, 5));
  EXPECT_EQ(bench.peek(10 * kDiskSector), 5U);
  EXPECT_EQ(bench.hdd.statistics().media.read_modify_writes, 0U);
}

TEST(Hdd, ImpossibleDisks) {
  EnergyLedger ledger;
  const auto refuse = [&ledger](const char* key, auto change) {
    HddConfig config = plain_disk();
    change(config);
    try {
      Hdd(key, config, 4096, false, ledger);
      ADD_FAILURE() << key;
    } catch (const ConfigProblem& problem) {
      EXPECT_EQ(problem.key(), std::string("hdd.") + key);
    }
  };
  refuse("physical_sector", [](HddConfig& c) { c.physical_sector = 512; });
  refuse("write_buffer", [](HddConfig& c) { c.write_buffer = 4095; });
  refuse("queue_depth", [](HddConfig& c) { c.queue_depth = 0; });
  refuse("link_rate", [](HddConfig& c) { c.link_rate = 0; });
  refuse("order", [](HddConfig& c) { c.order = "nearest"; });
}

}  // namespace
}  // namespace flashloom::hdd_test
