// verify over all presets, scaled down: random mixtures of overlapping reads, writes, trims, flushes and FUA of any
// alignment, on a drive that collects garbage. Nothing is lost or wrong, and the tables recount.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/experiment.hpp"

namespace flashloom::random_workloads_test {
namespace {

struct Case {
  std::string preset;
  std::uint64_t seed;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + "_" + std::to_string(info.param.seed);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

std::vector<Case> cases(std::uint64_t seeds) {
  std::vector<Case> all;
  for (const std::string& preset : preset_names())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) all.push_back({preset, seed});
  return all;
}

class RandomWorkload : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::uint64_t kRequests = 4000;

  static void expect_sound(const DeviceConfig& config, const std::vector<TestJob>& jobs) {
    const Json result = simulate(config, jobs);
    std::uint64_t requests = 0;
    for (const TestJob& job : jobs) requests += job.requests.size();
    EXPECT_EQ(result["host"]["requests"], requests);
    EXPECT_EQ(result["host"]["completions"], requests);
    EXPECT_EQ(result["host"]["media_errors"], 0);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
    EXPECT_GT(result["verify"]["reads_checked"], result["verify"]["audited_sectors"]);
    EXPECT_GT(result["ftl"]["gc_runs"], 0);  // otherwise the case is too easy
  }
};

TEST_P(RandomWorkload, VerifiesAtDepth16) {
  const auto& [name, seed] = GetParam();
  DeviceConfig config = small_preset(name, {"precondition.fill=1.0"});
  expect_sound(config, {{random_mix(mix_for(config, seed, kRequests)), 16, 0}});
}

// Hardly any buffer: every write waits for flash, and partial writes read flash first.
TEST_P(RandomWorkload, VerifiesWithATinyBuffer) {
  const auto& [name, seed] = GetParam();
  const NandConfig nand = small_preset(name).nand;
  const std::uint64_t program_unit =
      std::uint64_t{nand.multi_plane_program ? nand.planes : 1U} * nand.pages_per_program * nand.page_size;
  const std::string size = std::to_string(std::max<std::uint64_t>(program_unit, 8192));
  DeviceConfig config = small_preset(name, {"precondition.fill=0.9", "buffer.size=" + size + " B"});
  MixOptions mix = mix_for(config, seed + 100, kRequests);
  mix.hot = 80;
  expect_sound(config, {{random_mix(mix), 32, 0}});
}

TEST_P(RandomWorkload, VerifiesInTheOtherBufferModeOverTwoQueues) {
  const auto& [name, seed] = GetParam();
  const bool through = preset(name).buffer.mode == "write_through";
  std::vector<std::string> overrides = {"precondition.fill=1.0",
                                        through ? "buffer.mode=write_back" : "buffer.mode=write_through"};
  const bool sata = preset(name).host_interface.kind.name == "sata";
  if (!sata) overrides.insert(overrides.end(), {"host.queues=2", "host_interface.queue_depth=4"});
  DeviceConfig config = small_preset(name, overrides);
  expect_sound(config, {{random_mix(mix_for(config, seed + 200, kRequests / 2)), 8, 0},
                        {random_mix(mix_for(config, seed + 300, kRequests / 2)), 8, sata ? 0U : 1U}});
}

INSTANTIATE_TEST_SUITE_P(Presets, RandomWorkload, testing::ValuesIn(cases(3)), name_of);

}  // namespace
}  // namespace flashloom::random_workloads_test
