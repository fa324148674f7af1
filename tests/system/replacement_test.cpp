// Every replacement policy in the data buffer and in DFTL's cached map: no stale data are served, power cuts lose no
// durable data, and both clocks end alike at depth one.
#include "policies/replacement/replacement.hpp"

#include <gtest/gtest.h>

#include "policies/registry.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::replacement_test {
namespace {

class ReplacementInTheMachine : public testing::TestWithParam<std::string> {
 protected:
  // A buffer of 48 units, half of them for reads, over DFTL with 64 cached map entries or over a map in DRAM.
  static DeviceConfig device(bool cached_map) {
    std::vector<std::string> overrides = {"precondition.fill=0.9", "buffer.size=256 KiB", "buffer.destage_units=16",
                                          "buffer.read_cache=0.5", "buffer.replacement=" + GetParam()};
    if (cached_map)
      overrides.insert(overrides.end(),
                       {"ftl.over_provisioning=1.3",
                        R"(ftl.kind={ name = "dftl", cmt_size = "512 B", replacement = ")" + GetParam() + "\" }"});
    return small_preset("tiny", overrides);
  }
};

TEST_P(ReplacementInTheMachine, VerifyAtDepth16) {
  const DeviceConfig config = device(true);
  const Json result = simulate(config, {{random_mix(mix_for(config, 1, 3000)), 16, 0}});
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  EXPECT_GT(result["buffer"]["destages"]["need"].get<std::uint64_t>(), 0u);
}

TEST_P(ReplacementInTheMachine, LoseNothingDurableInAPowerCut) {
  DeviceConfig config = device(true);
  config.power.off_time = kMillisecond;
  MixOptions mix = mix_for(config, 2, 1500);
  mix.fua = 15;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};
  const auto length = simulate(config, jobs)["end_ps"].get<Picoseconds>();
  config.power.cut_at = length / 2;
  const Json cut = simulate(config, jobs);
  EXPECT_EQ(cut["power"]["cuts"], 1);
  EXPECT_EQ(cut["verify"]["mismatches"], 0) << cut["verify"]["first_mismatch"];
}

TEST_P(ReplacementInTheMachine, AreAlikeOnBothClocks) {
  const DeviceConfig config = device(false);
  MixOptions mix = mix_for(config, 3, 1500);
  mix.gap_ps = 400 * kMillisecond;
  mix.whole_units = true;
  mix.max_units = 2;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 0, 0}});
  const Json instant = run_instantly(config, requests);
  EXPECT_EQ(timed["counters"]["program"], instant["counters"]["program"]);
  EXPECT_EQ(timed["counters"]["read"], instant["counters"]["read"]);
  EXPECT_EQ(timed["buffer_statistics"], instant["buffer_statistics"]);
  EXPECT_EQ(timed["digest"], instant["digest"]);
}

std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const PartInfo* info : PartCatalog::instance().parts(ReplacementPolicy::kFamily)) names.push_back(info->name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, ReplacementInTheMachine, testing::ValuesIn(policies()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace flashloom::replacement_test
