// Arbitration, queue limits and power caps in whole devices: correct under load, alike on both clocks, as fast as a cap
// allows, and each changes what it should.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/alike.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::flash_scheduling_test {
namespace {

struct Scheduling {
  const char* name;
  std::vector<std::string> overrides;
  std::uint32_t limit;  // queue limit; 0: none
};

const std::vector<Scheduling>& schedulings() {
  static const std::vector<Scheduling> all = {
      {"fifo_one_place", {"ftl.arbitration=fifo", "ftl.queue_limit=1"}, 1},
      {"read_first_one_die_powered", {"ftl.queue_limit=5", "power.cap_dies=1"}, 5},
      {"out_of_order", {"ftl.arbitration=out_of_order", "ftl.queue_limit=3"}, 3},
      {"out_of_order_capped",
       {"ftl.arbitration={ name = \"out_of_order\", bound = 3, max_wait = \"500 us\" }", "power.cap=0.2 W",
        "nand.page_register=true", "power.cap_window=200 us"},
       0},
      {"two_commands_a_die",
       {"ftl.arbitration=out_of_order", "nand.cache_read=true", "nand.independent_planes=1", "nand.cache_program=true",
        "nand.program_suspend=true", "nand.erase_suspend=true", "nand.suspend_interval=20 us"},
       0},
      {"planes_apart_and_suspended",
       {"ftl.arbitration=out_of_order", "nand.planes=4", "nand.independent_planes=2", "nand.cache_read=false",
        "nand.cache_program=true", "nand.program_suspend=true", "nand.erase_suspend=true",
        "nand.suspend_interval=20 us", "nand.page_register=true"},
       0},
      {"suspended_and_polled",
       {"nand.program_suspend=true", "nand.erase_suspend=true", "nand.ready_detection=polling",
        "nand.poll_interval=15 us", "nand.interface=nv_ddr2", "nand.timing_mode=4", "nand.warmup_cycles=2"},
       0}};
  return all;
}

struct Case {
  std::string preset;
  std::size_t scheduling;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.preset + "_" + schedulings()[info.param.scheduling].name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& preset : preset_names())
    for (std::size_t i = 0; i < schedulings().size(); ++i) all.push_back({preset, i});
  return all;
}

class FlashScheduling : public testing::TestWithParam<Case> {
 protected:
  static DeviceConfig device() {
    std::vector<std::string> overrides = schedulings()[GetParam().scheduling].overrides;
    overrides.push_back("precondition.fill=0.9");
    return small_preset(GetParam().preset, overrides);
  }
};

// Nothing is lost or wrong, no request waits forever; a die would refuse programs that come out of order within a
// block.
TEST_P(FlashScheduling, KeepsTheLaws) {
  const DeviceConfig config = device();
  // Twice the planes need twice the writes before garbage collection starts.
  const std::uint64_t requests = 2500 * std::max<std::uint64_t>(1, config.nand.planes / 2);
  MixOptions mix = mix_for(config, 7, requests);
  mix.reads = 25;
  const Json result = simulate(config, {{random_mix(mix), 32, 0}});
  EXPECT_EQ(result["host"]["completions"], requests);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  EXPECT_GT(result["ftl"]["gc_runs"], 0);
  const std::uint32_t limit = schedulings()[GetParam().scheduling].limit;
  EXPECT_GE(result["flash_queues"]["longest"].get<std::uint32_t>(), 1U);
  if (limit != 0) {
    EXPECT_LE(result["flash_queues"]["longest"].get<std::uint32_t>(), limit);
  }
}

TEST_P(FlashScheduling, WritesAlikeOnBothClocks) {
  DeviceConfig config = device();
  // With a read cache the units that are on their way to flash leave it less room, on the timed clock only.
  config.buffer.read_cache = 0;
  config.buffer.read_ahead = 0;
  config.buffer.high_watermark = config.buffer.low_watermark = 1;
  MixOptions mix = mix_for(config, 3, 1500);
  mix.whole_units = true;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  expect_wrote_alike(timed, instant);
}

INSTANTIATE_TEST_SUITE_P(Presets, FlashScheduling, testing::ValuesIn(cases()), name_of);

// A multi-plane read, like a copyback, is one queue entry; a copyback takes power for its read, and again for its
// program.
TEST(FlashGroups, KeepTheLawsUnderCapsAndLimits) {
  for (const char* const cap : {"power.cap_dies=1", "power.cap=0.15 W"})
    for (const char* const arbitration : {"ftl.arbitration=fifo", "ftl.arbitration=out_of_order"}) {
      const DeviceConfig config = small_preset(
          "tiny", {"precondition.fill=0.9", "nand.planes=2", "nand.multi_plane_program=true",
                   "nand.multi_plane_read=true", "nand.copyback=true", "ftl.queue_limit=2", cap, arbitration});
      MixOptions mix = mix_for(config, 5, 2500);
      mix.whole_units = true;
      mix.max_units = 8;
      const Json result = simulate(config, {{random_mix(mix), 16, 0}});
      EXPECT_EQ(result["host"]["completions"], 2500);
      EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
      EXPECT_GT(result["ftl"]["gc_runs"], 0);
      EXPECT_LE(result["flash_queues"]["longest"].get<std::uint32_t>(), 2U);
    }
}

