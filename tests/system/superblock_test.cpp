// ftl.gc_unit = "superblock": superblocks behave like blocks of their size, are erased together, shrink by bad members,
// and work with every other option of placement, collection and wear levelling.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/waf_models.hpp"
#include "workloads/random.hpp"

namespace flashloom::superblock_test {
namespace {

DeviceConfig device(const char* gc_unit, std::uint32_t dies = 4) {
  DeviceConfig config;
  config.nand.channels = 2;
  config.nand.ways = dies / 2;
  config.nand.blocks = 128;
  config.nand.pages = 16;
  config.ftl.over_provisioning = 0.25;
  config.ftl.gc_unit = gc_unit;
  config.buffer.mode = "write_through";  // every write reaches the FTL
  config.buffer.size = 1 << 20;
  return config;
}

std::uint64_t units_of(const InstantDevice& drive) { return drive.firmware->capacity_bytes() / 4096; }

void fill(InstantDevice& drive) {
  for (std::uint64_t unit = 0; unit < units_of(drive); ++unit) drive.write(unit * 4096, 4096);
}

void overwrite(InstantDevice& drive, std::uint64_t n, std::uint64_t seed = 1) {
  Random random(seed);
  for (std::uint64_t i = 0; i < n; ++i) drive.write(random.below(units_of(drive)) * 4096, 4096);
}

struct Steady {
  double waf;
  std::uint64_t victims;
};

Steady steady(InstantDevice& drive) {
  const std::uint64_t units = units_of(drive);
  fill(drive);
  overwrite(drive, 6 * units);
  const FtlStatistics before = drive.firmware->ftl().statistics();
  overwrite(drive, 4 * units, 2);
  FtlStatistics during = drive.firmware->ftl().statistics();
  during -= before;
  drive.firmware->ftl().check();
  return {1 + static_cast<double>(during.units_moved) / static_cast<double>(during.units_written), during.gc_runs};
}

std::uint32_t erases(const InstantDevice& drive, std::uint32_t die, std::uint32_t block) {
  return drive.media.erase_count(Die{die}, Block{block});
}

// A superblock of one die is a block: all decisions are the same, on both clocks.
TEST(Superblock, OfOneDieIsABlock) {
  for (const char* const extra : {"ftl.streams=origin", "ftl.streams=single", "ftl.kind=dftl",
                                  "ftl.wear_leveling={ name = \"static\", threshold = 2 }", "ftl.gc_pause=2",
                                  "ftl.garbage_collection=d_choices", "ftl.garbage_collection=cost_benefit"}) {
    const auto run = [&](bool superblocks, bool timed) {
      std::vector<std::string> overrides = {"precondition.fill=0.95", "nand.blocks=32", extra};
      if (superblocks) overrides.insert(overrides.end(), {"ftl.gc_unit=superblock", "ftl.superblock_dies=1"});
      const DeviceConfig config = small_preset("tiny", overrides);
      MixOptions mix = mix_for(config, 5, 4000);
      mix.reads = 0;
      mix.whole_units = true;
      mix.trims = 0;  // the log of trims would take whole superblocks
      const std::vector<Request> requests = random_mix(mix);
      Json result = timed ? simulate(config, {{requests, 1, 0}}) : run_instantly(config, requests);
      return Json{result["digest"], result["ftl_statistics"], result["counters"], result["verify"]["mismatches"]};
    };
    for (const bool timed : {false, true}) {
      const Json block = run(false, timed);
      EXPECT_EQ(block, run(true, timed)) << extra;
      EXPECT_GT(block[1]["gc_runs"], 0);
      EXPECT_EQ(block[3], 0);
    }
  }
}

// Superblocks over all dies collect the same victims, and copy the same units, as one die with blocks of that size,
// whose WAF the greedy model predicts. They copy more than blocks do, in fewer and larger victims.
TEST(Superblock, CollectsAsOneDieWithLargerBlocksDoes) {
  InstantDevice blocks(device("block"));
  InstantDevice superblocks(device("superblock"));
  DeviceConfig large = device("block");
  large.nand.channels = large.nand.ways = 1;
  large.nand.pages *= 4;
  InstantDevice one(large);
  const Steady of_blocks = steady(blocks);
  const Steady of_superblocks = steady(superblocks);
  const Steady of_one = steady(one);
  EXPECT_EQ(of_superblocks.victims, of_one.victims);
  EXPECT_EQ(of_superblocks.waf, of_one.waf);
  const FtlConfig& ftl = large.ftl;
  const double reserve = (ftl.gc_low + ftl.gc_high) / 2.0 + 1.0;
  const double u = static_cast<double>(units_of(superblocks)) / ((128 - reserve) * 64);
  const double model = waf_models::greedy(u, 64);
  std::printf("WAF: blocks %.3f, superblocks of 4 dies %.3f, model of greedy with blocks of 64 units %.3f\n",
              of_blocks.waf, of_superblocks.waf, model);
  EXPECT_LT(std::abs(of_superblocks.waf / model - 1), 0.03);
  EXPECT_GT(of_superblocks.waf, of_blocks.waf);
  EXPECT_LT(3 * of_superblocks.victims, of_blocks.victims);
  // All members have equal erase counts; with single blocks the dies differ.
  bool apart = false;
  for (std::uint32_t block = 0; block < 128; ++block)
    for (std::uint32_t die = 1; die < 4; ++die) {
      EXPECT_EQ(erases(superblocks, die, block), erases(superblocks, 0, block)) << block;
      apart = apart || erases(blocks, die, block) != erases(blocks, 0, block);
    }
  EXPECT_TRUE(apart);
}

// Each group of dies collects by itself; the more dies in a group, the fewer and larger the victims.
TEST(Superblock, IsAsLargeAsItsDies) {
  std::map<std::uint32_t, Steady> of_dies;
  for (const std::uint32_t dies : {1U, 2U, 4U}) {
    DeviceConfig config = device("superblock");
    config.ftl.superblock_dies = dies;
    InstantDevice drive(config);
    of_dies[dies] = steady(drive);
    for (std::uint32_t block = 0; block < 128; ++block)
      for (std::uint32_t die = 0; die < 4; ++die)
        EXPECT_EQ(erases(drive, die, block), erases(drive, die / dies * dies, block)) << dies << " dies";
  }
  EXPECT_GT(of_dies[1].victims, 3 * of_dies[2].victims / 2);
  EXPECT_GT(of_dies[2].victims, 3 * of_dies[4].victims / 2);
  EXPECT_LE(of_dies[1].waf, of_dies[2].waf);
  EXPECT_LE(of_dies[2].waf, of_dies[4].waf);
}

class SuperblockWith : public testing::TestWithParam<const char*> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& extra = {}) {
    std::vector<std::string> overrides = {"ftl.gc_unit=superblock", "precondition.fill=0.95", GetParam()};
    // 2 x 2 dies of two planes, programmed independently unless overridden.
    overrides.insert(overrides.end(), {"nand.planes=2", "nand.blocks=48", "nand.pages=12", "ftl.over_provisioning=1"});
    overrides.insert(overrides.end(), extra.begin(), extra.end());
    return small_preset("tiny", overrides);
  }
};

