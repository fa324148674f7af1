// Whether each FTL foresees that a write merges: by hand, and against what the write then does.
#include <gtest/gtest.h>

#include "sc_main/assembly/system/instant_device.hpp"
#include "workloads/random.hpp"

namespace flashloom::write_merges_test {
namespace {

constexpr std::uint64_t kUnit = 512;

// One die of 14 blocks of 8 pages of one unit, 6 logical blocks, the smallest buffer.
DeviceConfig device(const char* kind, bool in_order, std::map<std::string, ParameterValue> parameters = {}) {
  DeviceConfig config;
  config.nand.channels = config.nand.ways = 1;
  config.nand.blocks = 14;
  config.nand.pages = 8;
  config.nand.page_size = kUnit;
  config.nand.in_order_program = in_order;
  config.ftl.mapping_unit = kUnit;
  config.ftl.logical_size = 48 * kUnit;
  config.ftl.kind = {kind, ParameterValues(std::move(parameters))};
  config.buffer.mode = "write_through";
  config.buffer.size = 0;
  return config;
}

class Bench {
 public:
  explicit Bench(const DeviceConfig& config) : device(config) {}
  void write(std::initializer_list<std::uint64_t> units) {
    for (const std::uint64_t unit : units) device.write(unit * kUnit, kUnit);
  }
  void write_block(std::uint64_t block) {
    for (std::uint64_t unit = 8 * block; unit < 8 * block + 8; ++unit) device.write(unit * kUnit, kUnit);
  }
  bool merges(std::uint32_t unit, std::uint32_t count = 1) const {
    return device.firmware->ftl().write_merges(unit, count);
  }
  std::uint64_t merged() const {
    const FtlStatistics::Merges& merges = device.firmware->ftl().statistics().merges;
    return merges.switched + merges.partial + merges.full;
  }
  /// The answer of transport_dbg.
  std::uint32_t debug(IoOperation operation, std::uint64_t offset, std::uint64_t length) const {
    IoCommand command;
    command.operation = operation;
    command.offset = offset;
    command.length = length;
    return device.firmware->debug(command);
  }
  InstantDevice device;
};

TEST(WriteMerges, OfLogBlocks) {
  Bench bench(device("log_block", true, {{"log_blocks", std::int64_t{1}}}));
  EXPECT_FALSE(bench.merges(0, 8));  // a fresh data block
  bench.write_block(0);
  bench.write_block(1);
  EXPECT_FALSE(bench.merges(3));  // the log block is free for block 0
  bench.write({3, 3});
  EXPECT_FALSE(bench.merges(0, 6));
  EXPECT_TRUE(bench.merges(0, 7));
  EXPECT_TRUE(bench.merges(8));       // block 1 would take the log block from block 0
  EXPECT_TRUE(bench.merges(7, 2));    // one unit of block 0, one of block 1
  EXPECT_FALSE(bench.merges(16, 8));  // block 2 is fresh
  EXPECT_TRUE(bench.merges(17));      // does not begin at the first unit of block 2, in order: needs a log block
}

TEST(WriteMerges, OfLogBlocksInAnyOrder) {
  Bench bench(device("log_block", false, {{"log_blocks", std::int64_t{1}}}));
  bench.write({2, 8, 8});         // block 1 has the log block
  EXPECT_FALSE(bench.merges(5));  // its page is free in the data block
  EXPECT_TRUE(bench.merges(2));
  EXPECT_TRUE(bench.merges(1, 2));
  EXPECT_FALSE(bench.merges(3, 5));
}

TEST(WriteMerges, OfFast) {
  Bench bench(device("fast", true, {{"log_blocks", std::int64_t{2}}}));  // one sequential, one random
  bench.write_block(0);
  bench.write_block(1);
  EXPECT_FALSE(bench.merges(0));  // begins the sequential log block
  bench.write({0});
  EXPECT_FALSE(bench.merges(1));  // goes on in that block
  EXPECT_TRUE(bench.merges(2));   // block 0 would lose it
  EXPECT_TRUE(bench.merges(8));   // block 1 would take it
  EXPECT_FALSE(bench.merges(9));  // goes to the random log block
  bench.write({9, 9, 9});
  EXPECT_FALSE(bench.merges(11, 5));
  bench.write({9});
  EXPECT_TRUE(bench.merges(11, 5));  // four pages are left
  bench.write({9, 9, 9, 9});
  EXPECT_TRUE(bench.merges(9));
}

TEST(WriteMerges, OfReplacementBlocks) {
  Bench bench(device("block_map", true, {{"replacement_blocks", std::int64_t{1}}}));
  EXPECT_FALSE(bench.merges(0, 8));
  bench.write_block(0);
  bench.write_block(1);
  EXPECT_FALSE(bench.merges(4));
  bench.write({4});               // units 0 to 3 are copied in front
  EXPECT_FALSE(bench.merges(5));  // behind it
  EXPECT_FALSE(bench.merges(7));
  EXPECT_TRUE(bench.merges(4));  // its page is written already
  EXPECT_TRUE(bench.merges(8));  // the die has no other replacement block
}

TEST(WriteMerges, NeverOfPageMaps) {
  for (const char* kind : {"page_map", "dftl"}) {
    Bench bench(device(kind, true));
    for (int i = 0; i < 200; ++i) bench.write({static_cast<std::uint64_t>(i * 7 % 48)});
    EXPECT_FALSE(bench.merges(0, 48)) << kind;
  }
}

TEST(WriteMerges, TheSocketAnswersInBytes) {
  Bench bench(device("log_block", true, {{"log_blocks", std::int64_t{1}}}));
  bench.write_block(0);
  bench.write_block(1);
  bench.write({3, 3});
  EXPECT_EQ(bench.debug(IoOperation::Write, 0, 6 * kUnit), 6 * kUnit);
  EXPECT_EQ(bench.debug(IoOperation::Write, 0, 7 * kUnit), 0U);
  EXPECT_EQ(bench.debug(IoOperation::Read, 0, 6 * kUnit), 0U);
  EXPECT_EQ(bench.debug(IoOperation::Write, 0, 0), 0U);
  EXPECT_EQ(bench.debug(IoOperation::Write, 40 * kUnit, 9 * kUnit), 0U);  // beyond the end
  EXPECT_EQ(bench.debug(IoOperation::Write, ~std::uint64_t{0} - kUnit, 2 * kUnit), 0U);
}

// Writes of one unit, in runs and at random, merge where the FTL has foreseen it and nowhere else. FAST may find that
// the log block which it gives up holds nothing valid any more.
TEST(WriteMerges, AreWhatWritesThenDo) {
  for (const char* kind : {"log_block", "fast", "block_map"})
    for (const bool in_order : {true, false}) {
      Bench bench(device(kind, in_order));
      Random random(7);
      std::uint64_t unit = 0;
      std::uint64_t foreseen = 0;
      for (int i = 0; i < 4000; ++i) {
        unit = random.below(3) == 0 ? random.below(48) : (unit + 1) % 48;
        const bool merges = bench.merges(static_cast<std::uint32_t>(unit));
        const std::uint64_t before = bench.merged();
        bench.write({unit});
        const bool did = bench.merged() != before;
        if (std::string(kind) == "fast")
          ASSERT_TRUE(merges || !did) << kind << " write " << i << " of unit " << unit;
        else
          ASSERT_EQ(merges, did) << kind << (in_order ? " in order" : "") << " write " << i << " of unit " << unit;
        foreseen += did ? 1 : 0;
      }
      EXPECT_GT(foreseen, 100U);
    }
}

}  // namespace
}  // namespace flashloom::write_merges_test
