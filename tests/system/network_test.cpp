// nand.network in whole devices: latency by hops, throughput by ports, traffic on links, both clocks, saved states,
// power cuts, and every other feature that uses the wires.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/alike.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::network_test {
namespace {

/// The calibration device with an ideal link: a read of 4 KiB takes 320 ns, 50 us and 4096 ns.
DeviceConfig calibrated(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"link.kind=ideal", "nand.blocks=16", "nand.pages=32",
                                       "ftl.over_provisioning=1.0", "precondition.fill=1.0"});
  return preset("calibration", overrides);
}

// 8 rows of 2 columns: each chip is one or two hops from its port, which is free. Command and data each take 10 ns per
// hop and 5 ns for the scout.
TEST(Network, AnUnloadedReadTakesItsHopsTwice) {
  const Json result = simulate(
      calibrated({"nand.network.topology=mesh", "nand.network.hop_time=10 ns", "nand.network.reserve_time=5 ns"}),
      {{of(RequestKind::Read, 4096, 200), 1, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][0], 54'416'000 + 2 * 15'000);
  EXPECT_EQ(result["latency_ps"]["read"][1], 54'416'000 + 2 * 30'000);
  EXPECT_EQ(result["network"]["conflicts"], 0);
}

// Ports are as fast as buses: 8 pages in 4416 ns. A second bus per way doubles the number of paths, but then the 16
// dies limit: with Z-NAND's tR of 3 us they give 16 pages in 7416 ns.
TEST(Network, ThroughputIsThatOfPorts) {
  const std::vector<TestJob> jobs = {{of(RequestKind::Read, 4096, 20000), 256, 0}};
  const auto iops = [&](const std::string& topology) {
    const Json result = simulate(calibrated({"nand.read_time=3 us", "nand.ways=4", "host_interface.commands=1024",
                                             "nand.blocks=24", "nand.pages=64", "nand.network.hop_time=0 s",
                                             "nand.network.reserve_time=0 s", "nand.network.topology=" + topology}),
                                 jobs);
    return result["host"]["read"]["iops"].get<double>();
  };
  constexpr double kPorts = 8 / 4.416e-6;
  for (const char* topology : {"bus", "crossbar", "mesh"}) {
    EXPECT_LT(iops(topology), 1.001 * kPorts) << topology;
    EXPECT_GT(iops(topology), 0.97 * kPorts) << topology;
  }
  EXPECT_GT(iops("vertical"), 1.3 * kPorts);
}

// Data to and from dies are counted once per link, and the ports' data cycles match the bytes.
TEST(Network, CountsAndChargesWhatCrossesLinks) {
  for (const char* topology : {"crossbar", "mesh", "vertical"}) {
    const DeviceConfig config =
        small_preset("tiny", {"precondition.fill=0.9", "nand.network.link_energy=10 pJ/B",
                              "nand.network.router_power=2 mW", std::string("nand.network.topology=") + topology});
    const Json result = simulate(config, {{random_mix(mix_for(config, 3, 2000)), 16, 0}});
    const Json& network = result["network"];
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    EXPECT_GT(network["bytes"].get<std::uint64_t>(), 1000U * 4096) << topology;
    const double hops = network["byte_hops"].get<double>() / network["bytes"].get<double>();
    EXPECT_GE(hops, 1);
    EXPECT_LE(hops, std::string(topology) == "mesh" ? 3 + 8 : 1);
    const Json& moved = result["energy"]["operations"]["nand.transfer"];
    const double joules = network["byte_hops"].get<double>() * 10e-12;
    EXPECT_NEAR(moved["j"].get<double>(), joules, 2e-3 * joules);  // minus what is in flight at the end
    if (std::string(topology) == "vertical") continue;             // its ways have ports that belong to no channel
    double data = 0;
    for (const Json& channel : result["utilization"]["channels"]) data += channel["data"].get<double>();
    const double seconds = result["window"]["end_s"].get<double>() - result["window"]["begin_s"].get<double>();
    const double rate = static_cast<double>(config.nand.transfer_rate);
    EXPECT_NEAR(data * seconds * rate, network["bytes"].get<double>(), 2e-3 * network["bytes"].get<double>());
    // One router per chip or per port: tiny has 2 x 2 dies.
    for (const Json& component : result["energy"]["components"]) {
      if (component["name"] != "channel0") continue;
      EXPECT_GT(component["j"].get<double>(), (std::string(topology) == "mesh" ? 4e-3 : 2e-3) * seconds);
    }
  }
}

struct Kind {
  const char* name;
  std::vector<std::string> overrides;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"crossbar", {"nand.network.topology=crossbar"}},
      {"vertical_polled", {"nand.network.topology=vertical", "nand.ready_detection=polling"}},
      {"minimal_planes_one_shot",
       {"nand.network.topology=mesh", "nand.network.routing=minimal", "nand.planes=2", "nand.multi_plane_program=true",
        "nand.multi_plane_read=true", "nand.pages_per_program=3", "buffer.size=512 KiB"}},
      {"adaptive_three_rows",
       {"nand.network.topology=mesh", "nand.channels=3", "nand.ways=3", "nand.dies=2", "nand.network.link_width=4",
        "nand.network.detour=2"}},
      {"mesh_independent_planes_superblocks",
       {"nand.network.topology=mesh", "nand.planes=4", "nand.independent_planes=2", "ftl.over_provisioning=2",
        "ftl.gc_unit=superblock"}},
      {"mesh_copyback_dftl",
       {"nand.network.topology=mesh", "nand.copyback=true", "nand.channel_switch_time=200 ns",
        "ftl.kind={ name = \"dftl\", cmt_size = \"512 B\" }"}},
      {"mesh_slc_cache",
       {"nand.network.topology=mesh", "nand.slc_blocks=4", "ftl.slc_idle=false",
        "nand.read_time=[\"40 us\", \"60 us\", \"80 us\"]", "nand.program_time=[\"500 us\", \"900 us\", \"1500 us\"]"}},
      {"mesh_errors_failing",
       {"nand.network.topology=mesh", "nand.errors.model=power_law", "nand.errors.base=1.3e-3", "nand.ecc.strength=22",
        "nand.spare_size=512 B", "nand.program_failure_rate=0.001", "ftl.over_provisioning=2", "ftl.scrub_level=1"}},
      {"crossbar_capacitors",
       {"nand.network.topology=crossbar", "power.plp=true", "nand.partial_programs=2", "nand.page_size=8 KiB"}}};
  return all;
}

class NetworkWith : public testing::TestWithParam<std::size_t> {
 protected:
  static DeviceConfig device(std::vector<std::string> overrides = {}) {
    overrides.insert(overrides.begin(), {"nand.blocks=48", "nand.pages=12", "ftl.over_provisioning=1"});
    const std::vector<std::string>& more = kinds()[GetParam()].overrides;
    overrides.insert(overrides.end(), more.begin(), more.end());
    return small_preset("tiny", overrides);
  }
};

TEST_P(NetworkWith, DecidesAlikeOnBothClocks) {
  const DeviceConfig config = device({"precondition.fill=0.9"});
  MixOptions mix = mix_for(config, 8, 2000);
  mix.whole_units = true;
  mix.reads = 0;
  const std::vector<Request> requests = random_mix(mix);
  expect_wrote_alike(simulate(config, {{requests, 1, 0}}), run_instantly(config, requests));
}

TEST_P(NetworkWith, LosesNothingAtDepthAndFromASavedState) {
  const DeviceConfig config = device({"precondition.fill=0.9"});
  const std::vector<TestJob> jobs = {{random_mix(mix_for(config, 11, 1500)), 16, 0}};
  const Json run = simulate(config, jobs);
  EXPECT_EQ(run["verify"]["mismatches"], 0) << run["verify"]["first_mismatch"];
  EXPECT_GT(run["network"]["transfers"], 1500);
  const std::string path = testing::TempDir() + "flashloom_network_" + kinds()[GetParam()].name + ".state";
  save_state(config, path);
  EXPECT_EQ(run.dump(2), simulate(config, jobs, path).dump(2));
  std::filesystem::remove(path);
}

TEST_P(NetworkWith, SurvivesCuts) {
  const DeviceConfig config = device();
  DriveTorture drive(config, 1);
  bool good = true;
  while (good && drive.counts().cuts < 25 && drive.counts().read_only < 4) good = drive.run(drive.counts().cuts + 1);
  EXPECT_TRUE(good) << drive.failure().what;
  EXPECT_GT(drive.counts().sectors_checked, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NetworkWith, testing::Range(std::size_t{0}, kinds().size()),
                         [](const auto& test) { return std::string(kinds()[test.param].name); });

}  // namespace
}  // namespace flashloom::network_test
