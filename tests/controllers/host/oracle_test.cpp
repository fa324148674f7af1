// The oracle's judgement of hand-made histories.
#include "controllers/host/oracle.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "tests/controllers/host/oracle_bench.hpp"

namespace flashloom::oracle_test {
namespace {

TEST(Oracle, NumbersWritesInTheirTokens) {
  Bench bench;
  const auto& first = bench.begin_write(8, 3);
  EXPECT_EQ(first.tokens, (std::vector<SectorToken>{1, 1, 1}));
  EXPECT_EQ(bench.begin_write(0, 1).tokens, (std::vector<SectorToken>{2}));
}

TEST(Oracle, NewSectorsAreZero) {
  Bench bench;
  EXPECT_TRUE(bench.reads(5, {0, 0}));
  EXPECT_FALSE(bench.reads(5, {0, 1}));
  EXPECT_EQ(bench.oracle.mismatches(), 1u);
  EXPECT_EQ(bench.oracle.reads_checked(), 4u);
  EXPECT_NE(bench.oracle.first_mismatch().find("sector 6 "), std::string::npos) << bench.oracle.first_mismatch();
}

TEST(Oracle, AReadReturnsTheLatestAcknowledgedWrite) {
  Bench bench;
  const SectorToken old = bench.write(0, 4);
  const SectorToken young = bench.write(1, 2);
  EXPECT_TRUE(bench.reads(0, {old, young, young, old, 0}));
  EXPECT_FALSE(bench.reads(1, {old}));    // stale after a newer one has completed
  EXPECT_FALSE(bench.reads(2, {0}));      // lost
  EXPECT_FALSE(bench.reads(3, {young}));  // misplaced
  EXPECT_EQ(bench.oracle.mismatches(), 3u);
}

// The device refuses to write a page of the host's cache: a read may return the cached page, or older data of the
// device.
TEST(Oracle, AWriteThatIsGivenUpLeavesAnyOlderOne) {
  Bench bench;
  const SectorToken old = bench.write();
  auto& refused = bench.begin_write();
  const SectorToken young = refused.tokens.front();
  bench.end(refused);
  EXPECT_FALSE(bench.reads(0, {old}));
  bench.oracle.given_up(refused.io);
  EXPECT_TRUE(bench.reads(0, {young}));
  EXPECT_TRUE(bench.reads(0, {old}));
  EXPECT_TRUE(bench.reads(0, {0}));
  EXPECT_FALSE(bench.reads(0, {young + 1}));
  EXPECT_FALSE(bench.reads(1, {old})) << "the sector beside it";
  const SectorToken next = bench.write();
  EXPECT_TRUE(bench.reads(0, {next}));
  EXPECT_FALSE(bench.reads(0, {young}));
  EXPECT_FALSE(bench.reads(0, {old}));
}

TEST(Oracle, AWriteInFlightMayBeSeenOrNot) {
  Bench bench;
  const SectorToken old = bench.write();
  auto& write = bench.begin_write();
  const SectorToken young = write.tokens.front();
  auto& one = bench.begin(IoOperation::Read);
  auto& two = bench.begin(IoOperation::Read);
  EXPECT_TRUE(bench.accepts(one, {old}));
  EXPECT_TRUE(bench.accepts(two, {young}));
  bench.end(write);
  EXPECT_TRUE(bench.reads(0, {young}));
  EXPECT_FALSE(bench.reads(0, {old}));
}

TEST(Oracle, AReadUnderWayWhenAWriteCompletesMayReturnWhatWasBefore) {
  Bench bench;
  const SectorToken old = bench.write();
  auto& read = bench.begin(IoOperation::Read);
  bench.write();
  EXPECT_TRUE(bench.accepts(read, {old}));
  EXPECT_FALSE(bench.reads(0, {old}));
}

TEST(Oracle, AReadNeverReturnsAWriteThatBeganAfterIt) {
  Bench bench;
  auto& read = bench.begin(IoOperation::Read);
  EXPECT_FALSE(bench.accepts(read, {1}));
  EXPECT_EQ(bench.write(), 1u);
}

TEST(Oracle, OverlappingWritesLeaveEither) {
  for (const bool first_wins : {false, true}) {
    Bench bench;
    const SectorToken before = bench.write();
    auto& one = bench.begin_write();
    auto& two = bench.begin_write();
    const SectorToken tokens[] = {two.tokens.front(), one.tokens.front()};
    bench.end(two);
    bench.end(one);
    EXPECT_FALSE(bench.reads(0, {before}));
    EXPECT_TRUE(bench.reads(0, {tokens[first_wins ? 1 : 0]}));
    EXPECT_FALSE(bench.reads(0, {tokens[first_wins ? 0 : 1]}));  // the first read showed the other write
  }
}

TEST(Oracle, AWriteThatEndedBeforeAnotherBeganIsReplaced) {
  Bench bench;
  auto& slow = bench.begin_write();  // overlaps both
  const SectorToken of_slow = slow.tokens.front();
  const SectorToken old = bench.write();
  const SectorToken young = bench.write();
  bench.end(slow);
  EXPECT_FALSE(bench.reads(0, {old}));
  EXPECT_TRUE(bench.reads(0, {young}) || bench.reads(0, {of_slow}));
}

TEST(Oracle, TrimmedUnitsAreZeroAndPartsOfUnitsStay) {
  Bench bench;
  const SectorToken token = bench.write(0, 12);
  bench.trim(2, 8);  // sectors 2 to 9: only unit 1 (4 to 7) is whole
  EXPECT_TRUE(bench.reads(0, {token, token, token, token, 0, 0, 0, 0, token, token, token, token}));
  EXPECT_FALSE(bench.reads(4, {token}));
  EXPECT_FALSE(bench.reads(2, {0}));
  bench.trim(1, 2);  // no whole unit
  EXPECT_TRUE(bench.reads(0, {token, token, token, token}));
  const SectorToken again = bench.write(5);
  EXPECT_TRUE(bench.reads(4, {0, again, 0, 0}));
}

TEST(Oracle, AWriteThatOverlapsTheDiscardOfEmptySectorsLeavesEither) {
  for (const bool zeroes_win : {false, true}) {
    for (const bool write_ends_first : {false, true}) {
      Bench bench;
      auto& trim = bench.begin(IoOperation::Trim, 0, 8);
      auto& write = bench.begin_write(4, 2);
      const SectorToken token = write.tokens.front();
      EXPECT_TRUE(bench.reads(3, {0, 0, token, 0}));
      bench.end(write_ends_first ? write : trim);
      bench.end(write_ends_first ? trim : write);
      const SectorToken left = zeroes_win ? 0 : token;
      EXPECT_TRUE(bench.reads(4, {left}));
      EXPECT_FALSE(bench.reads(4, {zeroes_win ? token : 0}));  // the first read showed which
      EXPECT_FALSE(bench.reads(6, {token}));
    }
  }
}

TEST(Oracle, AWriteAfterTheDiscardOfEmptySectorsReplacesIt) {
  Bench bench;
  bench.end(bench.begin(IoOperation::WriteZeroes, 0, 8));
  const SectorToken token = bench.write(4);
  EXPECT_FALSE(bench.reads(4, {0}));
  EXPECT_TRUE(bench.reads(3, {0, token, 0}));
}

TEST(Oracle, FailedReadsAreNotJudged) {
  Bench bench;
  bench.write();
  auto& read = bench.begin(IoOperation::Read);
  bench.end(read, IoStatus::MediaError);
  EXPECT_EQ(bench.oracle.mismatches(), 0u);
  EXPECT_EQ(bench.oracle.reads_checked(), 0u);
}

TEST(Oracle, TouchedRangesCoverWhatWasWritten) {
  Bench bench;
  bench.trim(0, 16);  // of zeroes
  EXPECT_TRUE(bench.oracle.touched_ranges(1 << 20).empty());
  bench.write(9, 2);
  const auto covered = [&](std::uint64_t sector) {
    for (const auto& [offset, length] : bench.oracle.touched_ranges(1 << 20))
      if (offset <= sector * kSector && (sector + 1) * kSector <= offset + length) return true;
    return false;
  };
  EXPECT_TRUE(covered(9));
  EXPECT_TRUE(covered(10));
}

TEST(OracleMemory, TheDiscardOfALargeEmptyDriveKeepsNothing) {
  constexpr std::uint64_t kTera = 1'000'000'000'000 / 4096 * 4096;
  for (const bool power_cuts : {false, true}) {
    Oracle oracle({.capacity_bytes = kTera,
                   .sector_bytes = kSector,
                   .unit_bytes = 4096,
                   .durable_writes = false,
                   .power_cuts = power_cuts});
    IoCommand write;
    SectorToken token = 0;
    write.operation = IoOperation::Write;
    write.offset = kTera / 2;
    write.length = kSector;
    write.tokens = &token;
    oracle.submitted(write);
    oracle.completed(write);
    IoCommand trim;
    trim.operation = IoOperation::Trim;
    trim.length = kTera;
    oracle.submitted(trim);
    EXPECT_EQ(oracle.histories(), 64U);  // of the group that was written
    oracle.completed(trim);
    EXPECT_EQ(oracle.touched_ranges(kTera).size(), 1U);
    EXPECT_EQ(oracle.touched_ranges(kTera).front().second, 64 * kSector);
  }
}

TEST(OracleMemory, AWriteThatIsDoneLeavesItsTokenOnly) {
  Bench bench;
  bench.write(0, 8);
  EXPECT_EQ(bench.histories(), 0U);
  bench.write(4, 8);
  bench.trim(0, 4);
  EXPECT_EQ(bench.histories(), 0U);
  EXPECT_TRUE(bench.reads(0, {0, 0, 0, 0, 2, 2}));
  EXPECT_FALSE(bench.reads(4, {1}));
  EXPECT_FALSE(bench.reads(8, {1}));
}

// A read that was in flight before the write may return the old version; a later read may not.
TEST(OracleMemory, OldVersionsStayForTheReadsThatAreInFlight) {
  Bench bench;
  bench.write(0, 2);
  auto& early = bench.begin(IoOperation::Read, 0, 2);
  bench.write(0, 2);
  auto& late = bench.begin(IoOperation::Read, 0, 2);
  auto& other = bench.begin(IoOperation::Read, 8, 1);
  EXPECT_EQ(bench.histories(), 2U);
  EXPECT_TRUE(bench.accepts(early, {1, 2}));
  EXPECT_EQ(bench.histories(), 0U);
  EXPECT_FALSE(bench.accepts(late, {2, 1}));
  EXPECT_TRUE(bench.accepts(other, {0}));
}

// Reads of other sectors are always in flight, each overlapping the next: finished reads keep no history open.
TEST(OracleMemory, ReadsThatOverlapEachOtherKeepNothing) {
  Bench bench;
  auto* read = &bench.begin(IoOperation::Read, 60, 1);
  for (std::uint64_t sector = 0; sector < 48; ++sector) {
    bench.write(sector);
    auto& next = bench.begin(IoOperation::Read, 60, 1);
    EXPECT_TRUE(bench.accepts(*read, {0}));
    read = &next;
    EXPECT_EQ(bench.histories(), 0U);
    bench.write(sector);
    EXPECT_EQ(bench.histories(), 1U);
  }
}

TEST(OracleMemory, AFlushClosesWhatACutCouldBringBack) {
  Bench bench(true);
  bench.write(0, 8);
  bench.write(2, 2);
  bench.write(20, 4, true);
  EXPECT_EQ(bench.histories(), 8U);
  auto& flush = bench.begin(IoOperation::Flush);
  bench.write(30);
  bench.end(flush);
  EXPECT_EQ(bench.histories(), 1U);  // the write ended after the flush began
  EXPECT_FALSE(bench.reads(0, {0}));
  EXPECT_FALSE(bench.reads(2, {1}));
  bench.oracle.power_cut();
  EXPECT_FALSE(bench.reads(2, {1}));
  EXPECT_TRUE(bench.reads(0, {1, 1, 2, 2}));
  EXPECT_TRUE(bench.reads(30, {0}));
  EXPECT_EQ(bench.histories(), 0U);
}

TEST(OracleMemory, AFlushDuringAReadClosesWhenTheReadIsDone) {
  Bench bench(true);
  bench.write(0, 2);
  bench.flush();
  auto& read = bench.begin(IoOperation::Read, 0, 2);
  bench.write(0, 2);
  bench.flush();
  EXPECT_EQ(bench.histories(), 2U);
  EXPECT_TRUE(bench.accepts(read, {1, 2}));
  EXPECT_EQ(bench.histories(), 0U);
  EXPECT_FALSE(bench.reads(0, {1}));
}

TEST(OracleMemory, ACutClosesWhereOneVersionIsLeft) {
  Bench bench(true);
  bench.write(0, 4);
  bench.write(1);
  bench.oracle.power_cut(true);
  EXPECT_EQ(bench.histories(), 0U);
  EXPECT_FALSE(bench.reads(1, {1}));
  EXPECT_TRUE(bench.reads(0, {1, 2, 1, 1}));
}

// A write given up no longer counts once a later write was acknowledged, even if that one is trimmed and long
// forgotten.
TEST(OracleMemory, AWriteGivenUpEndsWithTheNextOne) {
  Bench bench;
  auto& refused = bench.begin_write(0, kUnit);
  bench.end(refused);
  bench.oracle.given_up(refused.io);
  EXPECT_TRUE(bench.reads(0, {0, 1}));
  EXPECT_EQ(bench.histories(), kUnit);
  bench.write(0, kUnit);
  EXPECT_EQ(bench.histories(), 0U);
  bench.trim(0, kUnit);
  EXPECT_TRUE(bench.reads(0, {0, 0}));
  EXPECT_FALSE(bench.reads(0, {1}));
}

// All 2^20 sectors are written: each costs a token of 4 bytes, not some 160 bytes of history.
TEST(OracleMemory, TakesFourBytesASector) {
  constexpr std::uint64_t kSectors = std::uint64_t{1} << 20;
  constexpr std::uint64_t kAtOnce = 8;
  Oracle oracle({.capacity_bytes = kSectors * kSector,
                 .sector_bytes = kSector,
                 .unit_bytes = kUnit * kSector,
                 .durable_writes = false,
                 .power_cuts = false});
  const auto resident_bytes = [] {
    constexpr std::uint64_t kPage = 4096;
    std::uint64_t size = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * kPage;
  };
  const std::uint64_t before = resident_bytes();
  std::vector<SectorToken> tokens(kAtOnce);
  for (std::uint64_t first = 0; first < kSectors; first += kAtOnce) {
    IoCommand write;
    write.operation = IoOperation::Write;
    write.offset = first * kSector;
    write.length = kAtOnce * kSector;
    write.tokens = tokens.data();
    oracle.submitted(write);
    oracle.completed(write);
  }
#ifndef __SANITIZE_ADDRESS__  // which keeps what was freed
  EXPECT_LT(resident_bytes(), before + 8 * kSectors);
#endif
  EXPECT_EQ(oracle.histories(), 0U);
}

// The device places the append before the reset or behind it; the host learns which when the append completes.
TEST(OracleOfZones, AnAppendUnderWayMayComeBeforeAResetOrBehind) {
  for (const bool before : {true, false}) {
    Bench bench(false, false, false, 8);
    Bench::Command& first = bench.begin(IoOperation::ZoneAppend, 0, 1);
    first.io.placed = 0;
    bench.end(first);
    Bench::Command& append = bench.begin(IoOperation::ZoneAppend, 0, 1, true);
    const SectorToken token = append.tokens.front();
    bench.end(bench.begin(IoOperation::ZoneReset, 0, 8));
    append.io.placed = kSector;
    bench.end(append);
    EXPECT_FALSE(bench.reads(0, {1}));
    EXPECT_TRUE(bench.reads(1, {before ? 0 : token}));
    EXPECT_FALSE(bench.reads(1, {before ? token : 0})) << "it has been seen otherwise";
  }
}

}  // namespace
}  // namespace flashloom::oracle_test
