// One firmware, two clocks: at depth one a timed run and an instant run of the same requests have the same programs,
// erases and counts, and leave the media in the same state.
#include <gtest/gtest.h>

#include <algorithm>

#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/in_child.hpp"

namespace flashloom::two_clocks_test {
namespace {

struct Case {
  std::string preset;
  std::string mode;
  std::uint64_t seed;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + "_" + info.param.mode + "_" + std::to_string(info.param.seed);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& preset : preset_names())
    for (const char* const mode : {"write_back", "write_through"})
      for (std::uint64_t seed = 1; seed <= effort(1, 2); ++seed) all.push_back({preset, mode, seed});
  return all;
}

class TwoClocks : public testing::TestWithParam<Case> {
 protected:
  // Flushes go to flash: otherwise the drive would rarely pad, and would need few victims.
  static DeviceConfig device() {
    return small_preset(GetParam().preset,
                        {"precondition.fill=0.9", "power.plp_flush=flash", "buffer.mode=" + GetParam().mode});
  }
  static void expect_same_writes(const Json& timed, const Json& instant) {
    expect_wrote_alike(timed, instant);
    EXPECT_GT(instant["ftl_statistics"]["gc_runs"], 0);
  }
};

TEST_P(TwoClocks, WriteAlikeAtDepthOne) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, GetParam().seed, 2500);
  mix.whole_units = true;
  mix.reads = 20;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_same_writes(timed, instant);
}

// When the device comes to rest between requests, the buffer holds the same data on both clocks, so reads are alike,
// too. (A request of several partly written units may find one of them still in flight to flash, and so read less than
// on the instant clock.)
TEST_P(TwoClocks, ReadAlikeWhenTheDeviceComesToRestBetweenRequests) {
  const DeviceConfig config = device();
  for (const bool whole_units : {false, true}) {
    MixOptions mix = mix_for(config, GetParam().seed + 10, 2500);
    mix.gap_ps = 400 * kMillisecond;
    mix.whole_units = whole_units;
    mix.within_units = !whole_units;
    mix.max_units = config.ftl.mapping_unit == 512 ? 8 : 2;
    const std::vector<Request> requests = random_mix(mix);
    const Json timed = simulate(config, {{requests, 0, 0}});
    EXPECT_EQ(timed["host"]["late_requests"], 0);
    const Json instant = run_instantly(config, requests);
    expect_same_writes(timed, instant);
    EXPECT_EQ(timed["counters"]["read"], instant["counters"]["read"]);
    EXPECT_EQ(timed["buffer_statistics"], instant["buffer_statistics"]);
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, TwoClocks, testing::ValuesIn(cases()), name_of);

// When firmware breaks a rule of the flash on the instant clock, the error names that rule.
TEST(InstantClock, TellsWhichRuleOfTheFlashWasBroken) {
  const DeviceConfig config = small_preset("tiny", {"buffer.mode=write_through"});
  std::string said;
  try {
    in_child([&]() -> Json {
      Simulation simulation(config);
      const NandGeometry& geometry = simulation.ssd().geometry();
      NandMedia& media = simulation.ssd().media();
      std::vector<OobWord> oob(geometry.units_per_program());
      std::vector<SectorToken> tokens(oob.size() * media.sectors_per_unit());
      for (std::uint32_t die = 0; die < geometry.dies; ++die)
        for (std::uint32_t block = 0; block < geometry.blocks; ++block) {
          OnfiCommand program;  // without the firmware's knowledge
          program.operation = FlashOperation::Program;
          program.address = {Die{die}, Block{block}, Page{0}};
          program.units = static_cast<std::uint16_t>(oob.size());
          program.oob = oob.data();
          program.tokens = tokens.data();
          media.apply(program);
        }
      simulation.instant_host().run({.length = 4096, .kind = RequestKind::Write});
      return {};
    });
  } catch (const std::runtime_error& error) {
    said = error.what();
  }
  EXPECT_NE(said.find("block"), std::string::npos) << said;
  EXPECT_EQ(said.find("waits for something"), std::string::npos) << said;
}

}  // namespace
}  // namespace flashloom::two_clocks_test
