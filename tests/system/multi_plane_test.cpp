// Multi-plane reads and programs, and copyback, in whole devices: latency and throughput against closed forms, and laws
// that always hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/experiment.hpp"

namespace flashloom::multi_plane_test {
namespace {

/// Sequential requests that start again from 0 at the end of `space`.
std::vector<Request> cyclic(RequestKind kind, std::uint64_t length, std::uint64_t n, std::uint64_t space = ~0ULL) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i)
    requests[i] = {.offset = i % (space / length) * length, .length = length, .kind = kind};
  return requests;
}

DeviceConfig two_planes(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   {"nand.planes=2", "nand.multi_plane_program=true", "nand.channels=1", "nand.ways=1",
                    "nand.blocks=20", "nand.pages=32", "ftl.over_provisioning=1.0", "precondition.fill=1.0"});
  return preset("calibration", overrides);
}

// By hand, as in closed_forms_test.cpp: link entries, both ways, 8 KiB in two data transfers that follow their pages; 8
// cycles of 40 ns for a command and for the selection of a plane; tR 50 us; 4096 ns on the bus.
constexpr Picoseconds kLink = 22'344 + 200'000 + 1'137'501 + 10'157 + 200'000;  // of the last page
constexpr Picoseconds kCycles = 320'000;
constexpr Picoseconds kData = 4'096'000;

TEST(MultiPlane, AnUnloadedReadOfTwoPlanes) {
  const std::vector<TestJob> job = {{cyclic(RequestKind::Read, 8192, 30), 1, 0}};
  const Json together = simulate(two_planes({"nand.multi_plane_read=true"}), job);
  const Picoseconds expected = 2 * kCycles + 50 * kMicrosecond + 2 * (kCycles + kData) + kLink;
  EXPECT_EQ(together["latency_ps"]["read"][0], expected);
  EXPECT_EQ(together["latency_ps"]["read"][1], expected);
  // In sequence: the second read begins when the data of the first have left the die.
  const Json apart = simulate(two_planes({}), job);
  const Picoseconds serial = 2 * (kCycles + 50 * kMicrosecond + kData) + kLink;
  EXPECT_EQ(apart["latency_ps"]["read"][0], serial);
  EXPECT_EQ(apart["latency_ps"]["read"][1], serial);
  EXPECT_EQ(together["counters"]["read"]["host"], apart["counters"]["read"]["host"]);
}

// Pages per second of mqsim-default's flash (8 channels x 4 ways x 2 dies x 2 planes, 8 KiB pages, 75/750 us, 333 MT/s,
// 7 cycles of 25 ns); link, cores and DRAM take no time. Two-page reads, enough of them to keep all dies busy.
struct Throughput {
  double channels = 8, dies = 64, cycles = 7 * 25e-9, data = 8192 / 333e6;
  double reads(bool together) const {
    const double bus = together ? 2 * cycles + 2 * (cycles + data) : cycles + data;
    const double pages = together ? 2 : 1;
    return pages * std::min(channels / bus, dies / (bus + 75e-6));
  }
  double programs(bool together) const {
    const double pages = together ? 2 : 1;
    const double bus = pages * (cycles + data);
    return pages * std::min(channels / bus, dies / (bus + 750e-6));
  }
};

DeviceConfig mqsim(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(),
                   {"nand.blocks=32", "nand.pages=32", "ftl.over_provisioning=1.0", "cpu.model=ideal",
                    "link.kind=ideal", "dram.size=0 B", "buffer.mode=write_through", "host_interface.queue_depth=4096",
                    "host_interface.commands=4096"});
  return preset("mqsim-default", overrides);
}

constexpr std::uint64_t kSpace = 480 << 20;  // within the 512 MiB that the device below offers

class MqsimDefault : public testing::TestWithParam<bool> {
 protected:
  std::string on() const { return GetParam() ? "true" : "false"; }
  static void compare(double measured, double expected) {
    std::printf("%.0f pages/s, closed form %.0f: %+.3f %%\n", measured, expected, 100 * (measured / expected - 1));
    EXPECT_NEAR(measured / expected, 1.0, 0.01);
  }
};

TEST_P(MqsimDefault, ReadsFollowTheClosedForm) {
  const Json result =
      simulate(mqsim({"nand.multi_plane_program=true", "nand.multi_plane_read=" + on(), "precondition.fill=1.0"}),
               {{cyclic(RequestKind::Read, 16384, 30000, kSpace), 1024, 0}});
  compare(2 * result["host"]["read"]["iops"].get<double>(), Throughput{}.reads(GetParam()));
}

// Each write is a whole program unit, since each must be durable before it completes.
TEST_P(MqsimDefault, ProgramsFollowTheClosedForm) {
  const Json result = simulate(mqsim({"nand.multi_plane_program=" + on()}),
                               {{cyclic(RequestKind::Write, 16384, 30000, kSpace), 1024, 0}});
  compare(2 * result["host"]["write"]["iops"].get<double>(), Throughput{}.programs(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Planes, MqsimDefault, testing::Bool(),
                         [](const auto& test) { return std::string(test.param ? "Together" : "OneByOne"); });

struct Feature {
  const char* name;
  const char* preset;
  std::vector<std::string> off, on;
};

void PrintTo(const Feature& feature, std::ostream* out) { *out << feature.name; }

class Features : public testing::TestWithParam<Feature> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& feature) {
    std::vector<std::string> overrides = feature;
    overrides.push_back("precondition.fill=0.9");
    overrides.push_back("buffer.read_ahead=0 B");  // which reads ahead what flash senses at once
    return small_preset(GetParam().preset, overrides);
  }
};

