// Power cuts catch lying drives, and find nothing on the honest drive; nor do they where the lie is harmless.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sc_main/verify/drive_torture.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::lying_drives_test {
namespace {

constexpr std::uint64_t kSeeds = 5;
constexpr std::uint64_t kCuts = 30;

DeviceConfig drive(std::vector<std::string> overrides) {
  overrides.insert(overrides.end(), {"nand.blocks=24", "nand.pages=8", "ftl.over_provisioning=1.5"});
  return preset("tiny", overrides);
}

/// Number of seeds with which the cuts find something. Every finding must be due to an earlier lie.
std::uint64_t caught(const std::vector<std::string>& overrides, TortureCounts* counts = nullptr) {
  std::uint64_t found = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    DriveTorture torture(drive(overrides), seed);
    const bool good = torture.run(kCuts);
    EXPECT_TRUE(good || torture.failure().caught) << torture.failure().what;
    found += good ? 0 : 1;
    if (counts != nullptr) *counts += torture.counts();
  }
  return found;
}

struct Lie {
  std::string key;
  std::uint64_t FaultStatistics::*count;
};

void PrintTo(const Lie& lie, std::ostream* out) { *out << lie.key; }

class LyingDrives : public testing::TestWithParam<Lie> {};

TEST_P(LyingDrives, AreCaughtByFewCutsOfEverySeed) {
  TortureCounts counts;
  EXPECT_EQ(caught({"faults." + GetParam().key + "=1"}, &counts), kSeeds);
  EXPECT_GT(counts.faults.*GetParam().count, 0U);
  for (std::uint64_t FaultStatistics::*const other :
       {&FaultStatistics::flushes_ignored, &FaultStatistics::fua_ignored, &FaultStatistics::units_torn,
        &FaultStatistics::writes_lost, &FaultStatistics::writes_misdirected}) {
    if (other != GetParam().count) {
      EXPECT_EQ(counts.faults.*other, 0U);
    }
  }
}

TEST_P(LyingDrives, FailAtTheSameCutAgain) {
  const DeviceConfig config = drive({"faults." + GetParam().key + "=0.5"});
  std::vector<std::string> said;
  for (int i = 0; i < 2; ++i) {
    DriveTorture torture(config, 3);
    torture.run(100);
    said.push_back(torture.failure().what + std::to_string(torture.failure().cut) + torture.failure().struck);
  }
  EXPECT_EQ(said[0], said[1]);
  EXPECT_NE(said[0].find("holds write"), std::string::npos) << said[0];
}

INSTANTIATE_TEST_SUITE_P(EveryFault, LyingDrives,
                         testing::Values(Lie{"flush_ignored", &FaultStatistics::flushes_ignored},
                                         Lie{"fua_ignored", &FaultStatistics::fua_ignored},
                                         Lie{"torn_writes", &FaultStatistics::units_torn},
                                         Lie{"lost_writes", &FaultStatistics::writes_lost},
                                         Lie{"misdirected_writes", &FaultStatistics::writes_misdirected}),
                         [](const auto& test) { return test.param.key; });

TEST(HonestDrives, PassTheSameCuts) { EXPECT_EQ(caught({}), 0U); }

// Harmless where the data were already safe when the drive ignored the flush or FUA.
TEST(HarmlessLies, AreThoseOfDrivesThatKeepWhatTheyAcknowledge) {
  for (const char* const lie : {"faults.flush_ignored=1", "faults.fua_ignored=1"}) {
    EXPECT_EQ(caught({lie, "power.plp=true"}), 0U) << lie;
    EXPECT_EQ(caught({lie, "buffer.location=nvram", "nvram.kind=stt_mram"}), 0U) << lie;
  }
  EXPECT_EQ(caught({"faults.fua_ignored=1", "buffer.mode=write_through"}), 0U);
  EXPECT_EQ(caught({"faults.torn_writes=1", "power.plp=true"}), 0U);  // capacitors let the program complete
  // Capacitors that run out do not help.
  EXPECT_EQ(caught({"faults.flush_ignored=1", "power.plp=true", "power.plp_energy=100 uJ", "power.plp_flush=flash"}),
            kSeeds);
}

Json cut_run(const std::string& lie, const std::string& mode, std::uint32_t trims) {
  const DeviceConfig config = drive({"verify=true", "faults." + lie + "=1", "buffer.mode=" + mode, "power.cuts=20",
                                     "power.cut_spacing=10 ms", "buffer.size=512 KiB"});
  MixOptions mix = mix_for(config, 3, 5000);
  mix.trims = trims;
  mix.flushes = 10;
  return simulate(config, {{random_mix(mix), 4, 0}});
}

// On a write-through drive a flush only has to make trims durable.
TEST(HarmlessLies, AreIgnoredFlushesOfWritesThatGoThrough) {
  EXPECT_EQ(cut_run("flush_ignored", "write_through", 0)["verify"]["mismatches"], 0);
  EXPECT_GT(cut_run("flush_ignored", "write_through", 20)["verify"]["mismatches"], 0);
  const Json result = cut_run("flush_ignored", "write_back", 0);
  EXPECT_GT(result["verify"]["mismatches"], 0);
  EXPECT_GT(result["faults"]["flushes_ignored"], 0);
}

}  // namespace
}  // namespace flashloom::lying_drives_test
