// Wear levelling, end of life, bounded garbage collection, and background collection, on whole devices.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "policies/registry.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/plain_ftls.hpp"
#include "workloads/random.hpp"

namespace flashloom::wear_test {
namespace {

PolicyChoice choice(const std::string& name, std::map<std::string, ParameterValue> parameters = {}) {
  return {name, ParameterValues(std::move(parameters))};
}

DeviceConfig device() {
  DeviceConfig config;
  config.nand.channels = 2;
  config.nand.ways = 1;
  config.nand.blocks = 64;
  config.nand.pages = 32;
  config.ftl.over_provisioning = 0.4;
  config.buffer.mode = "write_through";
  config.buffer.size = 1 << 20;
  return config;
}

/// Fills the drive; then nine tenths of the writes go to a tenth of it, and half of the drive is never written again.
void age(InstantDevice& drive, double drive_writes) {
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
  Random random(3);
  for (auto left = static_cast<std::uint64_t>(drive_writes * static_cast<double>(units)); left != 0; --left) {
    const std::uint64_t unit = random.chance(0.9) ? random.below(units / 10) : random.below(units / 2);
    drive.write(unit * 4096, 4096);
  }
}

struct Spread {
  double mean = 0;
  double deviation = 0;
};

/// Erase-count spread over the blocks of some dies.
Spread spread(const InstantDevice& drive, std::uint32_t first, std::uint32_t dies) {
  double sum = 0;
  double squares = 0;
  const double blocks = dies * drive.geometry.blocks;
  for (std::uint32_t die = first; die < first + dies; ++die)
    for (std::uint32_t block = 0; block < drive.geometry.blocks; ++block) {
      const double erases = drive.media.erase_count(Die{die}, Block{block});
      sum += erases;
      squares += erases * erases;
    }
  return {sum / blocks, std::sqrt(squares / blocks - sum / blocks * sum / blocks)};
}

Spread spread(const InstantDevice& drive) { return spread(drive, 0, drive.geometry.dies); }

TEST(WearLevelingDevice, StaticAndGroupNarrowTheDistributionAtACostInWrites) {
  struct Result {
    Spread wear;
    double waf = 0;
  };
  const auto measure = [](const PolicyChoice& leveling) {
    DeviceConfig config = device();
    config.ftl.wear_leveling = leveling;
    InstantDevice drive(config);
    age(drive, 60);
    drive.firmware->ftl().check();
    const FtlStatistics& statistics = drive.firmware->ftl().statistics();
    const FlashCounters& counters = drive.flash.counters();
    // Every copy and every erase has an origin, and all moved units are on flash.
    EXPECT_EQ(counters.at(FlashOperation::Program, Origin::Wear).units, statistics.units_leveled);
    EXPECT_EQ(counters.at(FlashOperation::Program, Origin::Gc).units, statistics.units_moved);
    EXPECT_EQ(counters.at(FlashOperation::Erase, Origin::Wear).pages, statistics.wear_moves);
    EXPECT_EQ(counters.at(FlashOperation::Erase, Origin::Gc).pages, statistics.gc_runs);
    EXPECT_EQ(counters.at(FlashOperation::Program, Origin::Host).units, statistics.units_written);
    EXPECT_EQ(counters.at(FlashOperation::Read, Origin::Wear).units, statistics.units_leveled);
    Result result{spread(drive), 0};
    result.waf = static_cast<double>(counters.total(FlashOperation::Program).pages) /
                 static_cast<double>(statistics.units_written);
    std::printf("%-8s mean %.1f, deviation %.2f erases, WAF %.3f, %llu moves\n", leveling.name.c_str(),
                result.wear.mean, result.wear.deviation, result.waf,
                static_cast<unsigned long long>(statistics.wear_moves));
    return result;
  };
  const Result none = measure(choice("none"));
  const Result dynamic = measure(choice("dynamic"));
  const Result fixed = measure(choice("static", {{"threshold", std::int64_t{8}}}));
  const Result loose = measure(choice("static", {{"threshold", std::int64_t{40}}}));
  const Result group = measure(choice("group", {{"blocks", std::int64_t{8}}, {"threshold", std::int64_t{8}}}));
  EXPECT_LT(dynamic.wear.deviation, none.wear.deviation);
  EXPECT_LT(fixed.wear.deviation, 0.25 * dynamic.wear.deviation);
  EXPECT_LT(fixed.wear.deviation, 8);
  EXPECT_LT(fixed.wear.deviation, loose.wear.deviation);
  EXPECT_LT(loose.wear.deviation, 0.8 * dynamic.wear.deviation);
  EXPECT_LT(group.wear.deviation, 0.5 * dynamic.wear.deviation);
  for (const Result& moving : {fixed, loose, group}) EXPECT_GT(moving.waf, dynamic.waf);
  EXPECT_GT(fixed.waf, loose.waf);
}

// Cold data move rarely, not back and forth: each move lets the die take `threshold` more erases.
TEST(WearLevelingDevice, MovesNoMoreThanTheThresholdAsksFor) {
  DeviceConfig config = device();
  config.ftl.wear_leveling = choice("static", {{"threshold", std::int64_t{8}}});
  InstantDevice drive(config);
  age(drive, 60);
  const FtlStatistics& statistics = drive.firmware->ftl().statistics();
  EXPECT_GT(statistics.wear_moves, 0U);
  EXPECT_LT(statistics.wear_moves, (statistics.gc_runs + statistics.wear_moves) / 4);
}

// Block mapping: a cold data block moves as a whole. Half of the logical blocks are written once; without moves their
// blocks are never erased again, and all other blocks wear faster.
class BlockMappedWear : public testing::TestWithParam<std::string> {};

TEST_P(BlockMappedWear, ColdDataBlocksMoveToWornBlocks) {
  struct Result {
    Spread wear;
    std::uint64_t moves = 0;
  };
  const auto measure = [](const PolicyChoice& leveling, double drive_writes) {
    DeviceConfig config = device();
    config.ftl.kind = choice(GetParam());
    config.ftl.over_provisioning = 0.5;
    config.ftl.wear_leveling = leveling;
    InstantDevice drive(config);
    age(drive, drive_writes);
    drive.firmware->ftl().check();
    const FtlStatistics& statistics = drive.firmware->ftl().statistics();
    const FlashCounters& counters = drive.flash.counters();
    EXPECT_EQ(counters.at(FlashOperation::Program, Origin::Wear).units, statistics.units_leveled);
    EXPECT_EQ(counters.at(FlashOperation::Read, Origin::Wear).units, statistics.units_leveled);
    EXPECT_EQ(counters.at(FlashOperation::Erase, Origin::Wear).pages, statistics.wear_moves);
    // A logical block stays on its die, so a die's wear depends on its host data.
    Result result{spread(drive, 0, 1), statistics.wear_moves};
    for (std::uint32_t die = 1; die < drive.geometry.dies; ++die)
      result.wear.deviation = std::max(result.wear.deviation, spread(drive, die, 1).deviation);
    std::printf("%-10s %-8s mean %.1f, deviation %.2f erases, %llu moves\n", GetParam().c_str(), leveling.name.c_str(),
                result.wear.mean, result.wear.deviation, static_cast<unsigned long long>(result.moves));
    return result;
  };
  const PolicyChoice fixed = choice("static", {{"threshold", std::int64_t{8}}});
  const Result dynamic = measure(choice("dynamic"), 4);
  const Result longer = measure(choice("dynamic"), 8);
  EXPECT_GT(longer.wear.deviation, 1.7 * dynamic.wear.deviation);
  const Result moved = measure(fixed, 4);
  const Result moved_longer = measure(fixed, 8);
  // The threshold bounds the deviation, which does not grow with the writes.
  EXPECT_LT(moved.wear.deviation, 8);
  EXPECT_LT(moved_longer.wear.deviation, 8);
  EXPECT_LT(measure(choice("group", {{"blocks", std::int64_t{8}}, {"threshold", std::int64_t{8}}}), 8).wear.deviation,
            0.75 * longer.wear.deviation);
}

INSTANTIATE_TEST_SUITE_P(Ftls, BlockMappedWear, testing::Values("log_block", "fast", "block_map", "nvram_block"));

// Copies of GC go to the host's blocks, but wear-levelling moves go to blocks of their own, whose last word lines wait
// for more such data: an erase that a write waits for must not wait for them.
TEST(WearLevelingDevice, MovesEndWhereCopiesShareTheBlocksOfTheHost) {
  const DeviceConfig config =
      small_preset("tiny", {"nand.blocks=24", "nand.pages=8", "nand.paired_pages=true", "nand.pages_per_program=2",
                            "nand.program_time=[\"300 us\", \"600 us\", \"900 us\"]", "nand.read_time=30 us",
                            "buffer.size=256 KiB", "ftl.over_provisioning=3", "ftl.streams=single",
                            "ftl.wear_leveling={ name = \"group\", blocks = 4, threshold = 2 }"});
  MixOptions mix = mix_for(config, 1, 4000);
  mix.reads = mix.trims = 0;
  const Json result = simulate(config, {{random_mix(mix), 8, 0}});
  EXPECT_GT(result["ftl_statistics"]["wear_moves"], 0);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

std::string test_name(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

class WearTwoClocks : public testing::TestWithParam<std::string> {};

// Decisions of wear levelling, bounded collection, endurance and plane-local copies depend only on the order of writes.
TEST_P(WearTwoClocks, WriteAlikeAtDepthOneAndVerify) {
  for (const char* const leveling : {"dynamic", "static", "group"}) {
    std::vector<std::string> overrides = {"nand.blocks=32",
                                          "precondition.fill=0.95",
                                          GetParam(),
                                          "nand.endurance=60",
                                          "nand.endurance_deviation=0.1",
                                          "nand.program_failures=0.5",
                                          std::string("ftl.wear_leveling=") + leveling};
    if (std::string(leveling) != "dynamic")
      overrides.back() = std::string("ftl.wear_leveling={ name = \"") + leveling + "\", threshold = 1 }";
    const DeviceConfig config = small_preset("tiny", overrides);
    MixOptions mix = mix_for(config, 5, 6000);
    mix.whole_units = true;
    mix.reads = 10;
    const std::vector<Request> requests = random_mix(mix);
    const Json timed = simulate(config, {{requests, 1, 0}});
    const Json instant = run_instantly(config, requests);
    SCOPED_TRACE(leveling);
    expect_wrote_alike(timed, instant);
    if (std::string(leveling) == "static") {
      EXPECT_GT(timed["ftl_statistics"]["wear_moves"], 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Options, WearTwoClocks,
                         testing::Values("ftl.gc_pause=3", "nand.planes=1", "ftl.garbage_collection=cost_age_times",
                                         "ftl.garbage_collection=d_choices", "ftl.streams=single"),
                         [](const auto& test) { return test_name(test.param); });

struct Life {
  std::string ftl;
  std::string unit;
  double deviation;
  double program_failures;
  std::string recovery = "oob_scan";
};

void PrintTo(const Life& life, std::ostream* out) { *out << life.ftl << ' ' << life.unit << ' ' << life.recovery; }

void apply(const Life& life, DeviceConfig& config) {
  config.nand.endurance_deviation = life.deviation;
  config.nand.program_failures = life.program_failures;
  config.ftl.recovery = choice(life.recovery);
  if (life.recovery != "nvram_map") return;
  config.nvram.kind = "stt_mram";
  config.nvram.size = 1 << 20;
}

std::vector<Life> lives() {
  std::vector<Life> all;
  for (const PartInfo* ftl : plain_ftls()) {
    for (const double failures : {0.0, 0.5}) all.push_back({ftl->name, "block", 0.1, failures});
    all.push_back({ftl->name, "block", 0.0, 0.5});
    if (ftl->name == "page_map" || ftl->name == "dftl") all.push_back({ftl->name, "superblock", 0.1, 0.5});
  }
  for (const double failures : {0.0, 0.5}) all.push_back({"nvram_block", "block", 0.1, failures, "nvram_map"});
  for (const char* const ftl : {"dftl", "log_block", "fast", "block_map", "nvram_block"})
    for (const char* const method : {"checkpoint", "journal"}) all.push_back({ftl, "block", 0.1, 0.5, method});
  all.push_back({"dftl", "superblock", 0.1, 0.5, "checkpoint"});
  return all;
}

class EndOfLife : public testing::TestWithParam<Life> {};

// Written to end of life: blocks fail one after the other; then the device refuses writes, keeps all data, and stays
// read-only across power cycles.
TEST_P(EndOfLife, IsReadOnlyAndKeepsAllData) {
  const Life& life = GetParam();
  const std::string kind = life.ftl == "dftl" ? R"({ name = "dftl", cmt_size = "512 B" })" : "\"" + life.ftl + "\"";
  DeviceConfig config = small_preset(
      "tiny", {"nand.channels=2", "nand.ways=1", "nand.blocks=64", "nand.pages=32", "ftl.over_provisioning=0.5",
               "buffer.mode=write_through", "buffer.size=1 MiB", "nand.endurance=40", "ftl.kind=" + kind,
               "ftl.wear_leveling={ name = \"static\", threshold = 8 }", "ftl.gc_unit=" + life.unit, "verify=true"});
  apply(life, config);
  InstantDevice drive(config);
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  Random random(9);
  std::uint64_t written = 0;
  std::uint64_t first_bad = 0;
  const auto write = [&](std::uint64_t unit) {
    return drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Write});
  };
  for (std::uint64_t unit = 0; unit < units; ++unit) ASSERT_EQ(write(unit), IoStatus::Ok);
  while (write(random.below(units)) == IoStatus::Ok) {
    ++written;
    if (written % 1000 == 0) drive.firmware->ftl().check();
    if (first_bad == 0 && drive.firmware->ftl().bad_blocks() != 0) first_bad = written;
    ASSERT_LT(written, 200 * units) << "never worn out";
  }
  const Ftl& ftl = drive.firmware->ftl();
  EXPECT_TRUE(ftl.read_only());
  EXPECT_GT(first_bad, 0U);
  EXPECT_LT(first_bad, written) << "one bad block is not the end";
  // Spare erase units: a third of 128, minus the reserve of two dies.
  if (life.deviation != 0) {
    EXPECT_GT(ftl.bad_blocks(), 8U);
  }
  EXPECT_GT(ftl.bad_blocks(), 1U);
  EXPECT_LT(ftl.bad_blocks(), 43U);
  std::printf("%llu drive writes, %u bad blocks\n", static_cast<unsigned long long>(written / units), ftl.bad_blocks());
  ftl.check();
  EXPECT_EQ(drive.run({.offset = 0, .length = 4096, .kind = RequestKind::Trim}), IoStatus::WriteProtected);
  EXPECT_EQ(drive.run({.offset = 0, .length = 4096, .kind = RequestKind::Read}), IoStatus::Ok);
  EXPECT_EQ(drive.run({.kind = RequestKind::Flush}), IoStatus::Ok);
  EXPECT_EQ(drive.audit(), 0U);
  const std::uint32_t bad = ftl.bad_blocks();
  for (int cycle = 0; cycle < 3; ++cycle) {
    drive.restart();
    EXPECT_GE(drive.firmware->ftl().bad_blocks(), bad);  // pending erases were done
    EXPECT_TRUE(drive.firmware->ftl().read_only());
    EXPECT_EQ(write(0), IoStatus::WriteProtected);
    EXPECT_EQ(drive.audit(), 0U);
    drive.firmware->ftl().check();
  }
}

INSTANTIATE_TEST_SUITE_P(EveryFtl, EndOfLife, testing::ValuesIn(lives()), [](const auto& test) {
  return test_name(test.param.ftl + "_" + test.param.unit + "_" + std::to_string(test.index));
});

std::vector<Life> full_lives() {
  std::vector<Life> all = lives();
  std::erase_if(all, [](const Life& life) { return life.deviation == 0 || life.program_failures == 0; });
  return all;
}

// A buffer larger than the reserve kept for it at end of life: flash takes what fits, the rest stays readable in the
// buffer, flushes fail, and a power cut loses only data that no flush had confirmed.
class FullBuffer : public testing::TestWithParam<Life> {};

TEST_P(FullBuffer, KeepsWhatWornOutFlashHasNoRoomFor) {
  const Life& life = GetParam();
  DeviceConfig config = small_preset("tiny", {"nand.channels=2", "nand.ways=1", "nand.blocks=64", "nand.pages=8",
                                              "ftl.over_provisioning=1", "buffer.size=1 MiB", "nand.endurance=6",
                                              "ftl.kind=" + life.ftl, "ftl.gc_unit=" + life.unit, "verify=true"});
  apply(life, config);
  InstantDevice drive(config);
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  Random random(5);
  std::uint64_t written = 0;
  IoStatus status = IoStatus::Ok;
  while (status == IoStatus::Ok) {
    const std::uint64_t unit = random.below(units - 8);
    status = drive.run({.offset = unit * 4096, .length = 8 * 4096, .kind = RequestKind::Write});
    ASSERT_LT(++written, 100 * units) << "never worn out";
  }
  EXPECT_EQ(status, IoStatus::WriteProtected);
  EXPECT_EQ(drive.run({.kind = RequestKind::Flush}), IoStatus::WriteProtected);
  EXPECT_TRUE(drive.firmware->ftl().out_of_room());
  EXPECT_GT(drive.firmware->buffer().statistics().refused_units, 0U);
  EXPECT_EQ(drive.run({.kind = RequestKind::Flush}), IoStatus::WriteProtected);
  EXPECT_EQ(drive.audit(), 0U);
  drive.restart();
  EXPECT_TRUE(drive.firmware->ftl().read_only());
  EXPECT_EQ(drive.firmware->buffer().dirty_units(), 0U);
  EXPECT_EQ(drive.run({.kind = RequestKind::Flush}), IoStatus::Ok);
  EXPECT_EQ(drive.audit(), 0U);
}

INSTANTIATE_TEST_SUITE_P(EveryFtl, FullBuffer, testing::ValuesIn(full_lives()), [](const auto& test) {
  return test_name(test.param.ftl + "_" + test.param.unit + "_" + test.param.recovery);
});

class WornOutTwoClocks : public testing::TestWithParam<std::string> {};

// The device's state, up to its end of life and beyond, depends only on the order of writes.
TEST_P(WornOutTwoClocks, EndAlikeAtDepthOneAndVerify) {
  const std::string kind = GetParam() == "dftl" ? R"({ name = "dftl", cmt_size = "512 B" })" : "\"" + GetParam() + "\"";
  const DeviceConfig config = small_preset(
      "tiny", {"nand.blocks=24", "nand.pages=16", "ftl.over_provisioning=1", "precondition.fill=0.5",
               "ftl.kind=" + kind, "nand.endurance=6", "nand.endurance_deviation=0.1", "nand.program_failures=0.5",
               "buffer.mode=write_through"});  // else the buffer takes some more before it learns of the end
  MixOptions mix = mix_for(config, 5, 6000);
  mix.whole_units = true;
  mix.reads = PartCatalog::instance().find("ftl", GetParam())->time_dependent ? 0 : 10;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
  EXPECT_GT(timed["host"]["write_protected"], 0) << "never worn out";
}

INSTANTIATE_TEST_SUITE_P(EveryFtl, WornOutTwoClocks, testing::ValuesIn([] {
                           std::vector<std::string> all;
                           for (const PartInfo* ftl : plain_ftls()) all.push_back(ftl->name);
                           return all;
                         }()),
                         [](const auto& test) { return test.param; });

// If wear levelling evens out equal blocks, they wear out together: the device lives about as long as its flash.
TEST(Endurance, OfALevelledDeviceIsThatOfItsFlash) {
  const auto lifetime = [](const char* leveling) {
    DeviceConfig config = device();
    config.nand.endurance = 100;
    config.ftl.wear_leveling = choice(leveling);
    if (std::string(leveling) == "static")
      config.ftl.wear_leveling = choice(leveling, {{"threshold", std::int64_t{8}}});
    InstantDevice drive(config);
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
    Random random(3);
    while (drive.run({.offset = (random.chance(0.9) ? random.below(units / 10) : random.below(units / 2)) * 4096,
                      .length = 4096,
                      .kind = RequestKind::Write}) == IoStatus::Ok) {
    }
    return spread(drive).mean;
  };
  const double none = lifetime("none");
  const double fixed = lifetime("static");
  std::printf("mean erases at the end of life, of 100: none %.1f, static %.1f\n", none, fixed);
  EXPECT_GT(fixed, 90);
  EXPECT_GT(fixed, 1.3 * none);
}

// More live data than the configuration check would allow: an error that says so, and no endless search.
TEST(FullDevice, SaysSo) {
  DeviceConfig config = device();
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  config.ftl.logical_size = geometry.raw_bytes();
  for (const char* const policy : {"greedy", "fifo", "random", "d_choices", "cost_benefit", "windowed_greedy"}) {
    config.ftl.garbage_collection = choice(policy);
    InstantDevice drive(config);
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    try {
      for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
      FAIL() << policy;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find("the device is full"), std::string::npos) << error.what();
    }
  }
}

// ftl.gc_pause bounds the copies that one write waits for, as long as more than one free block is left.
TEST(IncrementalCollection, CopiesNoMoreThanThePauseAtATime) {
  const auto longest = [](std::uint32_t pause) {
    DeviceConfig config = device();
    config.ftl.over_provisioning = 0.6;
    config.ftl.gc_low = 12;
    config.ftl.gc_high = 14;
    config.ftl.gc_pause = pause;
    InstantDevice drive(config);
    const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
    for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
    Random random(4);
    std::uint64_t most = 0;
    for (std::uint64_t i = 0; i < 10 * units; ++i) {
      const std::uint64_t before = drive.firmware->ftl().statistics().units_moved;
      drive.write(random.below(units) * 4096, 4096);
      most = std::max(most, drive.firmware->ftl().statistics().units_moved - before);
    }
    return most;
  };
  EXPECT_GT(longest(0), 4U);
  EXPECT_EQ(longest(2), 2U);
}

// In idle time collection raises free space to ftl.gc_background, so that the next writes copy nothing.
TEST(BackgroundCollection, UsesGapsAndSparesTheWrites) {
  DeviceConfig config = device();
  config.ftl.gc_background = 10;
  InstantDevice drive(config);
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  for (std::uint64_t unit = 0; unit < units; ++unit) drive.write(unit * 4096, 4096);
  Random random(4);
  for (std::uint64_t i = 0; i < 3 * units; ++i) drive.write(random.below(units) * 4096, 4096);
  EXPECT_LE(drive.firmware->ftl().least_free_blocks(), config.ftl.gc_high);
  InstantHost host(drive.runtime, *drive.firmware, 512, nullptr);
  EXPECT_EQ(host.idle(3), 3U);  // no more than asked for
  const std::uint64_t steps = host.idle(1 << 20);
  EXPECT_GT(steps, 10U);
  EXPECT_EQ(host.idle(1), 0U);
  EXPECT_EQ(drive.firmware->ftl().least_free_blocks(), 10U);
  const std::uint64_t before = drive.firmware->ftl().statistics().units_moved;
  for (std::uint64_t i = 0; i < 6 * 2 * 32; ++i) drive.write(random.below(units) * 4096, 4096);  // six blocks of a die
  EXPECT_EQ(drive.firmware->ftl().statistics().units_moved, before);
  drive.firmware->ftl().check();
}

TEST(BackgroundCollection, RunsWhileTheHostIsIdleAndStopsWhenItIsNot) {
  const auto run = [](const std::string& background) {
    const DeviceConfig config = small_preset("tiny", {"precondition.fill=0.95", background, "buffer.size=64 KiB"});
    MixOptions mix = mix_for(config, 5, 6000);
    mix.gap_ps = 6 * kMillisecond;
    mix.whole_units = true;
    mix.reads = 0;
    return simulate(config, {{random_mix(mix), 0, 0}});
  };
  const Json without = run("ftl.gc_background=0");
  const Json with = run("ftl.gc_background=12");
  EXPECT_EQ(with["verify"]["mismatches"], 0);
  EXPECT_GT(with["ftl"]["free_blocks_min"], without["ftl"]["free_blocks_min"]);
}

}  // namespace
}  // namespace flashloom::wear_test
