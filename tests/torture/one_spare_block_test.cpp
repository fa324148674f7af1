// Spare space of one erase unit per die, plus the metadata log: with any placement, recovery and victim policy, the
// device has room to continue after any writes, trims and cuts.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "controllers/ftl/recovery/log_apart.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::one_spare_block_test {
namespace {

constexpr std::uint64_t kUnit = 4096;

// 4 dies of 24 blocks of 8 pages of one unit. The log takes 4 blocks, one on each die. So the host gets 4 (22 x 8 - 1)
// units.
constexpr std::uint64_t kMostUnits = 700;

const std::vector<std::string> kOneSpareBlock = {"nand.blocks=24",       "nand.pages=8",         "buffer.size=64 KiB",
                                                 "ftl.gc_mode=blocking", "ftl.gc_low=1",         "ftl.gc_high=2",
                                                 "ftl.streams=single",   "ftl.recovery=oob_scan"};

DeviceConfig device_of(std::uint64_t units, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = kOneSpareBlock;
  all.push_back("ftl.logical_size=" + std::to_string(units * kUnit) + " B");
  all.insert(all.end(), more.begin(), more.end());
  return small_preset("tiny", all);
}

std::string refusal(std::uint64_t units, const std::vector<std::string>& more = {}) {
  try {
    device_of(units, more);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

TEST(OneSpareBlock, LeavesTheHostAllButABlockAndAPageOfEachDieAndTheLog) {
  const DeviceConfig config = device_of(kMostUnits);
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  EXPECT_EQ(most_units_of_die(geometry, 23), 22U * 8 - 1);
  EXPECT_EQ(most_log_blocks(config.ftl, geometry, kMostUnits), 4U);
  EXPECT_EQ(most_units_beside(geometry, 4), kMostUnits);
  EXPECT_EQ(most_units_beside(geometry, 5), kMostUnits - 8);
  EXPECT_EQ(most_units_beside(geometry, 4 * 21), 4U * (2 * 8 - 1)) << "three blocks a die";
  EXPECT_EQ(most_units_beside(geometry, 4 * 21 + 1), 0U);
  EXPECT_EQ(refusal(kMostUnits), "");
  const std::string message = refusal(kMostUnits + 1);
  EXPECT_NE(message.find("ftl.logical_size"), std::string::npos) << message;
  EXPECT_NE(message.find("must keep 1 free, and a page that is not valid, the device 4 for metadata"),
            std::string::npos)
      << message;
}

// With a logical size that leaves three blocks per die, the log takes free blocks, as on every other device.
TEST(OneSpareBlock, IsWhatADeviceHasThatKeepsNotMore) {
  const DeviceConfig config = device_of(kMostUnits);
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  EXPECT_EQ(log_blocks_apart(config.ftl, geometry, 4 * 21 * 8 + 1, false), 4U);
  EXPECT_EQ(log_blocks_apart(config.ftl, geometry, 4 * 21 * 8, false), 0U);
  EXPECT_EQ(log_blocks_apart(config.ftl, geometry, kMostUnits, true), 0U) << "blocks fail";
}

// Each of these options takes blocks of a die for itself, or pads.
TEST(OneSpareBlock, IsRefusedWhereItIsNotEnough) {
  for (const std::vector<std::string>& more : {std::vector<std::string>{"ftl.gc_mode=paced"},
                                               {"ftl.streams=hot_cold"},
                                               {"ftl.gc_low=2", "ftl.gc_high=3"},
                                               {"nand.page_size=8 KiB", "nand.pages=4"},
                                               {"nand.planes=2", "nand.blocks=12"},
                                               {"nand.endurance=1000"},
                                               {"nand.factory_bad_blocks=0.01"},
                                               {"ftl.scrub_reads=1000"},
                                               {"ftl.kind=dftl"}})
    EXPECT_NE(refusal(kMostUnits, more), "") << more.front();
}

using Choice = std::tuple<std::string, std::string, std::string>;  // placement, recovery, victim policy

class OneSpareBlockOf : public testing::TestWithParam<Choice> {
 protected:
  static DeviceConfig device() {
    const auto& [placement, recovery, victims] = GetParam();
    std::vector<std::string> more = {"ftl.placement=" + placement, "ftl.recovery=" + recovery,
                                     "ftl.garbage_collection=" + victims};
    if (placement == "cold") more.emplace_back("buffer.correlation={name=\"both\",threshold=3}");
    return device_of(kMostUnits, more);
  }
  static void fill(InstantDevice& device) {
    for (std::uint64_t unit = 0; unit < kMostUnits; ++unit) device.write(unit * kUnit, kUnit);
  }
  static void trim(InstantDevice& device, std::uint64_t offset) {
    device.run({.offset = offset, .length = kUnit, .kind = RequestKind::Trim});
    device.run({.kind = RequestKind::Flush});
  }
  static void expect_whole(InstantDevice& device) {
    device.firmware->ftl().check();
    EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
    device.restart();
    device.firmware->ftl().check();
    EXPECT_EQ(device.audit(), 0U) << device.oracle->first_mismatch();
  }
};

// In the worst case one write copies a whole block, but not more.
TEST_P(OneSpareBlockOf, GoesOnWhenItIsFull) {
  InstantDevice device(OneSpareBlockOf::device());
  for (int pass = 0; pass < 3; ++pass) fill(device);
  for (std::uint64_t i = 0; i < 6 * kMostUnits; ++i) device.write(i * i * 7919 % kMostUnits * kUnit, kUnit);
  for (std::uint64_t i = 0; i < 1000; ++i) device.write(i % 3 * kUnit, kUnit);
  const FtlStatistics& statistics = device.firmware->ftl().statistics();
  EXPECT_GT(statistics.units_moved, 0U);
  EXPECT_LE(statistics.units_moved, 7 * statistics.units_written);
  expect_whole(device);
}

TEST_P(OneSpareBlockOf, TakesTrimsThatAreFlushed) {
  InstantDevice device(OneSpareBlockOf::device());
  fill(device);
  const auto& counters = device.flash.counters();
  const std::uint64_t before = counters.at(FlashOperation::Program, Origin::Map).pages;
  for (std::uint64_t i = 0; i < 2 * kMostUnits; ++i) {
    trim(device, i * 5 % kMostUnits * kUnit);
    device.write(i * 11 % kMostUnits * kUnit, kUnit);
    if (i % 97 == 0) device.restart();
  }
  EXPECT_GE(counters.at(FlashOperation::Program, Origin::Map).pages - before, 2 * kMostUnits);
  expect_whole(device);
}

TEST_P(OneSpareBlockOf, SurvivesPowerCuts) {
  DriveTorture drive(device(), 1);
  EXPECT_TRUE(drive.run(300)) << drive.failure().what << " after " << drive.failure().struck;
}

TEST_P(OneSpareBlockOf, GoesOnAsTheDeviceThatWasSaved) {
  InstantDevice device(OneSpareBlockOf::device());
  fill(device);
  const auto go_on = [](InstantDevice& with) {
    for (std::uint64_t i = 0; i < kMostUnits; ++i) {
      with.write(i * i * 7919 % kMostUnits * kUnit, kUnit);
      if (i % 3 == 0) trim(with, i * 5 % kMostUnits * kUnit);
    }
  };
  go_on(device);
  const std::string bytes = saved(device);
  InstantDevice again(device.config);
  ASSERT_TRUE(load_state(again, bytes));
  EXPECT_TRUE(saved(again) == bytes);
  for (InstantDevice* const each : {&device, &again}) {
    go_on(*each);
    each->restart();
  }
  EXPECT_EQ(again.media.digest(), device.media.digest());
  EXPECT_TRUE(saved(again) == saved(device));
  expect_whole(again);
}

std::vector<Choice> choices() {
  std::vector<Choice> all;
  const std::string by_address = R"({ name = "static_order", by = "address" })";
  for (const std::string& placement :
       {by_address, std::string("static_order"), std::string("cold"), std::string("superblock"),
        std::string("least_worn"), std::string("least_loaded")})
    for (const char* const recovery : {"oob_scan", "checkpoint", "journal"})
      all.emplace_back(placement, recovery, "greedy");
  for (const char* const victims : {"fifo", "random", "cost_benefit"})
    all.emplace_back(by_address, "oob_scan", victims);
  return all;
}

std::string name_of(const testing::TestParamInfo<Choice>& info) {
  const auto& [placement, recovery, victims] = info.param;
  return (placement.front() == '{' ? std::string("by_address") : placement) + "_" + recovery + "_" + victims;
}

INSTANTIATE_TEST_SUITE_P(Choices, OneSpareBlockOf, testing::ValuesIn(choices()), name_of);

}  // namespace
}  // namespace flashloom::one_spare_block_test
