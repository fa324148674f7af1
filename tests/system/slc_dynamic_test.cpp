// The dynamic part of the SLC write cache in whole devices: how much capacity it may borrow, the speed of a long write
// inside the cache, past it, and while blocks are given back; and no drive runs out of space because of borrowed
// blocks.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "controllers/ftl/features/slc_cache/slc_blocks.hpp"
#include "models/nand/nand_geometry.hpp"
#include "models/nand/nand_timing.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::slc_dynamic_test {
namespace {

constexpr std::uint64_t kUnit = 4096;
constexpr std::uint32_t kDies = 4;

// Four dies of 24 blocks of 24 pages of TLC, 8 in SLC mode. The host's share is 288 pages per die, 12 blocks.
constexpr std::uint32_t kBlocks = 24;
constexpr std::uint32_t kSlcPages = 8;
constexpr std::uint32_t kHostPages = 288;
constexpr std::uint32_t kGcHigh = 3;

DeviceConfig device(const std::vector<std::string>& more) {
  std::vector<std::string> overrides = {"nand.pages=24",       "nand.blocks=24",
                                        "nand.slc_dynamic=12", "nand.read_time=[\"50 us\", \"50 us\", \"50 us\"]",
                                        "buffer.size=64 KiB",  "ftl.logical_size=4608 KiB",
                                        "ftl.gc_low=2",        "ftl.gc_high=3"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return small_preset("tiny", overrides);
}

/// `units` mapping units from address 0, in requests of four that all arrive `at` once.
std::vector<Request> sequential(std::uint64_t units, Picoseconds at = 0) {
  std::vector<Request> requests;
  for (std::uint64_t unit = 0; unit < units; unit += 4) {
    Request request;
    request.kind = RequestKind::Write;
    request.offset = unit * kUnit;
    request.length = 4 * kUnit;
    request.arrival_ps = at;
    requests.push_back(request);
  }
  return requests;
}

std::uint64_t of(const Json& result, const char* name) { return result["ftl_statistics"][name].get<std::uint64_t>(); }
std::uint64_t slc(const Json& result, const char* name) { return result["ftl"]["slc"][name].get<std::uint64_t>(); }

// Idle-time folding has moved the cached data into full blocks, so the drive holds `fill` of its data in the fewest
// blocks. It lends all free blocks but gc_high, up to slc_dynamic.
TEST(SlcDynamic, TakesAsManyBlocksAsAreFreeAboveGcHigh) {
  for (const auto& [fill, blocks] : {std::pair{"0", 12U}, {"0.5", 12U}, {"0.75", 12U}, {"0.875", 10U}, {"1.0", 9U}}) {
    std::vector<Request> requests = sequential(600, 2 * kSecond);
    requests.insert(requests.begin(), {.length = kUnit, .kind = RequestKind::Read});  // idle time follows a command
    const Json result =
        simulate(device({std::string("precondition.fill=") + fill, "ftl.slc_low=0"}), {{requests, 0, 0}});
    const auto data = static_cast<std::uint32_t>(std::stod(fill) * kHostPages);
    const std::uint32_t free = kBlocks - (data + 23) / 24;
    EXPECT_EQ(std::min(12U, free - kGcHigh), blocks) << "by hand, at " << fill;
    EXPECT_EQ(of(result, "slc_written"), std::uint64_t{kDies} * kSlcPages * blocks) << fill;
    EXPECT_EQ(of(result, "slc_past"), of(result, "units_written") - of(result, "slc_written")) << fill;
    EXPECT_GT(of(result, "slc_past"), 150U) << fill;
    EXPECT_EQ(slc(result, "dynamic_blocks"), kDies * 12) << fill;
    EXPECT_LE(slc(result, "borrowed_max"), 12U) << fill;
    EXPECT_EQ(slc(result, "blocks"), 0U);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << fill;
  }
}

// Borrowed blocks count as capacity: the logical size is the same, except for the block that is open in SLC mode.
TEST(SlcDynamic, IsOfTheCapacity) {
  const DeviceConfig config = device({});
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  EXPECT_EQ(geometry.total_units(), 4U * 24 * 24);
  EXPECT_EQ(geometry.slc_pages, kSlcPages);
}

// Writes fill static blocks first, then borrowed ones, then go past both.
TEST(SlcDynamic, StandsBehindTheStaticPart) {
  InstantDevice drive(device({"nand.slc_blocks=2", "nand.slc_dynamic=5", "ftl.logical_size=4 MiB", "ftl.slc_low=0"}));
  const Ftl& ftl = drive.firmware->ftl();
  std::uint64_t written = 0;
  const auto write_until = [&](std::uint64_t units) {
    for (; written < units; ++written) drive.write(written * kUnit, kUnit);
    drive.run({.kind = RequestKind::Flush});
  };
  constexpr std::uint64_t kStatic = std::uint64_t{kDies} * kSlcPages * 2;
  constexpr std::uint64_t kBoth = std::uint64_t{kDies} * kSlcPages * 7;
  write_until(kStatic);
  EXPECT_EQ(slc_use(*ftl.blocks()).valid_units, kStatic);
  EXPECT_EQ(slc_use(*ftl.blocks()).borrowed_blocks, 0U);
  write_until(kBoth);
  EXPECT_EQ(slc_use(*ftl.blocks()).valid_units, kBoth);
  EXPECT_EQ(slc_use(*ftl.blocks()).borrowed_blocks, kDies * 5U);
  EXPECT_EQ(ftl.statistics().slc.units_past, 0U);
  write_until(kBoth + 100);
  EXPECT_EQ(slc_use(*ftl.blocks()).valid_units, kBoth);
  EXPECT_EQ(ftl.statistics().slc.units_past, 100U);
  EXPECT_EQ(ftl.statistics().slc.folds, 0U);
  drive.restart();  // the mount recovers the mode of each block
  EXPECT_EQ(slc_use(*drive.firmware->ftl().blocks()).valid_units, kBoth);
  EXPECT_EQ(slc_use(*drive.firmware->ftl().blocks()).borrowed_blocks, kDies * 5U);
}

// One die of one-shot TLC with program units of three pages: 8 per block, and 2 in SLC mode.
class LongWrite : public testing::Test {
 protected:
  static DeviceConfig one_die(const std::string& borrowed) {
    return small_preset(
        "tiny", {"nand.channels=1", "nand.ways=1", "nand.blocks=128", "nand.pages=24", "nand.pages_per_program=3",
                 "nand.read_time=60 us", "nand.program_time=1500 us", "nand.slc_program_time=200 us",
                 "nand.slc_read_time=25 us", "buffer.size=96 KiB", "ftl.over_provisioning=1.5", "ftl.slc_low=0",
                 "ftl.slc_idle=false", "verify=false", "nand.slc_dynamic=" + borrowed});
  }
  /// Time until `units` have been written, and all of them are on flash.
  static Picoseconds time(const DeviceConfig& config, std::uint64_t units) {
    return simulate(config, {{sequential(units), 16, 0}})["rest_ps"].get<Picoseconds>();
  }
};

// The cache holds 40 blocks x 2 program units. The die is always busy: each program unit takes its cycles and its
// tPROG, which is that of three pages in SLC mode, and that of a one-shot program past the cache.
TEST_F(LongWrite, IsAsFastAsTheCacheAndThenAsTlc) {
  const DeviceConfig config = one_die("40");
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  const NandTiming timing(config.nand, geometry);
  const Picoseconds tlc = timing.unloaded_program();
  const Picoseconds cached = tlc - 1500 * kMicrosecond + 3 * 200 * kMicrosecond;
  EXPECT_EQ(time(config, 216) - time(config, 96), 40 * cached);
  EXPECT_EQ(time(config, 480) - time(config, 360), 40 * tlc);
}

// All blocks free above gc_high are lent: 125. After that, the drive has to give blocks back for each block that the
// host fills. Four borrowed blocks hold as much as one TLC block, so emptying four frees three: 4/3 are emptied per
// block, each with six reads, two programs and an erase. This is a mean, since collection begins at two free blocks and
// ends at three.
TEST_F(LongWrite, IsAsFastAsWhatIsGivenBackWhereAllIsLent) {
  const DeviceConfig config = one_die("128");
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  const NandTiming timing(config.nand, geometry);
  const auto program = static_cast<double>(timing.unloaded_program());
  const auto read =
      static_cast<double>(timing.unloaded_read(geometry.page_bytes) - 60 * kMicrosecond + 25 * kMicrosecond);
  const auto erase = static_cast<double>(timing.unloaded_erase());
  const double block = 8 * program + 4.0 / 3 * (6 * read + 2 * program + erase);
  const double blocks = 15;
  const auto measured = static_cast<double>(time(config, 840 + 15 * 24) - time(config, 840));
  EXPECT_NEAR(measured / (blocks * block), 1.0, 0.1);
  const Json result = simulate(config, {{sequential(1200), 16, 0}});
  EXPECT_EQ(slc(result, "units_written"), 125U * 6);
  EXPECT_GT(slc(result, "returned_blocks"), 15U);
}

using Shape = std::vector<std::string>;

// Fills the drive to its logical size in any order, then overwrites it many times, with as much lent as possible.
class FullDrive : public testing::TestWithParam<std::tuple<const char*, Shape>> {};

TEST_P(FullDrive, HasRoomForAllThatIsWritten) {
  Shape overrides = {"nand.slc_dynamic=24", "nand.slc_endurance=0"};
  const Shape& more = std::get<1>(GetParam());
  overrides.insert(overrides.end(), more.begin(), more.end());
  const DeviceConfig config = device(overrides);
  InstantDevice drive(config);
  const std::uint64_t units = drive.firmware->capacity_bytes() / kUnit;
  Random random(7);
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * kUnit, kUnit);
    for (std::uint64_t n = 0; n < 6 * units; ++n) drive.write(random.below(units) * kUnit, kUnit);
    if (round == 0) drive.run({.offset = 0, .length = units / 2 * kUnit, .kind = RequestKind::Trim});
    drive.restart();
  }
  EXPECT_EQ(drive.audit(), 0U);
  const FtlStatistics& statistics = drive.firmware->ftl().statistics();
  EXPECT_FALSE(drive.firmware->ftl().read_only());
  EXPECT_EQ(statistics.units_written, statistics.slc.units_written + statistics.slc.units_past);
}

