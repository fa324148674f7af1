// Power cuts at random instants: after the restart every sector holds an admissible version, all acknowledged durable
// data are there, and the device continues to serve.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/effort.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::power_cut_test {
namespace {

struct Device {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
};

const std::vector<Device>& devices() {
  static const std::vector<Device> all = {
      {"tiny", "tiny", {}},
      {"tiny_write_through", "tiny", {"buffer.mode=write_through"}},
      {"units_of_a_page", "tiny", {"nand.page_size=16 KiB", "nand.blocks=14", "nand.pages=8", "buffer.size=128 KiB"}},
      {"one_shot_tlc_on_four_planes", "nvme-tlc-1tb", {}},
      {"one_shot_tlc_write_through", "nvme-tlc-1tb", {"buffer.mode=write_through"}},
      {"small_blocks", "slc-small-block", {}},
      {"two_queues_and_dies", "mqsim-default", {"host.queues=2"}},
      {"data_in_nvram", "tiny", {"buffer.location=nvram", "nvram.kind=stt_mram"}},
      // So slow that cuts interrupt header writes, and so small that the header table is full.
      {"data_in_slow_nvram",
       "tiny",
       {"buffer.location=nvram", "nvram.kind=pcm", "nvram.write_latency=50 us", "buffer.size=48 KiB"}},
      {"multi_plane_in_nvram",
       "mqsim-default",
       {"buffer.location=nvram", "nvram.kind=pcm", "nvram.write_latency=20 us"}},
      {"two_commands_a_die",
       "mqsim-default",
       {"ftl.arbitration=out_of_order", "nand.cache_read=true", "nand.cache_program=true", "nand.program_suspend=true",
        "nand.erase_suspend=true", "nand.suspend_interval=20 us", "nand.page_register=true"}},
      {"planes_apart_and_suspended",
       "mqsim-default",
       {"nand.independent_planes=2", "nand.multi_plane_read=true", "nand.program_suspend=true",
        "nand.erase_suspend=true", "nand.suspend_interval=20 us"}},
      {"suspended_and_polled",
       "tiny",
       {"nand.program_suspend=true", "nand.erase_suspend=true", "nand.ready_detection=polling"}},
      {"short_queues_and_little_power",
       "tiny",
       {"ftl.arbitration=out_of_order", "ftl.queue_limit=2", "power.cap_dies=2", "power.cap=0.12 W"}},
      {"hot_and_throttled",
       "mqsim-default",
       {"ftl.arbitration=out_of_order", "nand.cache_program=true", "nand.program_suspend=true", "thermal.model=rc",
        "thermal.start_temperatures=[\"90 C\", \"86 C\", \"86 C\"]", "thermal.duty=[0.5, 0.2]",
        "thermal.link=[0.5, 0.1]", "thermal.period=1 ms"}}};
  return all;
}

struct Case {
  std::size_t device;
  std::uint64_t seed;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(devices()[info.param.device].name) + "_" + std::to_string(info.param.seed);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (std::size_t device = 0; device < devices().size(); ++device)
    for (std::uint64_t seed = 1; seed <= effort(4, 12); ++seed) all.push_back({device, seed});
  return all;
}

class PowerCut : public testing::TestWithParam<Case> {};

TEST_P(PowerCut, LosesNothingThatWasDurable) {
  const Device& device = devices()[GetParam().device];
  std::vector<std::string> overrides = device.overrides;
  overrides.insert(overrides.end(), {"precondition.fill=0.8", "power.off_time=1 ms"});
  DeviceConfig config = small_preset(device.preset, overrides);
  const std::uint64_t seed = GetParam().seed;
  MixOptions mix = mix_for(config, seed, 2000);
  mix.fua = 15;
  mix.flushes = 2;
  const std::vector<TestJob> jobs = {{random_mix(mix), 8, 0}};

  const Json whole = simulate(config, jobs);
  const auto length = whole["end_ps"].get<Picoseconds>();
  Random random(seed);
  config.power.cut_at = length / 20 + random.below(length * 17 / 20);
  const Json cut = simulate(config, jobs);
  EXPECT_EQ(cut["power"]["cuts"], 1);
  EXPECT_GT(cut["power"]["recovery_s"], 0);
  EXPECT_GT(cut["host"]["power_lost"], 0);
  EXPECT_EQ(cut["host"]["completions"], jobs[0].requests.size());
  EXPECT_EQ(cut["host"]["media_errors"], 0);
  EXPECT_EQ(cut["verify"]["mismatches"], 0) << cut["verify"]["first_mismatch"];
  EXPECT_GT(cut["counters"]["read"]["recovery"][1], 0);
  EXPECT_GT(whole["ftl"]["gc_runs"], 0);
  // Residencies still add up to the simulated time, including the time without power.
  for (const Json& component : cut["energy"]["components"]) {
    EXPECT_NEAR(component["residency_s"]["off"].get<double>(), 0.001, 1e-12) << component["name"];
  }
}

// Commands that the driver is about to send when the power fails wait in the driver until it is back: the device
// neither sees nor loses them.
TEST(PowerCutInTheDriver, SendsNothingToADeviceWithoutPower) {
  const DeviceConfig config =
      small_preset("tiny", {"host.submit_latency=1 ms", "power.cut_at=500 us", "power.off_time=100 ms"});
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 8; ++i)
    requests.push_back({.offset = i * config.ftl.mapping_unit,
                        .length = config.ftl.mapping_unit,
                        .kind = i < 4 ? RequestKind::Write : RequestKind::Read});
  const Json result = simulate(config, {{requests, 4, 0}});
  EXPECT_EQ(result["power"]["cuts"], 1);
  EXPECT_EQ(result["host"]["power_lost"], 0);
  EXPECT_EQ(result["host"]["completions"], requests.size());
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  // The four writes waited before their submission; in the device they spent far less.
  const Json& write = result["breakdown_ps"]["write"];
  EXPECT_GT(write["backlog"].get<Picoseconds>(), 4 * 100 * kMillisecond);
  EXPECT_LT(write["interface"].get<Picoseconds>(), 10 * kMillisecond);
}

INSTANTIATE_TEST_SUITE_P(Instants, PowerCut, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace flashloom::power_cut_test
