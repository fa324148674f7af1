// Arrays as a whole: number of commands per request, contents with a failed drive, rebuilds, throughput, laws.
#include <gtest/gtest.h>

#include <filesystem>

#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/array_device.hpp"

namespace flashloom::array_system {
namespace {

constexpr std::uint64_t kChunk = 16 << 10;

Request write_of(std::uint64_t offset, std::uint64_t length) {
  return {.offset = offset, .length = length, .kind = RequestKind::Write};
}

std::uint64_t sum_of(const Json& result, const char* what) {
  std::uint64_t sum = 0;
  for (const Json& drive : result["array"]["drives"]) sum += drive[what].get<std::uint64_t>();
  return sum;
}

struct Commands {
  std::uint64_t reads;
  std::uint64_t writes;
  friend bool operator==(const Commands&, const Commands&) = default;
};

Commands commands_of(const DeviceConfig& config, const Request& request) {
  const Json result = simulate(config, {{.requests = {request}}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  return {sum_of(result, "reads"), sum_of(result, "writes")};
}

std::vector<Request> mixed(const DeviceConfig& config, std::uint64_t requests) {
  MixOptions mix = mix_for(config, 5, requests);
  mix.capacity = host_capacity_bytes(config);
  return random_mix(mix);
}

// The rule of md: read-modify-write reads the old data and parities, reconstruct-write reads the unchanged data. The
// array takes whichever reads less; on a tie, reconstruct-write.
TEST(ArrayWrites, CommandsOfEachKindByHand) {
  EXPECT_EQ(commands_of(small_array("raid5", 5), write_of(0, 4 * kChunk)), (Commands{0, 5}));  // full stripe
  EXPECT_EQ(commands_of(small_array("raid5", 5), write_of(0, 4096)), (Commands{2, 2}));        // read-modify-write
  EXPECT_EQ(commands_of(small_array("raid5", 4), write_of(0, 4096)), (Commands{2, 2}));        // reconstruct-write
  EXPECT_EQ(commands_of(small_array("raid5", 3), write_of(0, 4096)), (Commands{1, 2}));
  EXPECT_EQ(commands_of(small_array("raid6", 8), write_of(0, 4096)), (Commands{3, 3}));  // data, P and Q
  EXPECT_EQ(commands_of(small_array("raid5", 5), write_of(0, 3 * kChunk)), (Commands{1, 4}));
  EXPECT_EQ(commands_of(small_array("raid1", 3), write_of(0, 4096)), (Commands{0, 3}));
  EXPECT_EQ(commands_of(small_array("raid10", 4), write_of(0, 2 * kChunk)), (Commands{0, 4}));
  EXPECT_EQ(commands_of(small_array("raid0", 4), write_of(0, 4 * kChunk)), (Commands{0, 4}));
}

// The write covers the last 4 KiB of column 0 and the first 4 KiB of column 1: different rows of the stripe. Each is a
// read-modify-write of its own, with its own read and write of parity.
TEST(ArrayWrites, BandsOfAWriteOverTwoColumns) {
  EXPECT_EQ(commands_of(small_array("raid5", 6), write_of(kChunk - 4096, 8192)), (Commands{4, 4}));
}

TEST(ArrayContents, EveryLevelVerifies) {
  for (const auto& [level, drives] :
       {std::pair{"jbod", 2}, {"raid0", 3}, {"raid1", 2}, {"raid10", 4}, {"raid5", 4}, {"raid6", 5}}) {
    const DeviceConfig config = small_array(level, drives);
    const Json result = simulate(config, {{.requests = mixed(config, 600), .iodepth = 8}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << level;
    EXPECT_EQ(result["verify"]["unreadable_sectors"], 0) << level;
  }
}

TEST(ArrayContents, DegradedAndRebuilt) {
  for (const auto& [level, drives] : {std::pair{"raid1", 2}, {"raid10", 4}, {"raid5", 4}, {"raid6", 5}}) {
    const DeviceConfig config =
        small_array(level, drives, {"array.fail_at=5 ms", "array.failed_drive=1", "array.rebuild_at=10 ms"});
    const Json result = simulate(config, {{.requests = mixed(config, 1500), .iodepth = 8}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << level;
    EXPECT_EQ(result["verify"]["unreadable_sectors"], 0) << level;
    EXPECT_EQ(result["array"]["failed_drives"], 1) << level;
    EXPECT_EQ(result["array"]["drives"][1]["state"], "failed") << level;
    EXPECT_GT(result["array"]["stripes_rebuilt"].get<std::uint64_t>(), 0U) << level;
  }
}

TEST(ArrayEnergy, TheDrivesAddUpToAll) {
  const DeviceConfig config = small_array("raid5", 4);
  const Json result = simulate(config, {{.requests = mixed(config, 300)}});
  double sum = 0;
  for (const Json& drive : result["array"]["drives"]) sum += drive["energy_j"].get<double>();
  EXPECT_NEAR(sum, result["energy"]["total_j"].get<double>(), 1e-9 * sum);
}

// RAID-0 spreads reads over all drives, each with a link of its own to the host, so each drive keeps the throughput
// that it has alone.
TEST(ArrayThroughput, Raid0IsThatOfItsDrives) {
  const std::vector<std::string> steady = {"precondition.fill=1", "cpu.model=ideal", "verify=false"};
  const auto time_of = [&](const DeviceConfig& config, std::uint32_t iodepth) {
    MixOptions mix = mix_for(config, 3, 4000);
    mix.capacity = host_capacity_bytes(config);
    mix.reads = 100;
    mix.trims = mix.flushes = 0;
    mix.max_units = 1;
    mix.whole_units = true;
    return simulate(config, {{.requests = random_mix(mix), .iodepth = iodepth}})["end_ps"].get<double>();
  };
  const double alone = time_of(small_array("none", 4, steady), 64);
  EXPECT_NEAR(alone / time_of(small_array("raid0", 4, steady), 256), 4, 0.4);
  EXPECT_NEAR(alone / time_of(small_array("raid10", 4, steady), 256), 4, 0.4);
}

TEST(ArrayLaws, TwoRunsGiveTheSameBytes) {
  const DeviceConfig config = small_array(
      "raid6", 5, {"array.fail_at=5 ms", "array.rebuild_at=10 ms", "power.cut_at=12 ms", "power.off_time=1 ms"});
  const std::vector<TestJob> jobs = {{.requests = mixed(config, 800), .iodepth = 8}};
  const Json result = simulate(config, jobs);
  EXPECT_EQ(result["power"]["cuts"], 1);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(result.dump(), simulate(config, jobs).dump());
}

TEST(ArrayLaws, ASavedStateHasAllDrives) {
  const DeviceConfig config = small_array("raid5", 4, {"precondition.fill=1", "precondition.steady=true"});
  const std::vector<TestJob> jobs = {{.requests = mixed(config, 400), .iodepth = 8}};
  const std::string path = testing::TempDir() + "flashloom_array.state";
  save_state(config, path);
  const Json loaded = simulate(config, jobs, path);
  std::filesystem::remove(path);
  EXPECT_EQ(simulate(config, jobs).dump(), loaded.dump());
  for (const Json& drive : loaded["array"]["drives"]) EXPECT_GT(drive["flash"]["programs"]["gc"]["pages"], 0);
}

TEST(ArrayContents, BehindAPageCache) {
  const DeviceConfig config = small_array("raid5", 4, {"host.cache.size=256 KiB"});
  const Json result = simulate(config, {{.requests = mixed(config, 600), .iodepth = 8}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_GT(sum_of(result, "writes"), 0U);
}

// A power cut while a drive is away: the rebuild computes the parity that was on that drive from the data, whatever it
// was before. In a quarter of the stripes of four drives the parity is there; only the other stripes may lose data.
TEST(ArrayContents, ARebuildAfterACutComputesParityThatHadGone) {
  const DeviceConfig config = small_array("raid5", 4,
                                          {"array.fail_at=2 ms", "array.failed_drive=1", "power.cut_at=6 ms",
                                           "power.off_time=1 ms", "array.rebuild_at=10 ms"});
  const Json result = simulate(config, {{.requests = mixed(config, 1500), .iodepth = 8}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  const Json& array = result["array"];
  EXPECT_LE(4 * array["lost_stripes"].get<std::uint64_t>(), 3 * array["stripes"].get<std::uint64_t>() + 4);
}

// With one of two drives away there is no second copy to correct.
TEST(ArrayContents, AResyncOfALastCopyCorrectsNothing) {
  const DeviceConfig config = small_array(
      "raid1", 2, {"array.fail_at=2 ms", "array.failed_drive=1", "power.cut_at=6 ms", "power.off_time=1 ms"});
  const Json result = simulate(config, {{.requests = mixed(config, 1500), .iodepth = 8}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_GT(result["array"]["stripes_resynced"].get<std::uint64_t>(), 0U);
  EXPECT_EQ(result["array"]["stripes_corrected"], 0);
}

// Error-prone cells: the array recovers from the other drives what one drive cannot read, and writes it again.
TEST(ArrayContents, UnreadablePagesAreRepaired) {
  const DeviceConfig config = small_array(
      "raid6", 5,
      {"precondition.fill=0.5", "nand.spare_size=1 KiB", "nand.errors.model=power_law", "nand.errors.pe_cycles=3000",
       "nand.ecc.soft_reads=0", "nand.ecc.strength=4", "nand.errors.retry_rates=[0.9]"});
  const Json result = simulate(config, {{.requests = mixed(config, 800), .iodepth = 4}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_GT(result["array"]["repaired_reads"].get<std::uint64_t>(), 0U);
}

// While a drive has its turn to collect garbage, RAID-5 reads around it, and returns the right data; RAID-10 does not
// count such reads.
TEST(ArrayCollection, InTurns) {
  for (const auto& [level, drives] : {std::pair{"raid10", 4}, {"raid5", 4}}) {
    const DeviceConfig config = small_array(level, drives,
                                            {"array.gc=staggered", "array.gc_window=500 us", "ftl.gc_background=8",
                                             "precondition.fill=1", "precondition.steady=true"});
    const Json result = simulate(config, {{.requests = mixed(config, 1500), .iodepth = 8}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << level;
    EXPECT_GT(result["array"]["gc_windows"].get<std::uint64_t>(), 4U) << level;
    EXPECT_EQ(result["array"]["reads_around"].get<std::uint64_t>() != 0, std::string(level) == "raid5");
  }
}

}  // namespace
}  // namespace flashloom::array_system
