// Parity over dies (ftl.rain) on whole devices: its cost, no loss when a die fails, and reads of a lost page. Both
// clocks and saved states agree.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::rain_test {
namespace {

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<std::string> kRain = {"nand.blocks=64", "ftl.over_provisioning=2", "ftl.gc_unit=superblock",
                                        "ftl.rain=1"};
// Only reads of a failed die fail.
const std::vector<std::string> kErrors = {
    "nand.spare_size=2208 B",         "nand.errors.model=power_law",  "nand.errors.base=0", "nand.errors.wear_factor=0",
    "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0", "nand.failed_die=2"};

void flush(InstantDevice& drive) {
  EXPECT_EQ(drive.run({.offset = 0, .length = 0, .kind = RequestKind::Flush}), IoStatus::Ok);
}

struct Case {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<Case> kCases = {
    {"one_parity", {}},
    {"two_parities", {"ftl.rain=2"}},
    {"in_sram", {"ftl.rain_memory=sram"}},
    {"dftl", {"ftl.kind=dftl"}},
    {"pairs_of_dies", {"ftl.superblock_dies=2"}},
    {"planes_apart", {"nand.planes=2"}},
    {"planes_together", {"nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=2"}},
    {"one_block_for_all", {"ftl.streams=single"}},
    {"wear_levelling", {"ftl.wear_leveling=static"}}};

class RainWith : public testing::TestWithParam<std::size_t> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& more = {}) {
    return small_preset("tiny", with(with(kRain, kCases[GetParam()].overrides), with({"precondition.fill=0.9"}, more)));
  }
};

// Where an erase waits for a stripe, what is padded does not depend on what is on flash already.
TEST_P(RainWith, WritesAlikeOnBothClocks) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, 1, 1500);
  mix.whole_units = true;
  mix.reads = 0;
  for (; mix.seed <= effort(3, 12); ++mix.seed) {
    const std::vector<Request> requests = random_mix(mix);
    expect_wrote_alike(simulate(config, {{requests, 1, 0}}), run_instantly(config, requests));
  }
}

TEST_P(RainWith, VerifiesOnBothClocks) {
  const DeviceConfig config = device();
  const std::vector<Request> requests = random_mix(mix_for(config, 4, 4000));
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
  EXPECT_GT(timed["flash"]["programs"]["parity"]["pages"], 100);
  EXPECT_EQ(timed["ftl"]["rain"]["failed_parity_programs"], 0);
}

TEST_P(RainWith, AlikeFromASavedState) {
  const DeviceConfig config = device({"precondition.steady=true", "precondition.max_passes=1"});
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 2000)), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_rain_" + kCases[GetParam()].name + ".state";
  save_state(config, path);
  EXPECT_EQ(simulate(config, jobs).dump(2), simulate(config, jobs, path).dump(2));
}

INSTANTIATE_TEST_SUITE_P(Devices, RainWith, testing::Range(std::size_t{0}, kCases.size()),
                         [](const auto& test) { return std::string(kCases[test.param].name); });

// By hand: 30 units at three per stripe (four dies, one with parity) are ten stripes, so ten parity programs and no
// padding.
TEST(Rain, CostsAProgramAStripe) {
  InstantDevice drive(small_preset("tiny", with(kRain, {"buffer.size=512 KiB"})));
  for (std::uint64_t unit = 0; unit < 30; ++unit) drive.write(unit * 4096, 4096);
  flush(drive);
  const FlashCounters& flash = drive.flash.counters();
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Host).pages, 30U);
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Parity).pages, 10U);
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Padding).units, 0U);
}

// A flush completes the open stripe: the 31st unit takes two units of padding and one of parity.
TEST(Rain, AFlushFillsUpTheStripe) {
  InstantDevice drive(small_preset("tiny", with(kRain, {"buffer.size=512 KiB"})));
  for (std::uint64_t unit = 0; unit < 31; ++unit) drive.write(unit * 4096, 4096);
  flush(drive);
  const FlashCounters& flash = drive.flash.counters();
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Parity).pages, 11U);
  EXPECT_EQ(flash.at(FlashOperation::Program, Origin::Padding).units, 2U);
}

class LostDie : public testing::TestWithParam<std::vector<std::string>> {};

// All units are readable after die 2 has failed, and after a restart; a unit on that die takes a read of each other
// die. Once the drive has been overwritten, the stripes span three dies, and no read needs reconstruction.
TEST_P(LostDie, LosesNothing) {
  InstantDevice drive(small_preset("tiny", with(with(kRain, kErrors), with({"nand.die_failure_at=1500"}, GetParam()))));
  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  const auto read_all = [&] {
    for (std::uint64_t unit = 0; unit < units; ++unit)
      ASSERT_EQ(drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Read}), IoStatus::Ok) << unit;
  };
  std::uint64_t next = 0;
  while (!drive.media.dead(Die{2})) drive.write(next++ % units * 4096, 4096);
  flush(drive);
  read_all();
  const FtlStatistics::Rain before = drive.firmware->ftl().statistics().rain;
  EXPECT_GT(before.reconstructed_reads, units / 16);
  EXPECT_EQ(before.unrecoverable_reads, 0U);
  drive.restart();
  read_all();
  for (std::uint64_t i = 0; i < 4 * units; ++i) drive.write(i * 7919 % units * 4096, 4096);
  flush(drive);
  EXPECT_FALSE(drive.firmware->ftl().read_only());
  const std::uint64_t rebuilt = drive.firmware->ftl().statistics().rain.reconstructed_reads;
  EXPECT_EQ(drive.firmware->ftl().statistics().rain.rebuilds, 1U);
  EXPECT_GT(drive.firmware->ftl().statistics().rain.rebuilt_superblocks, 5U);
  read_all();
  EXPECT_EQ(drive.firmware->ftl().statistics().rain.reconstructed_reads, rebuilt) << "nothing is left on the die";
  EXPECT_EQ(drive.audit(), 0U);
  drive.firmware->ftl().check();
}