std::string most_for(const char* most) { return std::string("ftl.logical_size=") + most; }

INSTANTIATE_TEST_SUITE_P(
    SlcDynamic, FullDrive,
    testing::Values(
        // The largest size that the configuration allows: 24 - 3 gc_high - 1 - 5 open - 1 of the log, 14 x 96 pages.
        std::tuple{"most", Shape{most_for("5376 KiB")}},
        std::tuple{"static_too", Shape{"nand.slc_blocks=3", "nand.slc_dynamic=21", most_for("4224 KiB")}},
        std::tuple{"dftl", Shape{"ftl.kind={ name = \"dftl\", cmt_size = \"512 B\" }", most_for("4 MiB")}},
        std::tuple{"blocking", Shape{"ftl.gc_mode=blocking"}},
        std::tuple{"blocking_in_one_block",
                   Shape{"ftl.gc_mode=blocking", "ftl.streams=single", "ftl.gc_low=1", "ftl.gc_high=2"}},
        std::tuple{"streams", Shape{"ftl.streams=two_level_lru", most_for("3 MiB")}},
        std::tuple{"never_folded", Shape{"ftl.slc_low=0"}}, std::tuple{"always_folded", Shape{"ftl.slc_low=20"}},
        std::tuple{"planes", Shape{"nand.planes=2", "nand.blocks=16", "nand.slc_dynamic=16", most_for("4 MiB")}},
        std::tuple{"one_shot", Shape{"nand.pages_per_program=3", "buffer.size=512 KiB"}},
        std::tuple{"journal", Shape{"ftl.recovery=journal", most_for("3 MiB")}},
        std::tuple{"levelled", Shape{"ftl.wear_leveling=static"}}),
    [](const auto& shown) { return std::string(std::get<0>(shown.param)); });

