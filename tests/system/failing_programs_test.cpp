// Programs that fail in the middle of a block, on whole devices: nothing is lost, both clocks and saved states agree,
// and the block is retired.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "controllers/ftl/oob.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::failing_programs_test {
namespace {

std::vector<std::string> with(std::vector<std::string> first, const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<std::string> kSpare = {"nand.blocks=64", "ftl.over_provisioning=2", "precondition.fill=0.9"};

struct Case {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<Case> kCases = {
    {"page_map", {"ftl.kind=page_map"}},
    {"dftl", {"ftl.kind=dftl"}},
    {"blocking", {"ftl.gc_mode=blocking"}},
    {"superblocks", {"ftl.gc_unit=superblock"}},
    {"journal", {"ftl.recovery=journal"}},
    {"dftl_checkpoint", {"ftl.kind=dftl", "ftl.recovery={name=\"checkpoint\",interval=\"512 KiB\"}"}},
    {"dftl_journal", {"ftl.kind=dftl", "ftl.recovery={name=\"journal\",interval=\"2 MiB\"}"}},
    {"one_block_for_all", {"ftl.gc_mode=blocking", "ftl.streams=single", "ftl.gc_low=1", "ftl.gc_high=2"}},
    {"slc_cache",
     {"nand.pages=24", "nand.slc_dynamic=12", "nand.read_time=[\"50 us\", \"60 us\", \"80 us\"]",
      "ftl.slc_idle=false"}},
    {"planes_together", {"nand.planes=2", "nand.multi_plane_program=true", "nand.pages_per_program=2"}},
    {"word_lines",
     {"nand.paired_pages=true", "nand.page_order=shadow", "nand.read_time=[\"30 us\", \"50 us\"]",
      "nand.program_time=[\"300 us\", \"900 us\"]", "buffer.size=512 KiB"}},
    {"copyback", {"nand.copyback=true"}}};

class ProgramsFail : public testing::TestWithParam<std::size_t> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& more = {}) {
    return small_preset(
        "tiny", with(with(kSpare, kCases[GetParam()].overrides), with({"nand.program_failure_rate=0.003"}, more)));
  }
};

// Law of the two clocks: firmware learns of a failure in the order of its decisions.
TEST_P(ProgramsFail, AlikeOnBothClocks) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, 4, 4000);
  mix.whole_units = true;
  mix.reads = config.ftl.kind.name == "dftl" ? 0 : 20;  // reads change DFTL's decisions, depending on time
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
  EXPECT_GT(timed["wear"]["program_failures"], 3);
  EXPECT_EQ(timed["wear"]["erase_failures"], 0);
}

TEST_P(ProgramsFail, AlikeFromASavedState) {
  const DeviceConfig config = device({"precondition.steady=true", "precondition.max_passes=1"});
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 2000)), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_failing_" + kCases[GetParam()].name + ".state";
  save_state(config, path);
  EXPECT_EQ(simulate(config, jobs).dump(2), simulate(config, jobs, path).dump(2));
}

INSTANTIATE_TEST_SUITE_P(Devices, ProgramsFail, testing::Range(std::size_t{0}, kCases.size()),
                         [](const auto& test) { return std::string(kCases[test.param].name); });

// By hand: the 21st program of the device fails. Its unit is programmed again elsewhere, so that 41 programs carry 40
// units, all readable. Once its block has been emptied, one block is bad.
TEST(OneFailedProgram, CostsOneProgramAndOneBlock) {
  InstantDevice drive(small_preset(
      "tiny", {"nand.blocks=64", "ftl.over_provisioning=1", "buffer.mode=write_through", "nand.failed_program=21"}));
  for (std::uint64_t unit = 0; unit < 40; ++unit) drive.write(unit * 4096, 4096);
  EXPECT_EQ(drive.media.program_failures(), 1U);
  EXPECT_EQ(drive.flash.counters().at(FlashOperation::Program, Origin::Host).pages, 41U);
  EXPECT_LE(drive.flash.counters().at(FlashOperation::Program, Origin::Gc).pages, 5U) << "what was before it";
  std::uint32_t failed = 0;
  for (std::uint32_t die = 0; die < drive.geometry.dies; ++die)
    for (std::uint32_t block = 0; block < drive.geometry.blocks; ++block)
      failed += drive.media.failed(Die{die}, Block{block}) ? 1 : 0;
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(drive.firmware->ftl().bad_blocks(), 0U) << "what is in it is still there";
  for (std::uint64_t unit = 0; unit < 40; ++unit)
    EXPECT_EQ(drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Read}), IoStatus::Ok);

  const std::uint64_t units = drive.firmware->capacity_bytes() / 4096;
  for (std::uint64_t i = 0; i < 4 * units; ++i) drive.write(i * 7919 % units * 4096, 4096);
  EXPECT_EQ(drive.firmware->ftl().bad_blocks(), 1U);
  EXPECT_EQ(drive.media.program_failures(), 1U);
  drive.firmware->ftl().check();
}

