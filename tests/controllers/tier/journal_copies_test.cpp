// The journal of a tier on an SSD with unreadable sectors: two copies of each block, and what is left without both.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "models/common/split_mix.hpp"
#include "tests/controllers/tier/tier_bench.hpp"
#include "workloads/random.hpp"

namespace flashloom::journal_copies_test {
namespace {

constexpr std::uint64_t kSegment = TierBench::kSegment;
constexpr std::uint64_t kJournal = 8192;  // two blocks
constexpr std::uint64_t kJournals = 4 * kSegment;

struct Bench : TierBench {
  Bench() : TierBench("write_back") {
    config.journal = kJournal;
    bit_errors = true;
  }

  void settle() {
    while (!software().rests()) step();
  }
  void bring_in(Segment segment) {
    read(segment * kSegment);
    settle();
  }
  /// Makes the first copies of the journals unreadable, the second copies, or both.
  void lose(bool first, bool second) {
    cache.unreadable = [first, second](std::uint64_t sector) {
      const std::uint64_t at = sector * kSector;
      return at >= kJournals && (at < kJournals + 2 * kJournal ? first : second);
    };
  }
  void restart() {
    run(IoOperation::Flush);
    cut();
    start();
  }
};

class EitherCopy : public testing::TestWithParam<bool> {};

TEST_P(EitherCopy, WillDo) {
  const bool first = GetParam();
  Bench bench;
  bench.bring_in(1);
  bench.write(kSegment, 512, 6);
  ASSERT_TRUE(bench.software().dirty(0));
  bench.lose(first, !first);
  bench.restart();
  EXPECT_FALSE(bench.software().retired());
  EXPECT_TRUE(bench.software().dirty(0));
  EXPECT_EQ(bench.read(kSegment), 6U);
  // There are two copies again, in the journal of a new image: now the other copy may be lost.
  EXPECT_EQ(bench.software().image().version, 1U);
  bench.write(2 * kSegment, 512, 7);
  bench.settle();
  bench.lose(!first, first);
  bench.restart();
  EXPECT_FALSE(bench.software().retired());
  EXPECT_EQ(bench.read(kSegment), 6U);
  EXPECT_EQ(bench.read(2 * kSegment), 7U);
}

INSTANTIATE_TEST_SUITE_P(JournalCopies, EitherCopy, testing::Bool());

// Nobody knows what the SSD holds: a segment is served only after all of it was written.
TEST(JournalCopies, WithoutBothEverythingIsLost) {
  Bench bench;
  bench.bring_in(1);
  bench.write(kSegment, 512, 6);
  bench.lose(true, true);
  bench.restart();
  EXPECT_TRUE(bench.software().retired());
  for (Segment segment = 0; segment < 16; ++segment)
    EXPECT_EQ(bench.run(IoOperation::Read, segment * kSegment, 512), IoStatus::MediaError) << segment;
  EXPECT_EQ(bench.write(kSegment, kSegment, 9), IoStatus::Ok);
  bench.restart();
  EXPECT_EQ(bench.read(kSegment + 4096), 9U);
  EXPECT_EQ(bench.run(IoOperation::Read, 2 * kSegment, 512), IoStatus::MediaError);
}

TEST(JournalCopies, ASsdThatIsDeadAtAStartHasLostEverything) {
  TierBench bench("write_back");
  bench.config.ssd_fails_at = 10 * kSecond;
  bench.write(kSegment, kSegment, 5);
  while (!bench.software().rests()) TierBench::step();
  bench.write(kSegment, 512, 6);
  bench.run(IoOperation::Flush);
  sc_core::sc_start(10, sc_core::SC_SEC);
  bench.cut();
  bench.start();
  EXPECT_TRUE(bench.software().retired());
  EXPECT_EQ(bench.run(IoOperation::Read, kSegment, 512), IoStatus::MediaError) << "the HDD has an older version";
}

// A block whose second copy a cut has prevented counts and gets a second copy. Otherwise it would be taken for the
// journal's end once its first copy is lost.
TEST(JournalCopies, ABlockWithOneCopyGetsASecondOne) {
  Bench bench;
  bench.bring_in(1);
  bool cuts = false;
  bench.cache.on_command = [&](const IoCommand& command) {
    cuts = cuts || (command.operation == IoOperation::Write && command.offset >= kJournals + 2 * kJournal);
  };
  bench.submit(IoOperation::Write, kSegment, 512, 6);
  while (!cuts) sc_core::sc_start(1, sc_core::SC_US);
  bench.cut();
  bench.cache.on_command = nullptr;
  bench.start();
  EXPECT_TRUE(bench.software().dirty(0));
  bench.write(kSegment, 512, 7);
  bench.lose(true, false);
  bench.restart();
  EXPECT_TRUE(bench.software().dirty(0));
  EXPECT_EQ(bench.read(kSegment), 7U);
}

// Each copy of a block that is written turns out unreadable one time in ten. Cuts come at any instant; writes go one at
// a time, each with FUA. Acknowledged data are there or, once the SSD is retired, fail until they are overwritten.
class UnreadableCopies : public testing::TestWithParam<int> {};

TEST_P(UnreadableCopies, NeverBringOldData) {
  constexpr std::uint64_t kBlock = 4096;
  constexpr std::uint64_t kSectors = kSegment / kSector;
  Random random(static_cast<std::uint64_t>(GetParam()));
  Bench bench;
  std::set<std::uint64_t> bad;  // of the journals
  bench.cache.on_command = [&](const IoCommand& command) {
    if (command.operation == IoOperation::Read || command.offset < kJournals) return;
    for (std::uint64_t at = command.offset; at < command.offset + command.length; at += kBlock) bad.erase(at / kBlock);
    if (command.operation == IoOperation::Write && random.chance(0.1)) bad.insert(command.offset / kBlock);
  };
  bench.cache.unreadable = [&](std::uint64_t sector) { return bad.contains(sector * kSector / kBlock); };
  std::vector<SectorToken> expected(16 * kSectors);
  std::vector<bool> may_fail(16);
  SectorToken token = 0;
  int cuts = 0;
  bool retired = false;
  const auto check = [&](Segment segment, SectorToken struck_token) {
    const IoStatus status = bench.run(IoOperation::Read, segment * kSegment, kSegment);
    if (status != IoStatus::Ok) {
      ASSERT_TRUE(may_fail[segment]) << "segment " << segment << " after cut " << cuts;
      return;
    }
    may_fail[segment] = false;
    for (std::uint64_t i = 0; i < kSectors; ++i) {
      SectorToken& sector = expected[segment * kSectors + i];
      const SectorToken seen = bench.contents()[i];
      ASSERT_TRUE(seen == sector || (struck_token != 0 && seen == struck_token))
          << "segment " << segment << " after cut " << cuts << ": " << seen << " for " << sector;
      sector = seen;
    }
  };
  for (bench.build(); cuts < 60; ++cuts) {
    Segment segment = 0;
    // Sends commands until a cut strikes one.
    const double until = sc_core::sc_time_stamp().to_seconds() + static_cast<double>(random.below(400)) / 1000;
    bool write = false;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    while (true) {
      segment = static_cast<Segment>(random.below(random.chance(0.7) ? 6 : 16));
      write = random.chance(0.6);
      first = random.chance(0.3) ? 0 : random.below(kSectors);
      count = first == 0 ? kSectors : 1 + random.below(kSectors - first);
      ++token;
      bench.submit(write ? IoOperation::Write : IoOperation::Read, segment * kSegment + first * kSector,
                   count * kSector, token, write);
      while (!bench.done() && sc_core::sc_time_stamp().to_seconds() < until) sc_core::sc_start(10, sc_core::SC_US);
      if (!bench.done()) break;
      if (!write) continue;
      if (bench.status() != IoStatus::Ok) {
        ASSERT_TRUE(may_fail[segment]);
        continue;
      }
      may_fail[segment] = false;
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(segment * kSectors + first), count, token);
    }
    bench.tier->power_cut();
    const std::uint64_t coin = random.next();
    bench.home.power_cut([coin](std::uint64_t sector) { return split_mix(coin, sector / 8) % 2 == 0; });
    bench.cache.power_cut([coin](std::uint64_t sector) { return split_mix(~coin, sector / 8) % 2 == 0; });
    const bool was_retired = retired;
    bench.start();
    retired = bench.software().retired();
    if (retired && !was_retired) may_fail.assign(16, true);
    for (Segment each = 0; each < 16; ++each) {
      check(each, write && each == segment ? token : 0);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(bench.tier->statistics().metadata.unreadable_blocks, 0U);
}

INSTANTIATE_TEST_SUITE_P(JournalCopies, UnreadableCopies, testing::Range(1, 21));

// The HDD's data are written before its metadata: a cut in between would otherwise leave older data of the HDD
// unnoticed.
TEST(LostSegments, AreWrittenBeforeTheHddIsTold) {
  Bench bench;
  bench.bring_in(1);
  bench.lose(true, true);
  bench.restart();
  ASSERT_TRUE(bench.software().retired());
  bool told = false;
  bench.home.on_command = [&](const IoCommand& command) {
    if (command.operation != IoOperation::Write || command.offset < TierBench::kHome) return;
    told = true;
    EXPECT_EQ(bench.home.durable[3 * kSegment / kSector], 9U);
  };
  bench.write(3 * kSegment, kSegment, 9);
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace flashloom::journal_copies_test
