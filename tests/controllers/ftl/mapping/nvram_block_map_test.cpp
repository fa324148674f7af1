// The map of blocks in NVRAM, word by word on sequences worked by hand, and the flash that a mount reads with it.
#include "controllers/ftl/mapping/nvram_block_map.hpp"

#include <gtest/gtest.h>

#include "tests/controllers/ftl/kinds/merge_bench.hpp"

namespace flashloom::nvram_block_map_test {
namespace {

constexpr std::uint32_t kPages = 8;

DeviceConfig device() {
  DeviceConfig config = buffered_blocks("block_lru");
  config.ftl.recovery = {"nvram_map", {}};
  config.buffer.location = "nvram";
  return config;
}

struct Record {
  std::uint64_t bits, version, header;
  friend bool operator==(const Record&, const Record&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Record& r) {
    return out << std::hex << "bits " << r.bits << ", version " << r.version << ", header " << r.header << std::dec;
  }
};

enum State : std::uint64_t { kErased, kOpen, kData, kGarbage };
std::uint64_t header(State state, std::uint64_t generation, std::uint64_t logical) {
  return (logical << 32) | (generation << 2) | state;
}

Record record(const MergeBench& bench, std::size_t block) {
  const NvramContents& nvram = bench.device.nvram;
  return {nvram.read(block * 3), nvram.read(block * 3 + 1), nvram.read(block * 3 + 2)};
}

// The buffer evicts logical blocks 0 and 1 to the erase units 0 and 1.
void write_two_blocks(MergeBench& bench) {
  bench.write({0, 5, 3});           // versions 1, 2, 3
  bench.write({8, 9, 10, 11, 12});  // the buffer is full
  bench.write({16});                // evicts logical block 0
  bench.write({5, 6, 17});          // full: 17 evicts logical block 1
}

TEST(NvramBlockMap, TakesABitAUnitAndTwoWordsABlock) {
  const DeviceConfig config = device();
  EXPECT_EQ(NvramBlockMap::words(NandGeometry(config.nand, config.ftl.mapping_unit)), 12U * 3);
  DeviceConfig large = config;
  large.nand.pages = 72;
  EXPECT_EQ(NvramBlockMap::words(NandGeometry(large.nand, large.ftl.mapping_unit)), 12U * 4);
}

TEST(NvramBlockMap, SaysWhatEachBlockIsFor) {
  MergeBench bench(device());
  EXPECT_EQ(record(bench, 0), (Record{0, 0, 0}));
  write_two_blocks(bench);
  EXPECT_EQ(record(bench, 0), (Record{0b101001, 3, header(kData, 0, 0)}));
  EXPECT_EQ(record(bench, 1), (Record{0b11111, 8, header(kData, 0, 1)}));
  EXPECT_EQ(record(bench, 2).header, kErased);
  // 5 and 6, of versions 10 and 11, are evicted; 0 and 3 are copied; the replaced block is erased.
  bench.write({24, 25, 26, 27, 28});
  EXPECT_EQ(record(bench, 2), (Record{0b1101001, 11, header(kData, 1, 0)}));
  EXPECT_EQ(record(bench, 0).header, kErased);
}

TEST(NvramBlockMap, ForgetsWhatIsTrimmed) {
  MergeBench bench(device());
  write_two_blocks(bench);
  bench.device.run({.offset = 9 * kUnit, .length = 2 * kUnit, .kind = RequestKind::Trim});
  EXPECT_EQ(record(bench, 1).bits, 0b11001U);
  bench.device.restart();
  EXPECT_EQ(record(bench, 1), (Record{0b11001, 8, header(kData, 0, 1)}));
}

TEST(NvramBlockMap, LetsAMountReadNoFlashWhenNothingIsBeingWritten) {
  MergeBench bench(device());
  write_two_blocks(bench);
  bench.device.restart();
  EXPECT_EQ(bench.device.firmware->ftl().mount_report().reads, 0U);
}

// A power cut strikes the second program of logical block 0. Its block is open: the mount reads all its pages, and no
// other block's.
TEST(NvramBlockMap, LetsAMountReadTheBlockThatWasBeingWritten) {
  MergeBench bench(device());
  bench.write({0, 5, 3, 8, 9, 10, 11, 12});
  bench.device.cuts.arm({.count = 2, .operation = FlashOperation::Program}, 1);
  bench.device.try_run({.offset = 16 * kUnit, .length = kUnit, .kind = RequestKind::Write});
  ASSERT_TRUE(bench.device.cuts.cut());
  EXPECT_EQ(record(bench, 0), (Record{~std::uint64_t{0}, 0, header(kOpen, 0, 0)}));
  bench.device.cuts.power_on();
  ASSERT_TRUE(bench.device.boot());
  bench.device.oracle->power_cut();
  EXPECT_EQ(bench.device.firmware->ftl().mount_report().reads, kPages);
  EXPECT_EQ(record(bench, 0).header & 3, kData);
}

// A power cut strikes the second of two copies.
TEST(NvramBlockMap, KeepsWhatIsReplacedUntilTheNewBlockIsWhole) {
  MergeBench bench(device());
  write_two_blocks(bench);
  bench.device.cuts.arm({.count = 2, .operation = FlashOperation::Program, .origin = Origin::Merge}, 1);
  bench.device.try_run({.offset = 24 * kUnit, .length = 5 * kUnit, .kind = RequestKind::Write});
  ASSERT_TRUE(bench.device.cuts.cut());
  EXPECT_EQ(record(bench, 2).header, header(kOpen, 1, 0));
  EXPECT_EQ(record(bench, 0).header, header(kData, 0, 0));
  bench.device.cuts.power_on();
  ASSERT_TRUE(bench.device.boot());
  bench.device.oracle->power_cut();
  EXPECT_EQ(bench.device.firmware->ftl().mount_report().reads, kPages);
  EXPECT_EQ(record(bench, 0).header, kErased);
}

}  // namespace
}  // namespace flashloom::nvram_block_map_test