// Random overwrites and reads on a full drive: garbage collection fills the queues of the dies.
Json under_collection(const std::string& arbitration) {
  const DeviceConfig config =
      small_preset("tiny", {"precondition.fill=1.0", "nand.blocks=32", "nand.pages=32", "verify=false",
                            "ftl.over_provisioning=0.4", "ftl.arbitration=" + arbitration});
  MixOptions mix = mix_for(config, 11, 12'000);
  mix.whole_units = true;
  mix.max_units = 1;
  mix.hot = mix.trims = mix.flushes = mix.fua = 0;
  mix.reads = 50;
  return simulate(config, {{random_mix(mix), 16, 0}});
}

TEST(Arbitration, OutOfOrderShortensTheTailOfReadsUnderCollection) {
  const auto p99 = [](const Json& result) { return result["host"]["read"]["latency_ns"]["p99"].get<double>(); };
  const auto writes = [](const Json& result) { return result["host"]["write"]["iops"].get<double>(); };
  const Json fifo = under_collection("fifo");
  const Json read_first = under_collection("read_first");
  const Json out_of_order = under_collection("out_of_order");
  EXPECT_GT(fifo["ftl"]["gc_runs"], 100);
  for (const auto& [name, result] :
       {std::pair{"fifo", &fifo}, {"read_first", &read_first}, {"out_of_order", &out_of_order}})
    std::printf("%-13s read p99 %8.0f ns, writes %6.0f/s\n", name, p99(*result), writes(*result));
  EXPECT_LT(p99(read_first), 0.8 * p99(fifo));
  EXPECT_LT(p99(out_of_order), 0.8 * p99(fifo));
  EXPECT_LE(p99(out_of_order), p99(read_first));
  EXPECT_GT(writes(out_of_order), 0.9 * writes(fifo));  // not at the writes' cost
}

// 16 dies of 3.3 V x 25 mA, 33 uW in standby: the cap allows half or a quarter of them to be busy on average.
class CapClosedForm : public testing::TestWithParam<std::pair<double, const char*>> {};

TEST_P(CapClosedForm, IsMet) {
  const auto [share, window] = GetParam();
  const double watts = 16 * 33e-6 + 16 * share * (82.5e-3 - 33e-6);
  std::vector<std::string> overrides = {"nand.channels=4",
                                        "nand.ways=4",
                                        "nand.blocks=16",
                                        "nand.pages=32",
                                        "verify=false",
                                        "ftl.over_provisioning=1.0",
                                        "nand.array_voltage=3.3 V",
                                        "nand.read_current=25 mA",
                                        "nand.program_current=25 mA",
                                        "nand.erase_current=25 mA",
                                        "nand.standby_current=10 uA"};
  if (std::string(window) == "dies") {
    overrides.push_back("power.cap_dies=" + std::to_string(static_cast<int>(16 * share)));
  } else {
    overrides.push_back("power.cap=" + std::to_string(watts) + " W");
    overrides.push_back("power.cap_window=" + std::string(window));
  }
  std::vector<Request> reads(40'000), writes(3'000);
  Random random(5);
  for (Request& request : reads)
    request = {.offset = random.below(4'000) * 4096, .length = 4096, .kind = RequestKind::Read};
  for (std::size_t i = 0; i < writes.size(); ++i)
    writes[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Write};
  auto filled = overrides;
  filled.push_back("precondition.fill=1.0");
  const Json read = simulate(preset("calibration", filled), {{reads, 256, 0}});
  const Json write = simulate(preset("calibration", overrides), {{writes, 256, 0}});
  const double reads_expected = 16 * share / 50e-6, writes_expected = 16 * share / 600e-6;
  const double reads_measured = read["host"]["read"]["iops"], writes_measured = write["host"]["write"]["iops"];
  std::printf("share %.2f, %s: reads %+.2f %%, writes %+.2f %% of what the cap allows\n", share, window,
              100 * (reads_measured / reads_expected - 1), 100 * (writes_measured / writes_expected - 1));
  EXPECT_NEAR(reads_measured / reads_expected, 1.0, 0.02);
  EXPECT_NEAR(writes_measured / writes_expected, 1.0, 0.02);
  EXPECT_GT(read["flash_queues"]["reads"]["host"]["power_mean_ns"], 0);
}

INSTANTIATE_TEST_SUITE_P(Power, CapClosedForm,
                         testing::Values(std::pair{0.5, "dies"}, std::pair{0.25, "dies"}, std::pair{0.5, "1 ms"},
                                         std::pair{0.25, "1 ms"}, std::pair{0.25, "250 us"}));

// Sends one read every 10 ms; `overrides` name the power states in which the device sleeps between reads.
Json sleepy(const std::vector<std::string>& overrides, std::uint64_t requests) {
  std::vector<Request> reads(requests);
  for (std::size_t i = 0; i < reads.size(); ++i)
    reads[i] = {.offset = i * 4096, .length = 4096, .arrival_ps = i * 10 * kMillisecond, .kind = RequestKind::Read};
  std::vector<std::string> all = {"nand.blocks=16",        "nand.pages=32",    "ftl.over_provisioning=1.0",
                                  "precondition.fill=1.0", "dram.size=64 MiB", "dram.background_power=1 W"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return simulate(preset("calibration", all), {{reads, 0, 0}});
}

const Json& component(const Json& result, const std::string& name) {
  for (const Json& each : result["energy"]["components"])
    if (each["name"] == name || each["kind"] == name) return each;
  throw std::runtime_error("no component " + name);
}

TEST(PowerStates, TheFirstCommandAfterARestWakesTheDevice) {
  constexpr std::uint64_t kReads = 20;
  const Json awake = sleepy({}, kReads);
  const Picoseconds unloaded = awake["latency_ps"]["read"][0];
  const Json light = sleepy({"power.states=[{}, { operational = false, idle_power = \"5 mW\", idle_time = \"1 ms\", "
                             "entry_latency = \"50 us\", exit_latency = \"100 us\" }]"},
                            kReads);
  EXPECT_EQ(light["latency_ps"]["read"][0], unloaded);  // the first read
  EXPECT_EQ(light["latency_ps"]["read"][1], unloaded + 100 * kMicrosecond);
  EXPECT_EQ(light["breakdown_ps"]["read"]["power"], (kReads - 1) * 100 * kMicrosecond);
  // Asleep between two reads: 10 ms minus the read, the idle time before sleep, and the entry latency.
  const double asleep = static_cast<double>((kReads - 1) * (10 * kMillisecond - kMillisecond - 50 * kMicrosecond) -
                                            unloaded - (kReads - 2) * (unloaded + 100 * kMicrosecond)) *
                        1e-12;
  const Json& device = component(light, "device");
  EXPECT_NEAR(device["residency_s"]["ps1"].get<double>(), asleep, 1e-15);
  EXPECT_NEAR(device["j"].get<double>(), asleep * 5e-3, 1e-12);
  EXPECT_NEAR(device["residency_s"]["ps0"].get<double>() + asleep, light["simulated_s"].get<double>(), 1e-15);
  const Json& dram = component(light, "dram");
  EXPECT_NEAR(dram["residency_s"]["off"].get<double>(), asleep, 1e-15);
  EXPECT_LT(light["energy"]["background_j"].get<double>(), 0.2 * awake["energy"]["background_j"].get<double>());
}

TEST(PowerStates, ADeeperStateFollowsALighterOne) {
  const Json result = sleepy({"power.states=[{}, { operational = false, idle_power = \"5 mW\", idle_time = \"1 ms\", "
                              "exit_latency = \"100 us\" }, { operational = false, idle_power = \"1 mW\", "
                              "idle_time = \"4 ms\", entry_latency = \"500 us\", exit_latency = \"2 ms\" }]"},
                             11);
  const Json& states = component(result, "device")["residency_s"];
  EXPECT_NEAR(states["ps1"].get<double>(), 10 * 3.5e-3, 1e-15);  // until the deeper one is reached
  const double unloaded = result["latency_ps"]["read"][0].get<double>() * 1e-12;
  EXPECT_NEAR(states["ps2"].get<double>(), 10 * (10e-3 - 4.5e-3) - 10 * unloaded - 9 * 2e-3, 1e-12);
  EXPECT_EQ(result["latency_ps"]["read"][1], result["latency_ps"]["read"][0].get<Picoseconds>() + 2 * kMillisecond);
  // A command that comes during the entry into a state waits until the entry is complete.
  const Json late = sleepy({"power.states=[{}, { operational = false, idle_time = \"9 ms\", entry_latency = \"3 ms\", "
                            "exit_latency = \"1 ms\" }]"},
                           2);
  EXPECT_EQ(late["latency_ps"]["read"][1], late["latency_ps"]["read"][0].get<Picoseconds>() * 2 + 3 * kMillisecond);
  EXPECT_EQ(component(late, "device")["residency_s"]["ps1"].get<double>(), 0);
}

TEST(PowerStates, TheChosenStateCaps) {
  const std::string states = "power.states=[{}, { max_power = \"710 mW\" }]";
  const auto length = [&](const char* state) {
    const DeviceConfig config = small_preset("tiny", {"precondition.fill=0.9", states, state});
    MixOptions mix = mix_for(config, 1, 600);
    mix.reads = 100;
    mix.trims = mix.flushes = 0;
    return simulate(config, {{random_mix(mix), 16, 0}})["end_ps"].get<Picoseconds>();
  };
  EXPECT_GT(length("power.state=1"), 2 * length("power.state=0"));
}

}  // namespace
}  // namespace flashloom::flash_scheduling_test
