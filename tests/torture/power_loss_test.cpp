// Timed runs under power cuts against closed forms: mount time and energy of the capacitors.
#include <gtest/gtest.h>

#include "tests/support/experiment.hpp"
#include "tests/support/only_programs.hpp"

namespace flashloom::power_loss_test {
namespace {

// Only flash programs take time or energy.
std::vector<std::string> quiet() {
  return only_programs_draw({"cpu.model=ideal", "buffer.size=1 MiB", "nand.channels=2", "nand.ways=2",
                             "nand.page_size=4 KiB", "power.off_time=1 ms", "power.cut_at=10 ms"});
}

// Twenty units wait in the buffer when the power fails; a read comes after the restart.
Json cut_with_twenty_units(const std::string& energy) {
  std::vector<std::string> overrides = quiet();
  overrides.insert(overrides.end(), {"power.plp=true", "power.plp_energy=" + energy, "power.plp_flush=flash"});
  std::vector<Request> requests;
  for (std::uint64_t unit = 0; unit < 20; ++unit)
    requests.push_back({.offset = unit * 8192, .length = 4096, .kind = RequestKind::Write});
  requests.push_back({.offset = 0, .length = 4096, .arrival_ps = 50 * kMillisecond, .kind = RequestKind::Read});
  return simulate(small_preset("tiny", overrides), {{requests, 0, 0}});
}

TEST(Capacitors, GiveTheEnergyOfTheProgramsThatFlushTheBuffer) {
  for (const char* energy : {"0 J", "0.6602 mJ"}) {  // 20 programs are 0.66 mJ
    const Json result = cut_with_twenty_units(energy);
    const Json& cut = result["power"]["each"][0];
    EXPECT_NEAR(cut["capacitor_j"], 20 * kProgramJoules, 1e-12);
    EXPECT_EQ(cut["exhausted"], false);
    EXPECT_EQ(cut["units_lost"], 0);
    EXPECT_GT(cut["off_s"], cut["cut_s"]);
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  }
}

// Energy for 10.5 programs: the four dies have completed two rounds, and are half through the third.
TEST(Capacitors, ThatAreTooSmallLoseWhatWasNotOnFlash) {
  const Json result = cut_with_twenty_units("0.3465 mJ");
  const Json& cut = result["power"]["each"][0];
  EXPECT_EQ(cut["exhausted"], true);
  EXPECT_NEAR(cut["capacitor_j"], 10.5 * kProgramJoules, 0.01 * kProgramJoules);
  EXPECT_EQ(cut["units_lost"], 12);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
}

std::vector<std::string> one_die() {
  std::vector<std::string> overrides = quiet();
  overrides.insert(overrides.end(), {"nand.channels=1", "nand.ways=1", "nand.blocks=20", "ftl.over_provisioning=1.5",
                                     "nand.read_time=40 us", "nand.transfer_rate=100 MT/s", "nand.bus_width=8",
                                     "nand.command_cycle=25 ns", "nand.read_cycles=7", "precondition.fill=0.5",
                                     "link.kind=ideal", "dram.size=0 B", "buffer.size=64 KiB"});
  return overrides;
}

// Times on that device: command cycles, tR, and the bus transfer.
constexpr double kSpareRead = 7 * 25e-9 + 40e-6 + 8 / 100e6;
constexpr double kPageRead = 7 * 25e-9 + 40e-6 + 4096 / 100e6;

// Mount report of a device that is half full, and whose first unit was rewritten and flushed.
Json mount_of(const std::vector<std::string>& overrides) {
  const std::vector<Request> requests = {
      {.offset = 0, .length = 4096, .kind = RequestKind::Write},
      {.arrival_ps = kMillisecond, .kind = RequestKind::Flush},
      {.offset = 0, .length = 4096, .arrival_ps = 50 * kMillisecond, .kind = RequestKind::Read}};
  const Json result = simulate(small_preset("tiny", overrides), {{requests, 0, 0}});
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  Json mount = result["power"]["each"][0]["mount"];
  EXPECT_EQ(result["counters"]["read"]["recovery"][0], mount["flash_reads"]);
  return mount;
}

// One die, only flash takes time: each read takes command cycles, tR, and a word of 8 bytes per unit. Half of 128 units
// are filled, and one is rewritten: the mount reads 65 pages, of 4 full blocks and one page of the fifth, and the first
// page of 16 others.
TEST(MountTime, OfAScanIsThatOfItsReads) {
  const Json mount = mount_of(one_die());
  const std::uint64_t reads = mount["flash_reads"];
  EXPECT_NEAR(mount["time_s"].get<double>(), static_cast<double>(reads) * kSpareRead, 1e-11);
  EXPECT_EQ(reads, 65U + 16U);
}

// One block more, for 67 units of which one is rewritten, with a checkpoint before the 64th write. The checkpoint is
// one page: 3 words, an open block, the number of changed entries, the place of the translation page (not written yet),
// the valid units of 21 blocks (two per word), and 63 changed entries. A mount reads the first page of 21 blocks; the
// log's page and the erased one after it; the last page of the block that was open; and the 4 pages of the block opened
// since, with the erased one after them. The CMT takes the changed entries.
TEST(MountTime, OfDftlFromACheckpointIsThatOfWhatIsNewer) {
  std::vector<std::string> overrides = one_die();
  overrides.insert(overrides.end(),
                   {"nand.blocks=21", "ftl.kind=dftl", "ftl.recovery={name=\"checkpoint\",interval=\"256 KiB\"}"});
  const Json mount = mount_of(overrides);
  EXPECT_EQ(mount["from_checkpoint"], true);
  EXPECT_EQ(mount["log_pages"], 1);
  EXPECT_EQ(mount["flash_reads"], 21 + 2 + 1 + 5);
  EXPECT_NEAR(mount["time_s"].get<double>(), 27 * kSpareRead + 2 * kPageRead, 1e-11);
}

// Block mapping on the device of the scan, with a checkpoint before the 64th of 64 writes, which is one page: a word
// for each of 20 blocks, and one for each of 4 data blocks. A mount reads the first page of 20 blocks; the log's page
// and the erased one after it; the last page of the block that was not full; and the second, erased page of the block
// opened since.
TEST(MountTime, OfBlockMappingFromACheckpointIsThatOfWhatIsNewer) {
  for (const char* const ftl : {"log_block", "fast", "block_map"}) {
    std::vector<std::string> overrides = one_die();
    overrides.insert(overrides.end(),
                     {std::string("ftl.kind=") + ftl, "ftl.recovery={name=\"checkpoint\",interval=\"256 KiB\"}"});
    const Json mount = mount_of(overrides);
    EXPECT_EQ(mount["from_checkpoint"], true);
    EXPECT_EQ(mount["log_pages"], 1);
    EXPECT_EQ(mount["flash_reads"], 20 + 2 + 1 + 1) << ftl;
    // The other FTLs merge blocks before they are ready.
    if (std::string(ftl) == "log_block") {
      EXPECT_NEAR(mount["time_s"].get<double>(), 22 * kSpareRead + 2 * kPageRead, 1e-11);
    }
  }
}

// Checks the table of docs/reference/power_cuts.md, in ms: 128 MiB of flash on four dies, 60 % full, cut 2 s after random writes
// have begun.
TEST(MountTime, IsThatOfTheTable) {
  struct Row {
    const char* ftl;
    double scan, checkpoint, journal;
  };
  for (const Row& row :
       {Row{"page_map", 269.5, 16.2, 5.6}, Row{"dftl", 269.5, 16.3, 5.6}, Row{"log_block", 259.5, 7.2, 113.6},
        Row{"fast", 301.0, 65.8, 138.6}, Row{"block_map", 222.7, 88.9, 67.2}})
    for (const auto& [method, expected] : {std::pair{"oob_scan", row.scan},
                                           {"{name=\"checkpoint\",interval=\"8 MiB\"}", row.checkpoint},
                                           {"{name=\"journal\",interval=\"8 MiB\"}", row.journal}}) {
      const DeviceConfig config = small_preset(
          "tiny", {"nand.blocks=64", "nand.pages=128", "ftl.over_provisioning=0.25", "precondition.fill=0.6",
                   "power.cut_at=2 s", std::string("ftl.kind=") + row.ftl, std::string("ftl.recovery=") + method});
      MixOptions mix = mix_for(config, 7, 4000);
      mix.reads = 0;
      mix.trims = 0;
      mix.gap_ps = kMillisecond;
      const Json result = simulate(config, {{random_mix(mix), 0, 0}});
      EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
      const Json& mount = result["power"]["each"][0]["mount"];
      EXPECT_NEAR(mount["time_s"].get<double>() * 1e3, expected, 0.05) << row.ftl << ' ' << method;
    }
}

// With the map of blocks in NVRAM a mount reads only that map: three words for each of 20 blocks.
TEST(MountTime, WithTheMapInNvramIsThatOfReadingIt) {
  std::vector<std::string> overrides = quiet();
  overrides.insert(overrides.end(),
                   {"nand.channels=1", "nand.ways=1", "nand.blocks=20", "ftl.over_provisioning=1.5",
                    "precondition.fill=0.5", "link.kind=ideal", "dram.size=0 B", "buffer.size=64 KiB",
                    "ftl.kind=nvram_block", "ftl.recovery=nvram_map", "nvram.kind=pcm", "nvram.read_latency=3 us",
                    "nvram.bandwidth=100 MB/s", "power.cut_at=40 ms", "buffer.mode=write_through"});
  std::vector<Request> requests = {
      {.offset = 0, .length = 4096, .kind = RequestKind::Write},
      {.offset = 0, .length = 4096, .arrival_ps = 50 * kMillisecond, .kind = RequestKind::Read}};
  const Json result = simulate(small_preset("tiny", overrides), {{requests, 0, 0}});
  const Json& mount = result["power"]["each"][0]["mount"];
  EXPECT_GT(result["ftl"]["merges"]["partial"], 0);
  EXPECT_EQ(mount["flash_reads"], 0);
  EXPECT_NEAR(mount["time_s"], 3e-6 + 20 * 3 * 8 / 100e6, 1e-11);
  // The merge has written a record (open), that record again with the old block's header, and the header after the
  // erase.
  EXPECT_EQ(result["nvram"]["write_bytes"], 24 + 24 + 8 + 8);
  EXPECT_EQ(result["nvram"]["read_bytes"], 20 * 24);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
}

// The last request fails because of the cut: the host waits for nothing more, but the run ends with a mounted device,
// and the audit reads its data.
TEST(ACutInTheLastRequest, IsFollowedByTheMount) {
  std::vector<std::string> overrides = quiet();
  overrides.push_back("buffer.mode=write_through");
  const std::vector<Request> requests = {{.offset = 0, .length = 4096, .kind = RequestKind::Write},
                                         {.offset = 8192,
                                          .length = 4096,
                                          .arrival_ps = 10 * kMillisecond - 10 * kMicrosecond,
                                          .kind = RequestKind::Write}};
  const Json result = simulate(small_preset("tiny", overrides), {{requests, 0, 0}});
  EXPECT_EQ(result["host"]["power_lost"], 1);
  EXPECT_EQ(result["power"]["cuts"], 1);
  const Json& cut = result["power"]["each"][0];
  ASSERT_FALSE(cut["mount"].is_null()) << cut;
  const double mount = cut["mount"]["time_s"];
  EXPECT_GT(mount, 0);
  EXPECT_EQ(result["power"]["recovery_s"], mount);
  EXPECT_GE(result["rest_ps"].get<double>() * 1e-12, 0.010 + 0.001 + mount);
  EXPECT_GE(result["verify"]["audited_sectors"], 16);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
}

// Random power cuts, in mounts too, with every recovery method, on a timed device.
class ManyCuts : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(ManyCuts, LoseNothingThatWasDurable) {
  const auto [ftl, method, seed] = GetParam();
  DeviceConfig config =
      small_preset("tiny", {"precondition.fill=0.8", "power.off_time=1 ms", "power.cuts=12", "power.cut_spacing=15 ms",
                            "power.cut_seed=" + std::to_string(seed), std::string("ftl.kind=") + ftl,
                            std::string("ftl.recovery=") + method,
                            std::string("nand.blocks=") + (std::string(ftl) == "page_map" ? "16" : "24")});
  MixOptions mix = mix_for(config, static_cast<std::uint64_t>(seed), 2500);
  mix.fua = 15;
  const Json result = simulate(config, {{random_mix(mix), 8, 0}});
  EXPECT_GT(result["power"]["cuts"], 3);
  EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
  EXPECT_EQ(result["host"]["completions"], 2500);
}

// Cuts interrupt record writes, and programs that wait for their records.
TEST(ManyCutsWithTheMapInSlowNvram, LoseNothingThatWasDurable) {
  for (const char* const buffer : {"dram", "nvram"})
    for (const char* const evict : {"pages", "blocks"})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        DeviceConfig config = small_preset(
            "tiny", {"precondition.fill=0.8", "power.off_time=1 ms", "power.cuts=12", "power.cut_spacing=40 ms",
                     "ftl.kind=nvram_block", "ftl.recovery=nvram_map", "nvram.kind=pcm", "nvram.write_latency=50 us"});
        config.power.cut_seed = seed;
        config.buffer.location = buffer;
        config.buffer.evict = evict;
        MixOptions mix = mix_for(config, seed, 1200);
        mix.fua = 10;
        const Json result = simulate(config, {{random_mix(mix), 8, 0}});
        EXPECT_GT(result["power"]["cuts"], 3);
        EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
        EXPECT_EQ(result["host"]["completions"], 1200);
      }
}

INSTANTIATE_TEST_SUITE_P(Methods, ManyCuts,
                         testing::Combine(testing::Values("page_map", "dftl", "log_block", "fast", "block_map"),
                                          testing::Values("oob_scan", "checkpoint", "journal"), testing::Range(1, 5)));

}  // namespace
}  // namespace flashloom::power_loss_test