// A borrowed block wears by both kinds of cycles; the drive still ends its life with all data intact.
TEST(SlcDynamic, WearsTheBlocksThatItBorrows) {
  const auto bad = [](const std::string& endurance) {
    const DeviceConfig config = device({"nand.endurance=30", "nand.slc_endurance=" + endurance, "precondition.fill=0.5",
                                        "ftl.logical_size=3 MiB", "ftl.slc_idle=false"});
    MixOptions mix = mix_for(config, 6, 20000);
    mix.reads = 0;
    const Json result = simulate(config, {{random_mix(mix), 4, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    return result["wear"]["bad_blocks"].get<std::uint64_t>();
  };
  const std::uint64_t whole = bad("30");
  EXPECT_GT(whole, 0U);
  EXPECT_LT(bad("4000000"), whole);
}

// A saved state holds which blocks are lent, their mode, and those that are partly given back.
TEST(SlcDynamic, GoesOnFromASavedState) {
  const DeviceConfig config = device({"nand.slc_blocks=1", "nand.slc_dynamic=20", "ftl.logical_size=4 MiB"});
  InstantDevice drive(config);
  MixOptions mix = mix_for(config, 4, 1500);
  mix.reads = 10;
  for (int part = 0; part < 4; ++part) {
    mix.seed = static_cast<std::uint64_t>(part);
    for (const Request& request : random_mix(mix)) drive.run(request);
    const std::string bytes = saved(drive);
    InstantDevice again(config);
    ASSERT_TRUE(load_state(again, bytes));
    EXPECT_TRUE(saved(again) == bytes);
    mix.seed = 100;
    for (const Request& request : random_mix(mix)) {
      drive.run(request);
      again.run(request);
    }
    drive.restart();
    again.restart();
    EXPECT_EQ(drive.media.digest(), again.media.digest()) << part;
    EXPECT_TRUE(saved(again) == saved(drive)) << part;
  }
  EXPECT_GT(slc_use(*drive.firmware->ftl().blocks()).valid_units, 0U);
  EXPECT_EQ(drive.audit(), 0U);
}

TEST(SlcDynamic, DecidesAlikeOnBothClocks) {
  const DeviceConfig config = device(
      {"precondition.fill=0.5", "ftl.slc_idle=false", "nand.slc_blocks=2", "ftl.logical_size=4 MiB", "host.queues=1"});
  MixOptions mix = mix_for(config, 9, 3000);
  mix.reads = 30;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
  EXPECT_GT(of(timed, "folds"), 0U);
}

}  // namespace
}  // namespace flashloom::slc_dynamic_test
