// A tier whose cache is an array: commands of each by hand, relations to a single SSD, failed drives, power cuts.
#include <gtest/gtest.h>

#include <filesystem>

#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/array_device.hpp"
#include "tests/support/tier_device.hpp"

namespace flashloom::tier_array_test {
namespace {

const char* const kPolicies[] = {"write_back", "write_invalidate", "{name=\"write_invalidate\",fill=\"read\"}"};

/// small_tier() with an array in the place of the SSD; chunks of 16 KiB.
DeviceConfig tier_on(const std::string& level, std::uint32_t drives, std::vector<std::string> overrides = {}) {
  std::vector<std::string> all = {"array.level=" + level,    "array.drives=" + std::to_string(drives),
                                  "array.chunk=16 KiB",      "array.latency=0 s",
                                  "array.xor_rate=0 B/s",    "array.syndrome_rate=0 B/s",
                                  "array.rebuild_rate=0 B/s"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return small_tier(all);
}

Request request_of(RequestKind kind, std::uint64_t offset, std::uint64_t length) {
  return {.offset = offset, .length = length, .kind = kind};
}

std::vector<Request> mixed(const DeviceConfig& config, std::uint64_t requests) {
  MixOptions mix = mix_for(config, 5, requests);
  mix.capacity = host_capacity_bytes(config);
  mix.max_units = 12;
  return random_mix(mix);
}

std::uint64_t sum_of(const Json& result, const char* what) {
  std::uint64_t sum = 0;
  for (const Json& drive : result["array"]["drives"]) sum += drive[what].get<std::uint64_t>();
  return sum;
}

// A segment is a stripe of RAID-5 over five drives. The read misses: 4 KiB, then the segment, from the disk. The fill is
// a full stripe write: a command a drive, no reads. The second read waits for it and is a hit: one command.
TEST(TierOnAnArray, CommandsByHand) {
  const std::vector<std::string> caching = {"tier.policy=write_invalidate", "tier.segment=64 KiB"};
  const std::vector<TestJob> jobs = {
      {.requests = {request_of(RequestKind::Read, 0, 4096), request_of(RequestKind::Read, 0, 4096)}}};
  const Json result = simulate(tier_on("raid5", 5, caching), jobs);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(result["tier"]["requests"]["read_hits"], 1);
  EXPECT_EQ(result["tier"]["hdd"]["reads"], 2);
  EXPECT_EQ(result["tier"]["ssd"]["writes"], 1);
  EXPECT_EQ(sum_of(result, "reads"), 1U);
  EXPECT_EQ(sum_of(result, "writes"), 5U);
  EXPECT_EQ(sum_of(result, "write_bytes"), 5U * (16 << 10));
  EXPECT_EQ(result["array"]["full_stripe_writes"], 1);
  // The parity of stripe 0 is on drive 4 and its first chunk on drive 0, which is away: four chunks are written, and
  // the read needs all of them.
  std::vector<std::string> failed = caching;
  failed.insert(failed.end(), {"array.fail_at=1 ps", "array.failed_drive=0"});
  const Json degraded = simulate(tier_on("raid5", 5, failed), jobs);
  EXPECT_EQ(sum_of(degraded, "reads"), 4U);
  EXPECT_EQ(sum_of(degraded, "writes"), 4U);
  EXPECT_EQ(degraded["array"]["degraded_reads"], 1);
}

/// What the tier decided, and when the host's requests completed.
Json decisions(const Json& result) {
  return {result["tier"], result["hdd"], result["host"]["read"], result["host"]["write"], result["end_ps"]};
}

// To the tier an array of one drive, whose software takes no time, is that drive, also in time.
TEST(TierOnAnArray, OfOneDriveIsThatOfOneSsd) {
  for (const char* const policy : kPolicies) {
    const std::vector<std::string> chosen = {std::string("tier.policy=") + policy};
    const std::vector<TestJob> jobs = {{.requests = mixed(small_tier(chosen), 1200), .iodepth = 4}};
    const Json alone = simulate(small_tier(chosen), jobs);
    EXPECT_GT(alone["tier"]["requests"]["hit_ratio"].get<double>(), 0) << policy;
    for (const char* const level : {"raid0", "jbod"}) {
      const Json result = simulate(tier_on(level, 1, chosen), jobs);
      EXPECT_EQ(decisions(result), decisions(alone)) << level << ' ' << policy;
    }
  }
}

// What PWC decides depends on the order of requests alone if a pass ends before the next request. Then a mirror of two
// is to the tier a single SSD: each drive is written what that is, and they share its reads.
TEST(TierOnAnArray, OfTwoMirrorsDecidesAsThatOfOneSsd) {
  const std::vector<std::string> in_passes = {"tier.policy=pwc", "tier.pass_idle=1 s", "tier.pass_interval=0 s"};
  const std::vector<Request> requests = mixed(small_tier(in_passes), 600);
  const std::vector<TestJob> jobs = {{.requests = requests}, {.requests = requests, .start_delay = 300 * kSecond}};
  Json alone = simulate(small_tier(in_passes), jobs)["tier"];
  EXPECT_GE(alone["passes"], 1);
  EXPECT_GT(alone["requests"]["write_hits"], 0);
  alone.erase("passes_s");
  for (const char* const read_policy : {"round_robin", "shortest_queue", "nearest"}) {
    std::vector<std::string> overrides = in_passes;
    overrides.push_back(std::string("array.read_policy=") + read_policy);
    Json result = simulate(tier_on("raid1", 2, overrides), jobs);
    for (const Json& drive : result["array"]["drives"])
      EXPECT_EQ(drive["write_bytes"], alone["ssd"]["write_bytes"]) << read_policy;
    EXPECT_EQ(sum_of(result, "read_bytes"), alone["ssd"]["read_bytes"].get<std::uint64_t>()) << read_policy;
    result["tier"].erase("passes_s");
    EXPECT_EQ(result["tier"], alone) << read_policy;
  }
}

// A drive fails, and may be rebuilt: the tier notices nothing but time.
TEST(TierOnAnArray, LosesNothingWithADrive) {
  for (const char* const policy : kPolicies)
    for (const auto& [level, drives] : {std::pair{"raid1", 2}, {"raid10", 4}, {"raid5", 4}, {"raid6", 5}})
      for (const char* const spare : {"array.rebuild_at=0 s", "array.rebuild_at=1 s"}) {
        const DeviceConfig config =
            tier_on(level, static_cast<std::uint32_t>(drives),
                    {std::string("tier.policy=") + policy, "array.fail_at=500 ms", "array.failed_drive=1", spare});
        const Json result = simulate(config, {{.requests = mixed(config, 800), .iodepth = 8}});
        EXPECT_EQ(result["verify"]["mismatches"], 0) << level << ' ' << policy;
        EXPECT_EQ(result["verify"]["unreadable_sectors"], 0) << level << ' ' << policy;
        EXPECT_EQ(result["tier"]["retired"], false) << level << ' ' << policy;
        EXPECT_EQ(result["array"]["failed_drives"], 1) << level << ' ' << policy;
        EXPECT_EQ(result["array"]["degraded"], config.array.rebuild_at == 0) << level << ' ' << policy;
      }
}

// The whole array fails: dirty segments are lost, and everything else is still right.
TEST(TierOnAnArray, IsRetiredAsAWhole) {
  const DeviceConfig config = tier_on("raid5", 4, {"tier.policy=write_back", "tier.ssd_fails_at=2 s"});
  const Json result = simulate(config, {{.requests = mixed(config, 800), .iodepth = 4}});
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(result["tier"]["retired"], true);
  EXPECT_EQ(result["array"]["failed_drives"], 0);
}

TEST(TierOnAnArray, TwoRunsWithACutGiveTheSameBytes) {
  const DeviceConfig config = tier_on("raid6", 5,
                                      {"tier.policy=write_back", "array.fail_at=500 ms", "array.rebuild_at=1 s",
                                       "power.cut_at=2 s", "power.off_time=1 ms", "host.cache.size=256 KiB"});
  const std::vector<TestJob> jobs = {{.requests = mixed(config, 800), .iodepth = 8}};
  const Json result = simulate(config, jobs);
  EXPECT_EQ(result["power"]["cuts"], 1);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(result.dump(), simulate(config, jobs).dump());
}

TEST(TierOnAnArray, ASavedStateHasAllDrives) {
  const DeviceConfig config = tier_on("raid5", 4, {"tier.policy=write_back", "precondition.fill=1"});
  const std::vector<TestJob> jobs = {{.requests = mixed(config, 400), .iodepth = 8}};
  const std::string path = testing::TempDir() + "flashloom_tier_array.state";
  save_state(config, path);
  const Json loaded = simulate(config, jobs, path);
  std::filesystem::remove(path);
  EXPECT_EQ(simulate(config, jobs).dump(), loaded.dump());
}

// The books of the first drive have the disk and the array's NVRAM, of which there is one.
TEST(TierOnAnArray, DrivesDiskAndNvramAddUpToAll) {
  const DeviceConfig config =
      tier_on("raid5", 4, {"array.journal=write_ahead", "array.nvram.kind=pcm", "array.nvram.size=256 KiB"});
  const Json result = simulate(config, {{.requests = mixed(config, 300)}});
  double sum = 0;
  for (const Json& drive : result["array"]["drives"]) sum += drive["energy_j"].get<double>();
  std::uint32_t once = 0;
  for (const Json& component : result["energy"]["components"]) {
    if (component["name"].get<std::string>().starts_with("drive")) continue;
    ++once;
    sum += component["j"].get<double>();
  }
  EXPECT_EQ(once, 2U);
  EXPECT_NEAR(sum, result["energy"]["total_j"].get<double>(), 1e-9 * sum);
}

}  // namespace
}  // namespace flashloom::tier_array_test