const std::vector<std::string> kDieFailure = {
    "nand.blocks=64",     "ftl.over_provisioning=1",   "nand.spare_size=2208 B",         "nand.errors.model=power_law",
    "nand.errors.base=0", "nand.errors.wear_factor=0", "nand.errors.retention_factor=0", "nand.errors.disturb_factor=0",
    "nand.failed_die=2"};

// By hand: 40 units lie on four dies in turn. Die 2 fails at the 41st program: its 10 units are lost, and no others.
// Written again, they go to the other dies.
TEST(DieFailure, LosesWhatIsOnTheDieAndNothingElse) {
  InstantDevice drive(small_preset("tiny", with(kDieFailure, {"buffer.mode=write_through", "nand.die_failure_at=41"})));
  for (std::uint64_t unit = 0; unit < 40; ++unit) drive.write(unit * 4096, 4096);
  EXPECT_FALSE(drive.media.any_dead());
  std::vector<bool> there(41);
  drive.media.for_each_unit([&](const FlashAddress& address, std::uint32_t, OobWord word) {
    const OobLayout layout(drive.firmware->capacity_bytes() / 4096);
    if (layout.is_data(word) && address.die == Die{2}) there[layout.unit(word)] = true;
  });
  drive.write(40 * 4096, 4096);
  EXPECT_TRUE(drive.media.dead(Die{2}));
  std::uint32_t lost = 0;
  for (std::uint64_t unit = 0; unit < 41; ++unit) {
    const IoStatus status = drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Read});
    EXPECT_EQ(status == IoStatus::MediaError, there[unit]) << unit;
    lost += status == IoStatus::MediaError ? 1 : 0;
  }
  EXPECT_EQ(lost, 10U);
  for (std::uint64_t unit = 0; unit < 40; ++unit) drive.write(unit * 4096, 4096);
  drive.restart();
  for (std::uint64_t unit = 0; unit < 41; ++unit)
    EXPECT_EQ(drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Read}), IoStatus::Ok) << unit;
  EXPECT_FALSE(drive.firmware->ftl().read_only());
  EXPECT_EQ(drive.audit(), 0U);
}

// Three dies cannot hold the data of four.
TEST(DieFailure, EndsADeviceWithoutSpareSpaceForIt) {
  InstantDevice drive(
      small_preset("tiny", with(kDieFailure, {"ftl.over_provisioning=0.25", "nand.die_failure_at=41"})));
  IoStatus status = IoStatus::Ok;
  for (std::uint64_t unit = 0; unit < 400 && status == IoStatus::Ok; ++unit)
    status = drive.run({.offset = unit * 4096, .length = 4096, .kind = RequestKind::Write});
  EXPECT_EQ(status, IoStatus::WriteProtected);
  EXPECT_TRUE(drive.firmware->ftl().read_only());
}

TEST(DieFailure, IsAlikeOnBothClocks) {
  const DeviceConfig config =
      small_preset("tiny", with(kDieFailure, {"nand.die_failure_at=3000", "precondition.fill=0.5"}));
  MixOptions mix = mix_for(config, 4, 4000);
  mix.whole_units = true;
  mix.reads = 0;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  expect_wrote_alike(timed, run_instantly(config, requests));
  EXPECT_GT(timed["wear"]["bad_blocks"], 0);
}

}  // namespace
}  // namespace flashloom::failing_programs_test