// Timed and instant runs end alike, data verify, and the feature does not change how often host data are moved.
TEST_P(Features, ChangeNoDecision) {
  const DeviceConfig config = device(GetParam().on);
  MixOptions mix = mix_for(config, 5, 3000);
  mix.reads = 20;
  mix.whole_units = true;
  const std::vector<Request> requests = random_mix(mix);
  const Json timed = simulate(config, {{requests, 1, 0}});
  const Json instant = run_instantly(config, requests);
  const Json without = run_instantly(device(GetParam().off), requests);
  EXPECT_EQ(timed["digest"], instant["digest"]);
  EXPECT_EQ(timed["verify"]["mismatches"], 0);
  EXPECT_EQ(instant["verify"]["mismatches"], 0);
  EXPECT_GT(timed["ftl_statistics"]["units_moved"], 0);
  EXPECT_EQ(timed["ftl_statistics"], without["ftl_statistics"]);
  EXPECT_EQ(instant["digest"], without["digest"]);
}

TEST_P(Features, VerifyInDeepQueues) {
  const DeviceConfig config = device(GetParam().on);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Json result = simulate(config, {{random_mix(mix_for(config, seed, 3000)), 32, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    EXPECT_GT(result["verify"]["reads_checked"], 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Features,
    testing::Values(
        Feature{"CopybackOfSinglePages", "slc-small-block", {}, {"nand.copyback=true"}},
        Feature{"CopybackInTheTinyPreset", "tiny", {}, {"nand.copyback=true"}},
        Feature{"MultiPlaneReads",
                "mqsim-default",
                {"nand.blocks=16", "nand.multi_plane_program=true"},
                {"nand.blocks=16", "nand.multi_plane_program=true", "nand.multi_plane_read=true"}},
        Feature{"MultiPlaneReadsOfSinglePlaneBlocks", "mqsim-default", {}, {"nand.multi_plane_read=true"}},
        Feature{
            "MultiPlaneCopyback",
            "mqsim-default",
            {"nand.blocks=16", "nand.multi_plane_program=true"},
            {"nand.blocks=16", "nand.multi_plane_program=true", "nand.multi_plane_read=true", "nand.copyback=true"}},
        Feature{"IndependentPlanes",
                "mqsim-default",
                {"nand.blocks=16", "nand.multi_plane_program=true"},
                {"nand.blocks=16", "nand.multi_plane_program=true", "nand.multi_plane_read=true", "nand.copyback=true",
                 "nand.independent_planes=2"}},
        Feature{"IndependentPlanesOfSinglePlaneBlocks", "mqsim-default", {}, {"nand.independent_planes=2"}},
        Feature{"OneShotMultiPlaneReads", "nvme-tlc-1tb", {}, {"nand.multi_plane_read=true"}},
        Feature{"OneShotPlaneFirst",
                "nvme-tlc-1tb",
                {"nand.unit_layout=plane_first"},
                {"nand.unit_layout=plane_first", "nand.multi_plane_read=true"}},
        Feature{"OneShotPlaneFirstOfIndependentPlanes",
                "nvme-tlc-1tb",
                {"nand.unit_layout=plane_first"},
                {"nand.unit_layout=plane_first", "nand.multi_plane_read=true", "nand.independent_planes=2"}},
        Feature{"OneShotPlaneFirstWithCacheReads",
                "nvme-tlc-1tb",
                {"nand.unit_layout=plane_first"},
                {"nand.unit_layout=plane_first", "nand.multi_plane_read=true", "nand.cache_read=true"}},
        Feature{"OneShotPlaneFirstOfAnSlcCache",
                "nvme-tlc-1tb",
                {"nand.unit_layout=plane_first", "nand.slc_blocks=3", "ftl.logical_size=4 MiB", "ftl.slc_idle=false"},
                {"nand.unit_layout=plane_first", "nand.slc_blocks=3", "ftl.logical_size=4 MiB", "ftl.slc_idle=false",
                 "nand.multi_plane_read=true"}},
        Feature{"OneShotPlaneFirstInSuperblocks",
                "nvme-tlc-1tb",
                {"nand.unit_layout=plane_first", "ftl.gc_unit=superblock", "nand.blocks=32"},
                {"nand.unit_layout=plane_first", "ftl.gc_unit=superblock", "nand.blocks=32",
                 "nand.multi_plane_read=true"}}),
    [](const auto& test) { return std::string(test.param.name); });

// Copies within a die do not use the bus.
TEST(Copyback, TakesTheCopiesOffTheBus) {
  const auto run = [](const char* copyback) {
    const DeviceConfig config =
        small_preset("slc-small-block", {"precondition.fill=0.9", std::string("nand.copyback=") + copyback});
    MixOptions mix = mix_for(config, 9, 4000);
    mix.reads = mix.trims = mix.flushes = mix.fua = 0;
    mix.whole_units = true;
    return simulate(config, {{random_mix(mix), 8, 0}});
  };
  const Json on = run("true"), off = run("false");
  const auto gc_bus = [](const Json& result) {
    return result["counters"]["read"]["gc"][3].get<double>() + result["counters"]["program"]["gc"][3].get<double>();
  };
  ASSERT_GT(gc_bus(off), 0);
  std::printf("GC bytes on the bus: %.0f without copyback, %.0f with it\n", gc_bus(off), gc_bus(on));
  EXPECT_LT(gc_bus(on), 0.5 * gc_bus(off));
  EXPECT_LT(on["end_ps"].get<double>(), off["end_ps"].get<double>());
}

}  // namespace
}  // namespace flashloom::multi_plane_test
