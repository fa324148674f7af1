// The oracle's judgement after power cuts (Oracle::power_cut), of hand-made histories.
#include <gtest/gtest.h>

#include "tests/controllers/host/oracle_bench.hpp"

namespace flashloom::oracle_test {
namespace {

TEST(OracleAfterAPowerCut, WhatWasFlushedIsThere) {
  Bench bench(true);
  const SectorToken old = bench.write();
  const SectorToken flushed = bench.write();
  bench.flush();
  bench.oracle.power_cut();
  EXPECT_FALSE(bench.reads(0, {old}));
  EXPECT_FALSE(bench.reads(0, {0}));
  EXPECT_TRUE(bench.reads(0, {flushed}));
}

TEST(OracleAfterAPowerCut, AnyVersionSinceTheLastFlushIsAllowedAndTheFirstReadPinsIt) {
  for (const int survivor : {0, 1, 2}) {
    Bench bench(true);
    const SectorToken before = bench.write();
    const SectorToken flushed = bench.write();
    bench.flush();
    const SectorToken versions[] = {flushed, bench.write(), bench.write()};
    EXPECT_TRUE(bench.reads(0, {versions[2]}));  // power is still on: only the latest
    bench.oracle.power_cut();
    EXPECT_FALSE(bench.reads(0, {before}));
    EXPECT_TRUE(bench.reads(0, {versions[survivor]}));
    for (int other = 0; other < 3; ++other)
      EXPECT_EQ(bench.reads(0, {versions[other]}), other == survivor) << other << " after " << survivor;
  }
}

TEST(OracleAfterAPowerCut, AWriteThatLostPowerMayHaveHappenedOrNot) {
  for (const bool happened : {false, true}) {
    Bench bench(true);
    const SectorToken old = bench.write();
    bench.flush();
    auto& write = bench.begin_write();
    const SectorToken young = write.tokens.front();
    bench.end(write, IoStatus::PowerLost);
    bench.oracle.power_cut();
    EXPECT_TRUE(bench.reads(0, {happened ? young : old}));
    EXPECT_FALSE(bench.reads(0, {happened ? old : young}));
  }
}

TEST(OracleAfterAPowerCut, AFlushCoversOnlyWritesThatHadCompletedWhenItBegan) {
  Bench bench(true);
  const SectorToken old = bench.write();
  bench.flush();
  auto& write = bench.begin_write();
  auto& flush = bench.begin(IoOperation::Flush);
  bench.end(write);
  bench.end(flush);
  bench.oracle.power_cut();
  EXPECT_TRUE(bench.reads(0, {old}));
}

TEST(OracleAfterAPowerCut, AFlushThatFailedPromisesNothing) {
  Bench bench(true);
  bench.write();
  auto& flush = bench.begin(IoOperation::Flush);
  bench.end(flush, IoStatus::PowerLost);
  bench.oracle.power_cut();
  EXPECT_TRUE(bench.reads(0, {0}));
}

TEST(OracleAfterAPowerCut, FuaWritesAreThereWithoutAFlush) {
  Bench bench(true);
  const SectorToken old = bench.write();
  const SectorToken fua = bench.write(0, 1, true);
  bench.oracle.power_cut();
  EXPECT_FALSE(bench.reads(0, {old}));
  EXPECT_FALSE(bench.reads(0, {0}));
  EXPECT_TRUE(bench.reads(0, {fua}));
}

TEST(OracleAfterAPowerCut, AcknowledgedWritesAreThereInWriteThrough) {
  Bench bench(true, true);
  const SectorToken old = bench.write();
  const SectorToken young = bench.write();
  bench.oracle.power_cut();
  EXPECT_FALSE(bench.reads(0, {old}));
  EXPECT_TRUE(bench.reads(0, {young}));
}

TEST(OracleAfterAPowerCut, AcknowledgedTrimsAreThereWithABufferInNvramAndByFlushInWriteThrough) {
  for (const IoOperation operation : {IoOperation::Trim, IoOperation::WriteZeroes})
    for (const bool in_nvram : {false, true}) {
      Bench bench(true, true, in_nvram);
      const SectorToken young = bench.write(0, kUnit);
      bench.end(bench.begin(operation, 0, kUnit));
      bench.oracle.power_cut();
      EXPECT_EQ(bench.reads(0, {young}), !in_nvram);
      EXPECT_EQ(bench.reads(1, {0}), true) << "the next sector may have been trimmed all the same";
    }
}

TEST(OracleAfterAPowerCut, WhatWasReadStaysAfterTheNextCut) {
  Bench bench(true);
  const SectorToken old = bench.write();
  bench.flush();
  const SectorToken young = bench.write();
  bench.oracle.power_cut();
  EXPECT_TRUE(bench.reads(0, {old}));
  bench.oracle.power_cut();
  EXPECT_FALSE(bench.reads(0, {young}));
  EXPECT_TRUE(bench.reads(0, {old}));
}

// With a cache before the device a read shows what may be on no flash yet; only a flush makes it last.
TEST(OracleAfterAPowerCut, WhatTheHostsCacheHasShownLastsFromTheNextFlushOn) {
  for (const bool flush_first : {false, true})
    for (const bool flush_behind : {false, true}) {
      Bench bench(true, false, false, 0, true);
      const SectorToken old = bench.write();
      bench.flush();
      const SectorToken young = bench.write();
      bench.oracle.power_cut();
      if (flush_first) bench.flush();
      EXPECT_TRUE(bench.reads(0, {young}));
      EXPECT_FALSE(bench.reads(0, {old}));
      if (flush_behind) bench.flush();
      bench.oracle.power_cut();
      EXPECT_FALSE(bench.reads(0, {0}));
      EXPECT_EQ(bench.reads(0, {old}), !flush_first && !flush_behind);
      EXPECT_EQ(bench.reads(0, {young}), flush_first || flush_behind);
    }
}

TEST(OracleAfterAPowerCut, SectorsAreJudgedEachForItselfAndNewWritesCountAgain) {
  Bench bench(true);
  const SectorToken old = bench.write(0, 2);
  bench.flush();
  const SectorToken young = bench.write(0, 2);
  bench.oracle.power_cut();
  EXPECT_TRUE(bench.reads(0, {old, young}));
  EXPECT_FALSE(bench.reads(0, {young, young}));
  const SectorToken last = bench.write(0, 2);
  EXPECT_TRUE(bench.reads(0, {last, last}));
  EXPECT_FALSE(bench.reads(1, {young}));
}

}  // namespace
}  // namespace flashloom::oracle_test