INSTANTIATE_TEST_SUITE_P(
    Rain, LostDie,
    testing::Values(std::vector<std::string>{},
                    std::vector<std::string>{"ftl.rain=2", "ftl.over_provisioning=6", "nand.die_failure_at=900"},
                    std::vector<std::string>{"ftl.kind=dftl"}, std::vector<std::string>{"nand.planes=2"}));

// The rebuild proceeds with the host's writes; its time is reported once no data are left on the die.
TEST(Rain, ARebuildEnds) {
  const auto rain = [](std::uint64_t writes) {
    const DeviceConfig config = small_preset(
        "tiny", with(with(kRain, kErrors), {"nand.die_failure_at=3500", "precondition.fill=1", "buffer.size=256 KiB"}));
    const std::uint64_t units = 1300;
    std::vector<Request> requests;
    for (std::uint64_t i = 0; i < writes; ++i)
      requests.push_back({.offset = i * 7919 % units * 4096, .length = 4096, .kind = RequestKind::Write});
    const Json result = simulate(config, {{requests, 4, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    return std::pair{result["ftl"]["rain"], result["end_ps"].get<double>() / 1e12};
  };
  EXPECT_TRUE(rain(500).first["rebuild_s"].is_null());
  const auto [ended, end] = rain(12000);
  EXPECT_GT(ended["rebuild_s"].get<double>(), 0);
  EXPECT_LT(ended["rebuild_s"].get<double>(), end);
  EXPECT_GT(ended["rebuilt_superblocks"], 5);
}

// A stripe over four dies: a unit on the dead die takes three reads, one per other die, which begin together; any other
// unit takes one.
TEST(Rain, ALostPageTakesAReadOfEachOtherDie) {
  const DeviceConfig config = small_preset(
      "tiny", with(with(kRain, kErrors), {"nand.die_failure_at=3000", "precondition.fill=1", "buffer.read_cache=0"}));
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 2500; ++i)
    requests.push_back({.offset = i % 64 * 4096, .length = 4096, .kind = RequestKind::Write});
  for (std::uint64_t i = 0; i < 400; ++i)
    requests.push_back({.offset = (1000 + i) * 4096, .length = 4096, .kind = RequestKind::Read});
  const Json result = simulate(config, {{requests, 1, 0}});
  const Json& rain = result["ftl"]["rain"];
  EXPECT_GT(rain["reconstructed_reads"], 50);
  EXPECT_EQ(rain["reconstruction_reads"].get<int>(), 3 * rain["reconstructed_reads"].get<int>());
  EXPECT_EQ(rain["unrecoverable_reads"], 0);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

// Bit errors on live dies: without retries about one page in some hundred is uncorrectable, and sometimes its stripe
// is, too. Reconstructed data are right.
TEST(Rain, ComputesWhatBitErrorsTake) {
  const std::vector<std::string> weak = {"nand.blocks=32",
                                         "nand.pages=8",
                                         "nand.spare_size=2208 B",
                                         "nand.errors.model=power_law",
                                         "nand.errors.base=1.3e-3",
                                         "nand.errors.wear_factor=0",
                                         "nand.errors.retention_factor=0",
                                         "nand.errors.disturb_factor=0",
                                         "nand.ecc.strength=19",
                                         "nand.errors.retry_rates=[]",
                                         "nand.ecc.soft_reads=0",
                                         "buffer.size=128 KiB",
                                         "ftl.over_provisioning=3",
                                         "ftl.gc_unit=superblock",
                                         "precondition.fill=1"};
  for (const int parities : {0, 1, 2}) {
    const DeviceConfig config = small_preset("tiny", with(weak, {"ftl.rain=" + std::to_string(parities)}));
    const Json result = simulate(config, {{random_mix(mix_for(config, 5, 4000)), 4, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << parities;
    EXPECT_GT(result["reliability"]["uncorrectable_total"], 5) << parities;
    if (parities == 0) {
      EXPECT_GT(result["host"]["media_errors"], 0);
      continue;
    }
    const Json& rain = result["ftl"]["rain"];
    EXPECT_GT(rain["reconstructed_reads"], 5) << parities;
    EXPECT_LT(rain["unrecoverable_reads"].get<int>(), rain["reconstructed_reads"].get<int>()) << parities;
  }
}

}  // namespace
}  // namespace flashloom::rain_test
