// Whole devices with a banked DRAM, and with cores that change their clock and sleep.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::dram_and_cores_test {
namespace {

std::vector<Request> reads(std::uint64_t n, std::uint64_t gap_ps = 0, std::uint64_t step = 4096) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i)
    requests[i] = {.offset = i * step, .length = 4096, .arrival_ps = i * gap_ps, .kind = RequestKind::Read};
  return requests;
}

DeviceConfig calibration(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0", "precondition.fill=1.0"});
  return preset("calibration", overrides);
}

const std::vector<std::string> kBanked = {"dram.kind=ddr3_1600", "dram.model=banked", "dram.size=64 MiB"};

std::vector<std::string> banked(std::vector<std::string> more = {}) {
  more.insert(more.begin(), kBanked.begin(), kBanked.end());
  return more;
}

// A read takes the map entry (a burst of 64 B is two of DDR3's: 10 ns), the page in and the page out. When it comes, a
// DDR3 row is closed or open, and at most one has to be closed: so the DRAM adds between 3 hits and 3 conflicts.
TEST(BankedDramInADevice, UnloadedReads) {
  const Json none = simulate(calibration({}), {{reads(40), 1, 0}});
  const Json rows =
      simulate(calibration(banked({"dram.refresh_interval=0 s", "dram.refresh_time=0 s"})), {{reads(40), 1, 0}});
  const Picoseconds base = none["latency_ps"]["read"][0];
  const Picoseconds data = 10'000 + 2 * 640'000;  // 64 B and two pages at 6.4 GB/s
  const Picoseconds least = rows["latency_ps"]["read"][0];
  const Picoseconds most = rows["latency_ps"]["read"][1];
  // CL of the map entry; CWL of the page in, which crosses a row boundary; CL of the page out.
  EXPECT_GE(least, base + data + 12'500 + 10'000 + 12'500);
  EXPECT_LE(most, base + data + 3 * (12'500 + 12'500) + 12'500 + 10'000 + 12'500);
  const Json& counters = rows["dram"]["rows"];
  EXPECT_EQ(counters["bursts"], 40 * (2 + 128 + 128));
  EXPECT_EQ(counters["bursts"].get<std::uint64_t>(), counters["hits"].get<std::uint64_t>() +
                                                         counters["misses"].get<std::uint64_t>() +
                                                         counters["conflicts"].get<std::uint64_t>());
  EXPECT_EQ(rows["energy"]["operations"]["dram.activate"]["count"].get<std::uint64_t>(),
            counters["misses"].get<std::uint64_t>() + counters["conflicts"].get<std::uint64_t>());
  EXPECT_FALSE(none["dram"].contains("rows"));
}

TEST(BankedDramInADevice, VerifiedMixesEndAlike) {
  for (const char* const device : {"tiny", "nvme-tlc-1tb", "mqsim-default"}) {
    const DeviceConfig flat = small_preset(device, {"precondition.fill=0.5"});
    const DeviceConfig rows = small_preset(device, banked({"precondition.fill=0.5"}));
    const std::vector<Request> requests = random_mix(mix_for(flat, 21, 2'000));
    // With one request at a time the firmware decides alike, whatever the DRAM. Whether a read still finds a unit on its
    // way to flash depends on time.
    const Json a = simulate(flat, {{requests, 1, 0}});
    const Json b = simulate(rows, {{requests, 1, 0}});
    EXPECT_EQ(b["verify"]["mismatches"], 0);
    EXPECT_EQ(a["digest"], b["digest"]);
    EXPECT_EQ(a["counters"]["program"], b["counters"]["program"]);
    EXPECT_EQ(a["counters"]["erase"], b["counters"]["erase"]);
    const Json deep = simulate(rows, {{requests, 32, 0}});
    EXPECT_EQ(deep["verify"]["mismatches"], 0);
    EXPECT_GT(deep["dram"]["rows"]["hits"], 0);
    EXPECT_GT(deep["dram"]["rows"]["refreshes"], 0);
  }
}

TEST(BankedDramInADevice, SurvivesPowerCuts) {
  const DeviceConfig config = small_preset("tiny", banked({"power.cut_at=5 ms"}));
  const Json result = simulate(config, {{random_mix(mix_for(config, 3, 2'000)), 16, 0}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(result["power"]["cuts"], 1);
}

std::vector<std::string> points(std::vector<std::string> more) {
  more.insert(more.begin(), {"cpu.model=arm", "cpu.cores=1",
                             "cpu.points=[{ clock = \"250 MHz\", active_power = \"20 mW\", idle_power = \"4 mW\" }, "
                             "{ clock = \"1 GHz\", active_power = \"200 mW\", idle_power = \"10 mW\" }]"});
  return more;
}

// An unloaded read has 570 cycles before its data (closed_forms_test.cpp). 300 more overlap the 1,137,501 ps that the
// data take on the link; on one core at 250 MHz they take longer than that.
TEST(GovernedCores, FixedPointsAreClocks) {
  const Picoseconds base = simulate(calibration({}), {{reads(40), 1, 0}})["latency_ps"]["read"][0];
  for (const auto& [point, time] :
       {std::pair{"cpu.point=0", 570 * 4'000U + 300 * 4'000U - 1'137'501U}, std::pair{"cpu.point=1", 570 * 1'000U}}) {
    const Json result = simulate(calibration(points({point})), {{reads(40), 1, 0}});
    EXPECT_EQ(result["latency_ps"]["read"][0], base + time);
    EXPECT_EQ(result["latency_ps"]["read"][1], base + time);
    EXPECT_EQ(result["cpu"]["cores"][0]["transitions"], 0);
  }
}

// One read per millisecond: the core sleeps after 100 us, so each read wakes it once and waits 10 us first.
TEST(GovernedCores, EachLonelyReadWakesTheCore) {
  const Picoseconds base = simulate(calibration({}), {{reads(40), 1, 0}})["latency_ps"]["read"][0];
  const Json result = simulate(calibration({"cpu.model=arm", "cpu.cores=1", "cpu.clock=1 GHz", "cpu.sleep_time=100 us",
                                            "cpu.sleep_power=1 mW", "cpu.wake_latency=10 us"}),
                               {{reads(20, kMillisecond), 0, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][1], base + 570'000 + 10 * kMicrosecond);
  EXPECT_EQ(result["latency_ps"]["read"][0], base + 570'000);  // the first read, at time 0
  const Json& core = result["cpu"]["cores"][0];
  EXPECT_EQ(core["sleeps"], 19);
  EXPECT_GT(core["sleep_s"].get<double>(), 19 * 0.8e-3);
}

TEST(GovernedCores, OndemandLiesBetweenItsPoints) {
  const auto run = [](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"cpu.sampling_interval=100 us", "cpu.transition_latency=10 us"});
    return simulate(calibration(points(overrides)), {{reads(2'000, 0, 4096), 64, 0}, {reads(20, kMillisecond), 0, 0}});
  };
  const Json slow = run({"cpu.point=0"});
  const Json fast = run({"cpu.point=1"});
  const Json governed = run({"cpu.governor=ondemand"});
  EXPECT_GT(governed["cpu"]["cores"][0]["transitions"], 0);
  const auto time = [](const Json& result) { return result["host"]["read"]["latency_ns"]["mean"].get<double>(); };
  EXPECT_LT(time(fast), time(governed));
  EXPECT_LT(time(governed), time(slow));
  const auto busy = [](const Json& result) { return result["energy"]["operations"]["cpu"]["j"].get<double>(); };
  EXPECT_LT(busy(slow), busy(governed));
  EXPECT_LE(busy(governed), busy(fast));
}

TEST(GovernedCores, VerifiedMixesWithCutsAndLowPowerStates) {
  for (const auto& more : std::vector<std::vector<std::string>>{
           {"power.cut_at=8 ms"},
           {"power.states=[{ operational = true }, { operational = false, idle_power = \"5 mW\", idle_time = \"2 ms\", "
            "entry_latency = \"1 ms\", exit_latency = \"500 us\" }]"}}) {
    std::vector<std::string> overrides =
        points({"cpu.governor=ondemand", "cpu.sampling_interval=200 us", "cpu.sleep_time=300 us",
                "cpu.sleep_power=1 mW", "cpu.wake_latency=20 us"});
    overrides.insert(overrides.end(), more.begin(), more.end());
    const DeviceConfig config = small_preset("tiny", overrides);
    MixOptions mix = mix_for(config, 9, 1'500);
    const Json busy = simulate(config, {{random_mix(mix), 16, 0}});
    EXPECT_EQ(busy["verify"]["mismatches"], 0);
    mix.gap_ps = 4 * kMillisecond;
    mix.requests = 300;
    const Json idle = simulate(config, {{random_mix(mix), 0, 0}});
    EXPECT_EQ(idle["verify"]["mismatches"], 0);
    EXPECT_GT(idle["cpu"]["cores"][0]["sleeps"], 0);
  }
}

// Two queues on two cores have twice the firmware throughput of one core.
TEST(SpreadSteps, ShareTheWork) {
  const auto iops = [](std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"cpu.model=arm", "cpu.clock=20 MHz", "cpu.cores=4", "cpu.ftl_core=2",
                                       "cpu.flash_core=3", "host.queues=2", "link.kind=ideal"});
    const Json result = simulate(calibration(overrides), {{reads(1'000), 64, 0}, {reads(1'000), 64, 1}});
    return result["host"]["read"]["iops"].get<double>();
  };
  const double one = iops({});
  // Taking turns, the cores do not get equal loads, since pieces have 360 or 200 cycles.
  EXPECT_GT(iops({"cpu.host_cores=[0, 1]"}), 1.4 * one);
  EXPECT_NEAR(iops({"cpu.host_cores=[0, 1]", "cpu.spread=affinity"}), 2 * one, 0.05 * one);
  EXPECT_NEAR(iops({"cpu.host_cores=[0, 1]", "cpu.spread=least_loaded"}), 2 * one, 0.05 * one);
}

}  // namespace
}  // namespace flashloom::dram_and_cores_test
