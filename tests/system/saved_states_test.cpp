// A run from a saved state equals, in every figure, the run that preconditions itself: timed, under garbage collection,
// with the oracle, and through a power cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "tests/support/experiment.hpp"

namespace flashloom::saved_states_test {
namespace {

struct Case {
  std::string preset;
  std::string way;
  std::vector<std::string> overrides;
};

void PrintTo(const Case& shown, std::ostream* out) { *out << shown.preset << " " << shown.way; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& preset : preset_names()) {
    all.push_back({preset, "unverified", {"verify=false", "precondition.fill=1.0", "precondition.steady=true"}});
    all.push_back(
        {preset, "verified", {"precondition.fill=1.0", "precondition.max_passes=1", "precondition.steady=true"}});
    all.push_back({preset, "cut", {"precondition.fill=0.9", "power.cut_at=4 ms", "power.off_time=1 ms"}});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + "_" + info.param.way;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class SavedStates : public testing::TestWithParam<Case> {};

TEST_P(SavedStates, TheRunIsTheSame) {
  const DeviceConfig config = small_preset(GetParam().preset, GetParam().overrides);
  MixOptions mix = mix_for(config, 11, 2000);
  mix.flushes = 1;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_" + name_of({GetParam(), 0}) + ".state";
  save_state(config, path);
  const Json loaded = simulate(config, jobs, path);
  std::filesystem::remove(path);
  EXPECT_EQ(simulate(config, jobs).dump(2), loaded.dump(2));
  EXPECT_GT(loaded["precondition"]["filled_bytes"], 0);
  EXPECT_EQ(loaded["host"]["completions"], 2000);
  if (GetParam().way == "cut")
    EXPECT_EQ(loaded["power"]["cuts"], 1);
  else
    EXPECT_GT(loaded["ftl"]["gc_runs"], 0);
}

// A die that failed while the device was filled is dead in its state, too.
TEST(SavedStatesOfFailures, ADeadDieStaysDead) {
  const DeviceConfig config =
      preset("tiny", {"ftl.over_provisioning=3", "nand.errors.model=power_law", "nand.spare_size=576 B",
                      "nand.die_failure_at=300", "precondition.fill=1"});
  MixOptions mix = mix_for(config, 1, 1000);
  mix.reads = 0;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
  const std::string path = testing::TempDir() + "flashloom_dead_die.state";
  save_state(config, path);
  const Json loaded = simulate(config, jobs, path);
  std::filesystem::remove(path);
  EXPECT_EQ(simulate(config, jobs).dump(2), loaded.dump(2));
  EXPECT_EQ(loaded["ftl"]["read_only"], false) << loaded["ftl"];
}

INSTANTIATE_TEST_SUITE_P(Presets, SavedStates, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace flashloom::saved_states_test
