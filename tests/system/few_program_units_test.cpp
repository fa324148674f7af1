// Blocks of two large program units, nearly full of valid data: if the FTL padded each victim's copies to whole program
// units, collection would free nothing, and the device would be full.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::few_program_units_test {
namespace {

struct Case {
  std::string ftl;
  std::string streams;
  std::string unit;
};

void PrintTo(const Case& each, std::ostream* out) { *out << each.ftl << ' ' << each.streams << ' ' << each.unit; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const char* const ftl : {"page_map", "dftl"})
    for (const char* const streams : {"origin", "single"})
      for (const char* const unit : {"block", "superblock"}) all.push_back({ftl, streams, unit});
  return all;
}

class FewProgramUnits : public testing::TestWithParam<Case> {
 protected:
  static DeviceConfig device() {
    return preset(
        "tiny", {"nand.pages=16", "nand.pages_per_program=8", "verify=true", "precondition.fill=1",
                 "ftl.kind=" + GetParam().ftl, "ftl.streams=" + GetParam().streams, "ftl.gc_unit=" + GetParam().unit});
  }
  static std::vector<Request> writes(const DeviceConfig& config) {
    MixOptions mix = mix_for(config, 5, 6000);
    mix.reads = 0;
    return random_mix(mix);
  }
};

TEST_P(FewProgramUnits, AreCollectedForWhatVictimsGive) {
  const DeviceConfig config = device();
  const Json timed = simulate(config, {{writes(config), 16, 0}});
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_GT(timed["ftl_statistics"]["gc_runs"], 500);
  // A victim that frees three of its units needs copies that cost five times what it frees.
  EXPECT_LT(timed["ftl"]["waf"].get<double>(), 8);
}

TEST_P(FewProgramUnits, AreCollectedAlikeOnBothClocksAndFromASavedState) {
  const DeviceConfig config = device();
  MixOptions mix = mix_for(config, 6, 2000);
  mix.reads = 0;
  mix.whole_units = true;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  expect_wrote_alike(timed, run_instantly(config, requests));
  const std::string state =
      testing::TempDir() + "few_program_units_" + GetParam().ftl + GetParam().streams + GetParam().unit + ".state";
  save_state(config, state);
  EXPECT_EQ(simulate(config, {{requests, 1, 0}}, state)["digest"], timed["digest"]);
}

INSTANTIATE_TEST_SUITE_P(EveryCollection, FewProgramUnits, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.ftl + "_" + test.param.streams + "_" + test.param.unit;
});

}  // namespace
}  // namespace flashloom::few_program_units_test
