// The block-mapped FTL under a write buffer, on sequences worked by hand. The units of a block that leave the buffer
// together are one NF_smart_copy: a fresh block with the buffered units and the rest of the data block, and one erase.
#include <gtest/gtest.h>

#include <random>

#include "tests/controllers/ftl/kinds/merge_bench.hpp"

namespace flashloom::nvram_block_test {
namespace {

constexpr std::uint32_t kPages = 8;

TEST(NvramBlock, WritesAFreshBlockForWhatLeavesTogether) {
  MergeBench bench(buffered_blocks("block_lru"));
  bench.write({0, 5, 3});           // block 0
  bench.write({8, 9, 10, 11, 12});  // block 1: the buffer is full
  EXPECT_EQ(bench.counts(), (Counts{0, 0, 0, 0}));
  bench.write({16});  // evicts block 0: nothing to copy, nothing to erase
  EXPECT_EQ(bench.counts(), (Counts{3, 0, 0, 0}));
}

TEST(NvramBlock, CopiesWhatTheBufferDoesNotHaveAndErasesOnce) {
  MergeBench bench(buffered_blocks("block_lru"));
  bench.write({0, 5, 3, 8, 9, 10, 11, 12, 16});  // block 0 has 0, 3 and 5 on flash
  bench.write({5, 6, 17});                       // the buffer is full with 5, 6, 8 ... 12 and 16: 17 evicts block 1
  EXPECT_EQ(bench.counts(), (Counts{8, 0, 0, 0}));
  bench.write({24, 25, 26, 27, 28});  // 16, 17, 5, 6 and 24 ... 27 fill the buffer: 28 evicts block 0 with 5 and 6
  // 0 and 3 are copied; 5 is not, because the buffer has a newer version; one erase.
  EXPECT_EQ(bench.counts(), (Counts{10, 2, 2, 1}));
}

// A flush and a FUA write destage whole blocks, too: one merge per block, not one per unit.
TEST(NvramBlock, WritesABlockAtOnceForAFlush) {
  MergeBench bench(buffered_blocks("block_lru"));
  bench.write({0, 5, 3});
  bench.device.run({.kind = RequestKind::Flush});
  EXPECT_EQ(bench.counts(), (Counts{3, 0, 0, 0}));
  bench.write({1, 2});
  bench.device.run({.kind = RequestKind::Flush});
  EXPECT_EQ(bench.counts(), (Counts{5, 3, 3, 1}));
  bench.write({4});
  bench.device.run({.offset = 6 * kUnit, .length = 2 * kUnit, .kind = RequestKind::Write, .fua = true});
  EXPECT_EQ(bench.counts(), (Counts{8, 8, 8, 2}));
}

// On a die whose pages go in order, the gap before the first buffered unit is copied first; unwritten units are padded.
TEST(NvramBlock, FillsUpInFrontWherePagesGoInOrder) {
  MergeBench bench(buffered_blocks("block_lru", true));
  bench.write({2, 3, 8, 9, 10, 11, 12, 13, 16});  // 2 and 3 are on flash behind two pages of padding
  EXPECT_EQ(bench.counts(), (Counts{2, 0, 0, 0}));
  EXPECT_EQ(bench.device.flash.counters().at(FlashOperation::Program, Origin::Padding).units, 2U);
}

// The FTL reads only the units that it copies: it does not probe as the baseline does.
TEST(NvramBlock, ReadsNothingElse) {
  MergeBench bench(buffered_blocks("greedy_dual"));
  std::mt19937 random(5);
  for (int step = 0; step < 2000; ++step) bench.write({random() % 48});
  const FlashCounters& counters = bench.device.flash.counters();
  EXPECT_EQ(counters.at(FlashOperation::Read, Origin::Map).pages, 0U);
  EXPECT_EQ(counters.at(FlashOperation::Read, Origin::Merge).units,
            counters.at(FlashOperation::Program, Origin::Merge).units);
}

// BPLRU pads every block that it evicts to a whole one: a log-block FTL below never copies.
TEST(Bplru, LeavesNothingToMergeToALogBlockFtl) {
  DeviceConfig config = buffered_blocks("bplru", true);
  config.ftl.kind = {"log_block", {}};
  MergeBench bench(config);
  std::mt19937 random(9);
  for (int step = 0; step < 1500; ++step) bench.write({random() % 48});
  const FtlStatistics::Merges& merges = bench.device.firmware->ftl().statistics().merges;
  EXPECT_GT(merges.switched, 100U);
  EXPECT_EQ(merges.partial, 0U);
  EXPECT_EQ(merges.full, 0U);
  EXPECT_EQ(bench.counts().merges, 0U);
  const BufferStatistics& buffer = bench.device.firmware->buffer().statistics();
  EXPECT_EQ(bench.counts().host, buffer.evictions + buffer.padding_units);
  EXPECT_EQ((buffer.evictions + buffer.padding_units) % kPages, 0U);
  EXPECT_EQ((buffer.evictions + buffer.padding_units) / kPages, buffer.evicted_groups);
}

}  // namespace
}  // namespace flashloom::nvram_block_test