// Both clocks decide alike, nothing is lost, and members are opened and erased together.
TEST_P(SuperblockWith, DecidesAlikeOnBothClocks) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, 8, 4000);
  mix.whole_units = true;
  mix.reads = 0;
  mix.streams = 2;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
  // The journal logs programs as they complete: only the contents of its pages depend on time.
  if (config.ftl.recovery.name != "journal") {
    EXPECT_EQ(timed["digest"], instant["digest"]);
  }
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
  EXPECT_GT(instant["ftl_statistics"]["gc_runs"], 0);
}

TEST_P(SuperblockWith, LosesNothingAtDepthAndAtPowerCuts) {
  DeviceConfig config = device({"power.off_time=1 ms"});
  MixOptions mix = mix_for(config, 3, 2000);
  mix.streams = 2;
  mix.fua = 10;
  mix.flushes = 2;
  const std::vector<TestJob> jobs = {{random_mix(mix), 16, 0}};
  const Json whole = simulate(config, jobs);
  EXPECT_EQ(whole["verify"]["mismatches"], 0) << whole["verify"]["first_mismatch"];
  EXPECT_GT(whole["ftl_statistics"]["gc_runs"], 0);
  EXPECT_EQ(simulate(config, jobs), whole);
  const auto length = whole["end_ps"].get<Picoseconds>();
  for (int cut = 1; cut <= 3; ++cut) {
    config.power.cut_at = length * cut / 4;
    const Json result = simulate(config, jobs);
    EXPECT_EQ(result["power"]["cuts"], 1);
    EXPECT_EQ(result["host"]["media_errors"], 0);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  }
}

