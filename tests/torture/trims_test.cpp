// Trims and the metadata log of every FTL with every recovery method: flushed trims survive, unflushed trims uncover no
// version older than the one that must survive, and the log always finds room.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "controllers/ftl/mapping/block_image.hpp"
#include "controllers/ftl/recovery/map_keeper.hpp"
#include "controllers/ftl/recovery/recovery_method.hpp"
#include "policies/registry.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"

namespace flashloom::trims_test {
namespace {

constexpr std::uint64_t kUnit = 4096;
constexpr std::uint64_t kBlock = 8 * kUnit;  // a logical block: 8 pages of one unit

using Method = std::pair<std::string, std::string>;  // FTL, recovery

std::vector<Method> methods() {
  std::vector<Method> all;
  for (const PartInfo* ftl : plain_ftls())
    for (const std::string& recovery : RecoveryMethods::of(ftl->name)) all.emplace_back(ftl->name, recovery);
  return all;
}

DeviceConfig device_of(const Method& method, const std::string& over_provisioning) {
  return small_preset(
      "tiny", {"nand.blocks=24", "nand.pages=8", "buffer.size=64 KiB", "ftl.kind=" + method.first,
               "nvram.kind=stt_mram", "ftl.recovery=" + method.second, "ftl.over_provisioning=" + over_provisioning});
}

/// Whether trims are kept in the metadata log rather than in NVRAM.
bool logged(const Method& method) { return method.second != "nvram_map"; }

class Trims : public testing::TestWithParam<Method> {
 protected:
  static void trim(InstantDevice& device, std::uint64_t offset, std::uint64_t length) {
    device.run({.offset = offset, .length = length, .kind = RequestKind::Trim});
  }
  static void flush(InstantDevice& device) { device.run({.kind = RequestKind::Flush}); }
  /// Writes so much that all blocks outside the data are reused many times: everything that can be collected is.
  static void stir(InstantDevice& device, std::uint64_t from) {
    const std::uint64_t capacity = device.firmware->capacity_bytes();
    for (std::uint64_t i = 0; i < 4 * capacity / kUnit; ++i)
      device.write(from + i * 7 % ((capacity - from) / kUnit) * kUnit, kUnit);
  }
};

TEST_P(Trims, OfAWholeLogicalBlockStayWhateverIsMergedAndCut) {
  InstantDevice device(device_of(GetParam(), "1.5"));
  device.write(0, 2 * kBlock);
  flush(device);
  device.write(0, kBlock);  // now an older version lies below it
  flush(device);
  trim(device, 0, kBlock);
  trim(device, kBlock + kUnit, kUnit);
  flush(device);
  device.restart();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
  EXPECT_EQ(device.firmware->ftl().mount_report().log_pages != 0, logged(GetParam()));
  stir(device, 2 * kBlock);
  device.restart();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
  // Rewritten data are there again.
  device.write(0, kBlock);
  flush(device);
  device.restart();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
}

// A block that only an unflushed trim has invalidated must not be erased, or an older version would come back.
TEST_P(Trims, ThatNobodyFlushedUncoverNothing) {
  InstantDevice device(device_of(GetParam(), "1.5"));
  device.write(0, 4 * kBlock);
  flush(device);
  for (int i = 0; i < 3; ++i) {
    device.write(0, 4 * kBlock);
    flush(device);
  }
  trim(device, 0, 4 * kBlock);
  stir(device, 4 * kBlock);
  device.restart();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
}

// The smallest over-provisioning that the configuration accepts, in steps of 5 %.
DeviceConfig tightest(const Method& method) {
  for (int percent = 5; percent < 200; percent += 5) {
    try {
      return device_of(method, std::to_string(percent) + " %");
    } catch (const ConfigError&) {
    }
  }
  throw std::logic_error("no over-provisioning is enough");
}

// Flushed trims all over a device that is full of data: the room for their log records is reserved.
TEST_P(Trims, NeverFillTheDevice) {
  InstantDevice device(tightest(GetParam()));
  const std::uint64_t units = device.firmware->capacity_bytes() / kUnit;
  for (std::uint64_t unit = 0; unit + 8 <= units; unit += 8) device.write(unit * kUnit, kBlock);
  const auto& counters = device.flash.counters();
  const std::uint64_t before = counters.at(FlashOperation::Program, Origin::Map).pages;
  for (std::uint64_t i = 0; i < 4 * units; ++i) {
    trim(device, i * 5 % units * kUnit, kUnit);
    flush(device);
    device.write(i * 11 % units * kUnit, kUnit);
  }
  device.firmware->ftl().check();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
  const std::uint64_t map_programs = counters.at(FlashOperation::Program, Origin::Map).pages - before;
  if (logged(GetParam())) {
    EXPECT_GE(map_programs, 4 * units);
  } else {
    EXPECT_EQ(map_programs, 0U);
  }
  device.restart();
  EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
}

TEST_P(Trims, AndCutsNeverFillTheDevice) {
  DriveTorture drive(tightest(GetParam()), 1);
  EXPECT_TRUE(drive.run(100)) << drive.failure().what;
}

INSTANTIATE_TEST_SUITE_P(EveryFtl, Trims, testing::ValuesIn(methods()),
                         [](const auto& test) { return test.param.first + "_" + test.param.second; });

// A snapshot of tombstones by hand: 4 dies of 24 blocks of 8 pages, 512 words a page, 4 of them header. 100 units need
// 103 words: one page, one block; the log has twice that and one more before the snapshot is replaced, plus the new
// snapshot: 4 blocks. 4100 units need 4103 words, 9 pages, 2 blocks: 7 blocks.
TEST(LogBlocks, AreThoseOfTheLogAndOfTheSnapshotThatReplacesIt) {
  const DeviceConfig config = device_of({"log_block", "oob_scan"}, "1.5");
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  EXPECT_EQ(MapKeeper::most_blocks(geometry, 100), 4U);
  EXPECT_EQ(MapKeeper::most_blocks(geometry, 4100), 7U);
}

// Checkpoints of 4100 units by hand. dftl: in addition to the common part (3 words, and one for each of at most 96 open
// blocks), the number of changed entries, the places of 5 translation pages (two per word), the valid units of 96
// blocks (two per word), and as many changed entries as the map has words, 2050: 2201 words, 5 pages, one block. Block
// mapping with 50 logical blocks of 8 units: a word for each of 96 blocks, one for each data block, and 4 for each
// other block.
TEST(LogBlocks, OfCheckpointsAreThoseOfTheDirectoryOrOfTheMapOfBlocks) {
  const DeviceConfig config = device_of({"log_block", "oob_scan"}, "1.5");
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  const auto checkpoint = Family<RecoveryMethod>::make({"checkpoint", {}}, {});
  EXPECT_EQ(MapKeeper::most_blocks(geometry, 4100, *checkpoint, 5), 4U);
  EXPECT_EQ(MapKeeper::most_blocks(geometry, 10000, *checkpoint, 10), 3U * 2 + 1);  // 5155 words, 11 pages
  EXPECT_EQ(BlockImage::most_words(geometry, 50), 96U + 50 * 1 + 46 * 4);
  EXPECT_EQ(MapKeeper::most_blocks_of_image(geometry, 8 * 508 - 3), 4U);
  EXPECT_EQ(MapKeeper::most_blocks_of_image(geometry, 8 * 508 - 2), 7U);
}

// The journal is written between checkpoints, one page per 127 programs (3 words and one per unit each), and spares the
// mount the reads of pages that it lists.
TEST(Journal, CostsProgramsAndSavesReads) {
  const auto programs_and_reads = [](const std::string& recovery) {
    InstantDevice device(small_preset("tiny", {"nand.blocks=64", "nand.pages=32", "buffer.size=64 KiB",
                                               "ftl.over_provisioning=1.5", "ftl.recovery=" + recovery}));
    for (std::uint64_t unit = 0; unit < 1000; ++unit) device.write(unit * kUnit, kUnit);
    device.run({.kind = RequestKind::Flush});
    const std::uint64_t programs = device.flash.counters().at(FlashOperation::Program, Origin::Map).pages;
    device.restart();
    EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
    return std::pair(programs, device.firmware->ftl().mount_report().reads);
  };
  const auto [no_programs, all_reads] = programs_and_reads("{name=\"checkpoint\",interval=\"16 MiB\"}");
  const auto [programs, reads] = programs_and_reads("{name=\"journal\",interval=\"16 MiB\"}");
  EXPECT_EQ(no_programs, 0U);
  EXPECT_EQ(programs, 7U);
  // All 1000 programs are spared except those of the last, unwritten journal page, and those in flight.
  EXPECT_LT(reads + 800, all_reads);
  // Journal and checkpoint also differ by default, on a device an eighth of which is less than a journal page.
  EXPECT_NE(programs_and_reads("checkpoint"), programs_and_reads("journal"));
}

}  // namespace
}  // namespace flashloom::trims_test
