// nand.variation and ftl.superblock_by in whole devices: throughput against the slowest drawn members, both clocks,
// saved states, power cuts, and every feature whose times or members vary.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "models/nand/nand_timing.hpp"
#include "models/nand/nand_variation.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::variation_test {
namespace {

// 8 dies on 4 channels; everything but the arrays is fast, so writes wait for the arrays.
DeviceConfig stream_device(const std::string& by) {
  return preset("calibration",
                {"nand.channels=4", "nand.ways=2", "nand.blocks=48", "nand.pages=128",
                 "nand.variation.program_block=0.12", "nand.variation.program_die=0.03",
                 "nand.variation.program_layer=0.1", "ftl.gc_unit=superblock", "ftl.superblock_by=" + by,
                 "ftl.over_provisioning=0.5", "buffer.size=1 MiB", "buffer.mode=write_back", "buffer.destage_units=8"});
}

// Superblocks are filled in stripes of one page per member: a stripe takes as long as its slowest member, if no more
// than a stripe is in flight to flash. (Eight pages in total: a die may still be a few ahead while another has none.)
double expected_seconds(const DeviceConfig& config, std::uint32_t superblocks) {
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  const NandTiming timing(config.nand, geometry);
  const std::vector<Picoseconds> tested = tested_block_times(config.nand, geometry);
  double seconds = 0;
  for (std::uint32_t rank = 0; rank < superblocks; ++rank) {
    double slowest = 0;
    for (std::uint32_t die = 0; die < geometry.dies; ++die) {
      std::uint32_t block = rank;
      if (config.ftl.superblock_by == "speed")
        for (std::uint32_t candidate = 0; candidate < geometry.blocks; ++candidate) {
          std::uint32_t faster = 0;
          for (std::uint32_t other = 0; other < geometry.blocks; ++other)
            faster += tested[die * geometry.blocks + other] < tested[die * geometry.blocks + candidate] ? 1 : 0;
          if (faster == rank) block = candidate;
        }
      double fill = 0;
      for (std::uint32_t page = 0; page < geometry.pages; ++page) {
        OnfiCommand program;
        program.operation = FlashOperation::Program;
        program.address = {Die{die}, Block{block}, Page{page}};
        fill += static_cast<double>(timing.array_time(program) + timing.command_time(FlashOperation::Program) +
                                    timing.data_time(geometry.page_bytes)) *
                1e-12;
      }
      slowest = std::max(slowest, fill);
    }
    seconds += slowest;
  }
  return seconds;
}

TEST(Variation, AStreamWaitsForTheSlowestMemberOfEachSuperblock) {
  double measured[2];
  for (const bool speed : {false, true}) {
    const DeviceConfig config = stream_device(speed ? "speed" : "position");
    constexpr std::uint32_t kSuperblocks = 30;
    constexpr std::uint64_t kPages = std::uint64_t{kSuperblocks} * 8 * 128;
    const Json result = simulate(config, {{of(RequestKind::Write, config.nand.page_size, kPages), 256, 0}});
    const double expected = kPages / expected_seconds(config, kSuperblocks);
    measured[speed] = result["host"]["write"]["iops"].get<double>();
    std::printf("%s: %.0f pages/s, closed form %.0f: %+.2f %%\n", speed ? "speed" : "position", measured[speed],
                expected, 100 * (measured[speed] / expected - 1));
    EXPECT_NEAR(measured[speed] / expected, 1, 0.03);
  }
  EXPECT_GT(measured[1], 1.08 * measured[0]);
}

struct Kind {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<std::string> kVaried = {"nand.variation.program_die=0.05",   "nand.variation.program_block=0.1",
                                          "nand.variation.program_layer=0.05", "nand.variation.erase_die=0.05",
                                          "nand.variation.erase_block=0.15",   "nand.variation.read_die=0.05",
                                          "nand.variation.read_block=0.1",     "nand.variation.read_layer=0.1"};

const std::vector<Kind>& kinds() {
  static const std::vector<std::string> kTlc = {"nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]",
                                                "nand.program_time=[\"500 us\", \"900 us\", \"1500 us\"]"};
  static const auto with = [](std::vector<std::string> all, const std::vector<std::string>& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  static const std::vector<std::string> kBySpeed = {"ftl.gc_unit=superblock", "ftl.superblock_by=speed"};
  static const std::vector<Kind> all = {
      {"blocks", {}},
      {"spread_of_programs", {"nand.program_time_spread=0.1"}},
      {"by_speed", kBySpeed},
      {"by_speed_in_groups", with(kBySpeed, {"ftl.superblock_dies=2", "ftl.placement=superblock"})},
      {"by_speed_planes_together", with(kBySpeed, {"nand.multi_plane_program=true", "nand.multi_plane_read=true"})},
      {"by_speed_dftl", with(kBySpeed, {"ftl.kind={ name = \"dftl\", cmt_size = \"512 B\" }"})},
      {"by_speed_journal", with(kBySpeed, {"ftl.recovery=journal"})},
      {"by_speed_checkpoint", with(kBySpeed, {"ftl.recovery=checkpoint"})},
      {"by_speed_levelled", with(kBySpeed, {"ftl.wear_leveling={ name = \"static\", threshold = 2 }"})},
      {"by_speed_failing",
       with(kBySpeed, {"nand.erase_failure_rate=0.002", "nand.factory_bad_blocks=0.03", "ftl.over_provisioning=2"})},
      {"by_speed_scrubbed",
       with(kBySpeed, {"nand.errors.model=power_law", "nand.errors.base=1.3e-3", "nand.ecc.strength=22",
                       "nand.spare_size=512 B", "nand.variation.errors_block=0.2", "nand.variation.errors_layer=0.1",
                       "ftl.scrub_level=1", "ftl.over_provisioning=2"})},
      {"by_speed_one_shot",
       with(kBySpeed, {"nand.pages_per_program=3", "nand.multi_plane_program=true", "buffer.size=512 KiB"})},
      {"slc_cache", with(kTlc, {"nand.slc_blocks=4", "nand.slc_dynamic=6", "ftl.slc_idle=false"})},
      {"paired_pages", with(kTlc, {"nand.paired_pages=true"})},
      {"shadow", with(kTlc, {"nand.page_order=shadow", "nand.variation.layers=2"})},
      {"copyback", {"nand.copyback=true", "nand.multi_plane_read=true", "nand.multi_plane_program=true"}},
      {"partial_programs", {"nand.partial_programs=2", "nand.page_size=8 KiB"}},
      {"block_map", {"ftl.kind=log_block", "ftl.over_provisioning=2"}},
      {"energy_by_bits", {"nand.energy_model=bits"}},
      {"capped", {"power.cap=3 W", "power.cap_dies=2"}}};
  return all;
}

class VariationWith : public testing::TestWithParam<std::size_t> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& extra = {}) {
    std::vector<std::string> overrides = {"precondition.fill=0.95", "nand.planes=2", "nand.blocks=48", "nand.pages=12",
                                          "ftl.over_provisioning=1"};
    for (const auto* more : {&kVaried, &kinds()[GetParam()].overrides, &extra})
      overrides.insert(overrides.end(), more->begin(), more->end());
    return small_preset("tiny", overrides);
  }
};

TEST_P(VariationWith, DecidesAlikeOnBothClocks) {
  const DeviceConfig config = device();
  if (config.nand.paired_pages) GTEST_SKIP() << "an erase that waits for a word line has it padded: when, time decides";
  MixOptions mix = mix_for(config, 8, 2500);
  mix.whole_units = true;
  mix.reads = 0;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
  EXPECT_EQ(timed["counters"]["erase"], instant["counters"]["erase"]);
  EXPECT_EQ(timed["ftl_statistics"], instant["ftl_statistics"]);
  if (config.ftl.recovery.name != "journal") {
    EXPECT_EQ(timed["digest"], instant["digest"]);
  }
}

TEST_P(VariationWith, LosesNothingAtDepthAndAtPowerCuts) {
  DeviceConfig config = device({"power.off_time=1 ms"});
  MixOptions mix = mix_for(config, 3, 1500);
  mix.fua = 10;
  mix.flushes = 2;
  const std::vector<TestJob> jobs = {{random_mix(mix), 16, 0}};
  const Json whole = simulate(config, jobs);
  EXPECT_EQ(whole["verify"]["mismatches"], 0) << whole["verify"]["first_mismatch"];
  const auto length = whole["end_ps"].get<Picoseconds>();
  for (int cut = 1; cut <= 2; ++cut) {
    config.power.cut_at = length * cut / 3;
    const Json result = simulate(config, jobs);
    EXPECT_EQ(result["power"]["cuts"], 1);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  }
}

TEST_P(VariationWith, BeginsFromASavedStateAsIfItHadMadeIt) {
  const DeviceConfig config = device();
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 1000)), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_varied_" + kinds()[GetParam()].name + ".state";
  save_state(config, path);
  EXPECT_EQ(simulate(config, jobs).dump(2), simulate(config, jobs, path).dump(2));
  std::filesystem::remove(path);
}