INSTANTIATE_TEST_SUITE_P(
    Options, SuperblockWith,
    testing::Values("nand.multi_plane_program=true", "ftl.superblock_dies=2", "ftl.placement=superblock",
                    "ftl.placement={ name = \"superblock\", dies = 2 }",
                    "ftl.placement={ name = \"static_order\", by = \"address\" }", "ftl.placement=least_worn",
                    "ftl.streams=single", "ftl.streams={ name = \"host\", count = 2 }", "ftl.garbage_collection=fifo",
                    "ftl.garbage_collection=random", "ftl.garbage_collection=cost_age_times",
                    "ftl.garbage_collection=windowed_greedy", "ftl.wear_leveling={ name = \"static\", threshold = 2 }",
                    "ftl.wear_leveling={ name = \"group\", threshold = 2 }", "ftl.gc_pause=3", "ftl.recovery=journal",
                    "ftl.recovery=checkpoint", "ftl.kind={ name = \"dftl\", cmt_size = \"512 B\" }"),
    [](const auto& test) {
      std::string name = test.param;
      for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
      return name;
    });

// Wear levelling moves whole superblocks, so that cold ones are erased, too.
TEST(Superblock, IsLevelled) {
  const auto deviation = [](const char* leveling) {
    DeviceConfig config = device("superblock");
    config.nand.blocks = 64;
    config.ftl.over_provisioning = 0.4;
    config.ftl.wear_leveling = {leveling, {}};
    if (std::string(leveling) == "static")
      config.ftl.wear_leveling.parameters = ParameterValues({{"threshold", std::int64_t{4}}});
    InstantDevice drive(config);
    fill(drive);
    Random random(3);
    for (std::uint64_t i = 0; i < 30 * units_of(drive); ++i)
      drive.write(random.below(units_of(drive) / (random.chance(0.9) ? 10 : 2)) * 4096, 4096);
    double sum = 0;
    double squares = 0;
    for (std::uint32_t block = 0; block < 64; ++block) {
      sum += erases(drive, 0, block);
      squares += std::pow(erases(drive, 0, block), 2);
      for (std::uint32_t die = 1; die < 4; ++die) EXPECT_EQ(erases(drive, die, block), erases(drive, 0, block));
    }
    EXPECT_EQ(drive.firmware->ftl().statistics().wear_moves != 0, std::string(leveling) == "static");
    drive.firmware->ftl().check();
    return std::sqrt(squares / 64 - sum / 64 * sum / 64);
  };
  const double none = deviation("none");
  const double levelled = deviation("static");
  std::printf("standard deviation of erases: none %.1f, static %.1f\n", none, levelled);
  EXPECT_LT(3 * levelled, none);
}

// Idle-time collection raises the number of free superblocks to gc_background.
TEST(Superblock, IsCollectedInIdleTime) {
  DeviceConfig config = device("superblock");
  config.ftl.over_provisioning = 0.4;
  config.ftl.gc_background = 10;
  InstantDevice drive(config);
  fill(drive);
  overwrite(drive, 3 * units_of(drive));
  EXPECT_LE(drive.firmware->ftl().least_free_blocks(), config.ftl.gc_high);
  InstantHost host(drive.runtime, *drive.firmware, 512, nullptr);
  EXPECT_GT(host.idle(1 << 20), 10U);
  EXPECT_EQ(drive.firmware->ftl().least_free_blocks(), 10U);
  const std::uint64_t before = drive.firmware->ftl().statistics().units_moved;
  overwrite(drive, 6 * 64);  // six superblocks
  EXPECT_EQ(drive.firmware->ftl().statistics().units_moved, before);
  drive.firmware->ftl().check();
}

TEST(Superblock, CopiesNoMoreThanThePauseAtATime) {
  DeviceConfig config = device("superblock");
  config.ftl.over_provisioning = 0.6;
  config.ftl.gc_low = 12;
  config.ftl.gc_high = 14;
  config.ftl.gc_pause = 2;
  InstantDevice drive(config);
  fill(drive);
  Random random(4);
  std::uint64_t most = 0;
  for (std::uint64_t i = 0; i < 5 * units_of(drive); ++i) {
    const std::uint64_t before = drive.firmware->ftl().statistics().units_moved;
    drive.write(random.below(units_of(drive)) * 4096, 4096);
    most = std::max(most, drive.firmware->ftl().statistics().units_moved - before);
  }
  EXPECT_EQ(most, 2U);
}

// Trims: the metadata log has superblocks of its own, and releases them.
TEST(Superblock, KeepsTrimsOverRestarts) {
  DeviceConfig config = device("superblock");
  config.verify = true;
  InstantDevice drive(config);
  fill(drive);
  Random random(6);
  for (int life = 0; life < 4; ++life) {
    EXPECT_EQ(drive.firmware->ftl().statistics().units_trimmed, 0U);
    for (int i = 0; i < 3000; ++i) {
      const std::uint64_t unit = random.below(units_of(drive));
      drive.run({.offset = unit * 4096, .length = 4096, .kind = i % 4 == 0 ? RequestKind::Trim : RequestKind::Write});
      if (i % 50 == 0) drive.run({.kind = RequestKind::Flush});
    }
    drive.run({.kind = RequestKind::Flush});
    EXPECT_GT(drive.firmware->ftl().statistics().units_trimmed, 100U);
    drive.restart();
    EXPECT_EQ(drive.audit(), 0U);
  }
}

// Worn-out members shrink their superblocks until the device is read-only; no data are lost.
TEST(Superblock, ShrinksByBadMembers) {
  for (const double failures : {0.0, 0.5}) {
    DeviceConfig config = device("superblock");
    config.nand.blocks = 64;
    config.ftl.over_provisioning = 0.5;
    config.verify = true;
    config.nand.endurance = 30;
    config.nand.endurance_deviation = 0.1;
    config.nand.program_failures = failures;
    InstantDevice drive(config);
    fill(drive);
    Random random(9);
    std::uint64_t written = 0;
    std::uint64_t first_bad = 0;
    const auto write = [&] {
      return drive.run({.offset = random.below(units_of(drive)) * 4096, .length = 4096, .kind = RequestKind::Write});
    };
    while (write() == IoStatus::Ok) {
      ++written;
      if (first_bad == 0 && drive.firmware->ftl().bad_blocks() != 0) first_bad = written;
      if (written % 5000 == 0) {
        drive.restart();
        ASSERT_EQ(drive.audit(), 0U);
      }
      ASSERT_LT(written, 200 * units_of(drive)) << "never worn out";
    }
    EXPECT_TRUE(drive.firmware->ftl().read_only());
    EXPECT_GT(first_bad, 0U);
    EXPECT_LT(first_bad, written) << "one bad block is not the end";
    EXPECT_GT(drive.firmware->ftl().bad_blocks(), 8U);
    std::printf("%u of 256 blocks bad at the end, after %.1f drive writes\n", drive.firmware->ftl().bad_blocks(),
                static_cast<double>(written) / static_cast<double>(units_of(drive)));
    // At least one superblock has lost some but not all members.
    bool shrunk = false;
    for (std::uint32_t block = 0; block < 64; ++block) {
      std::uint32_t bad = 0;
      for (std::uint32_t die = 0; die < 4; ++die) bad += drive.media.bad(Die{die}, Block{block}) ? 1 : 0;
      shrunk = shrunk || (bad != 0 && bad != 4);
    }
    EXPECT_TRUE(shrunk);
    EXPECT_EQ(drive.audit(), 0U);
    drive.restart();
    EXPECT_EQ(drive.audit(), 0U);
  }
}

}  // namespace
}  // namespace flashloom::superblock_test