// Power cuts within programs, erases and mounts.
TEST_P(VariationWith, SurvivesCuts) {
  DeviceConfig config = device();
  config.precondition.fill = 0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    DriveTorture drive(config, seed);
    bool good = true;
    while (good && drive.counts().cuts < 25 && drive.counts().read_only < 4) good = drive.run(drive.counts().cuts + 1);
    EXPECT_TRUE(good) << "seed " << seed << ": " << drive.failure().what;
    EXPECT_GT(drive.counts().sectors_checked, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, VariationWith, testing::Range(std::size_t{0}, kinds().size()),
                         [](const auto& test) { return std::string(kinds()[test.param].name); });

// Weak blocks and layers reach the read-retry level that triggers a refresh; a device of equal cells does not: 1e-4 +
// 3.90e-10 * 1000^2.05 + 1e-4 * 1000^0.14 * 90^0.54 = 3.6e-3, which is 33 bits per codeword, of which 72 can be
// corrected.
TEST(Variation, RefreshesWeakPlacesFirst) {
  const auto run = [](const std::vector<std::string>& varied) {
    std::vector<std::string> overrides = {"precondition.fill=0.9",
                                          "nand.blocks=32",
                                          "nand.pages=16",
                                          "ftl.over_provisioning=1.5",
                                          "nand.spare_size=512 B",
                                          "nand.errors.model=power_law",
                                          "nand.errors.base=1e-4",
                                          "nand.errors.retention_factor=1e-4",
                                          "nand.errors.pe_cycles=1000",
                                          "nand.errors.retention_age=90 d",
                                          "ftl.scrub_level=1"};
    overrides.insert(overrides.end(), varied.begin(), varied.end());
    const DeviceConfig config = small_preset("tiny", overrides);
    MixOptions mix = mix_for(config, 5, 3000);
    mix.reads = 100;
    return simulate(config, {{random_mix(mix), 4, 0}});
  };
  const Json alike = run({});
  const Json varied = run({"nand.variation.errors_block=0.4", "nand.variation.errors_layer=0.4"});
  EXPECT_EQ(alike["reliability"]["scrub_moves"], 0) << alike["reliability"].dump();
  EXPECT_GT(varied["reliability"]["scrub_moves"], 0) << varied["reliability"].dump();
  EXPECT_EQ(varied["verify"]["mismatches"], 0);
}

}  // namespace
}  // namespace flashloom::variation_test
