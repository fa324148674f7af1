// What a command to one zone waits for while another zone is written: by hand, from the times of the flash.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::zones_test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
constexpr std::uint64_t kZone = 96 * kMiB;
constexpr Picoseconds kErase = 3'500 * kMicrosecond;
constexpr Picoseconds kProgram = 2'550 * kMicrosecond;
constexpr Picoseconds kDepth = 4;  // program units of a die in the destage table
// A program unit of 96 KiB takes 0.12 ms on the bus, which four dies share; plus commands, firmware and the link.
constexpr Picoseconds kTransfers = kMillisecond;

// The ZN540 with a twelfth of its pages and these times: zones of 96 MiB on 32 dies, one erase each; 64 MiB of buffer.
DeviceConfig drive(const std::string& kind, const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> all = {"nand.blocks=16",
                                  "nand.pages=96",
                                  "nand.erase_time=3.5 ms",
                                  "nand.program_time=2.55 ms",
                                  "nand.program_time_spread=0",
                                  "nand.transfer_rate=800 MT/s",
                                  "link.packet_overhead=24 B",
                                  "cpu.cycles.write_command=0",
                                  "cpu.spread=round_robin",
                                  "controller.write_latency=8.6 us",
                                  "ftl.logical_size=0 B",
                                  "ftl.over_provisioning=0.5",
                                  "host_interface.sector_size=4 KiB",
                                  "buffer.replacement=fifo",
                                  "ftl.kind={ name = \"zoned\", max_open = 14, max_active = 14, " + kind + " }"};
  all.insert(all.end(), overrides.begin(), overrides.end());
  return preset("wd-zn540", all);
}

TestJob appends(std::uint64_t zone, std::uint64_t bytes, Picoseconds delay) {
  TestJob job{.requests = {}, .iodepth = 8, .name = "appends " + std::to_string(zone), .start_delay = delay};
  for (std::uint64_t done = 0; done < bytes; done += kMiB / 4)
    job.requests.push_back({.offset = zone * kZone, .length = kMiB / 4, .kind = RequestKind::ZoneAppend});
  return job;
}
TestJob command(RequestKind kind, std::uint64_t zone, Picoseconds delay) {
  return {.requests = {{.offset = zone * kZone, .kind = kind}}, .queue = 1, .name = "command", .start_delay = delay};
}

// Latency of the only command of this kind.
Picoseconds latency(const Json& result, const char* operation) {
  EXPECT_EQ(result["latency_ps"][operation][0], result["latency_ps"][operation][1]);
  return result["latency_ps"][operation][1].get<Picoseconds>();
}

// Zone 0 is full and on flash when 64 MiB for zone 1 arrive, which take 55 ms to program; zone 0 is reset meanwhile.
Picoseconds reset_beside_writes(const std::string& kind, const std::vector<std::string>& overrides) {
  const Picoseconds begin = 300 * kMillisecond;
  const Json result = simulate(drive(kind, overrides), {appends(0, kZone, 0), command(RequestKind::Flush, 0, begin / 2),
                                                        appends(1, 64 * kMiB, begin),
                                                        command(RequestKind::ZoneReset, 0, begin + 15 * kMillisecond)});
  EXPECT_TRUE(result["zones"]["errors"].empty()) << result["zones"];
  // Excludes the link, which is busy with appends.
  return latency(result, "zone_reset") - result["breakdown_ps"]["zone_reset"]["link"].get<Picoseconds>();
}

TEST(Zones, AResetBesideAnotherZonesWritesWaitsForItsErasesAndForProgramsThatAreUnderWay) {
  const Picoseconds takes = reset_beside_writes("reset = \"now\"", {});
  EXPECT_GE(takes, kErase);
  EXPECT_LE(takes, kErase + kDepth * kProgram + kTransfers);
}

// With one program unit per die in the table, the programs in flight take no longer than an erase.
TEST(Zones, AResetTakesOneOrTwoErasesWhereDiesHaveLittleToDo) {
  const Picoseconds takes = reset_beside_writes("reset = \"now\"", {"buffer.destage_units=768"});
  EXPECT_GE(takes, kErase);
  EXPECT_LE(takes, 2 * kErase + kTransfers);
}

TEST(Zones, AResetThatErasesLaterTakesMicroseconds) {
  EXPECT_LE(reset_beside_writes("reset = \"later\"", {}), 50 * kMicrosecond);
}

// 2 MiB of zone 0 and 40 MiB of zone 1 are in the buffer, none of it in flight. The finish programs the 22 program
// units of zone 0, each on a die of its own; zone 1 would take eleven programs of each die.
TEST(Zones, AFinishWritesItsOwnZoneOutAlone) {
  const Picoseconds at = 200 * kMillisecond;
  const Json result =
      simulate(drive("finish = \"leave\"", {"buffer.high_watermark=1", "buffer.low_watermark=1"}),
               {appends(0, 2 * kMiB, 0), appends(1, 40 * kMiB, 0), command(RequestKind::ZoneFinish, 0, at)});
  const Picoseconds takes = latency(result, "zone_finish");
  EXPECT_GE(takes, kProgram);
  EXPECT_LE(takes, kProgram + kTransfers);
  EXPECT_EQ(result["buffer_statistics"]["evictions"], 2 * kMiB / 4096);
}

// Data of a reset zone are not programmed unless they were in flight.
TEST(Zones, WhatAResetEndsIsNotProgrammed) {
  const Picoseconds at = 200 * kMillisecond;
  const Json result = simulate(drive("reset = \"now\"", {"buffer.high_watermark=1", "buffer.low_watermark=1"}),
                               {appends(0, 40 * kMiB, 0), command(RequestKind::ZoneReset, 0, at)});
  EXPECT_EQ(result["buffer_statistics"]["evictions"], 0);
  EXPECT_LE(latency(result, "zone_reset"), 100 * kMicrosecond);  // nothing to erase either
}

// Zone 0 holds 256 KiB when it is finished, while zone 1 gets appends through 8 MiB of buffer. Padding takes 32
// programs of each die, and so do 96 MiB of appends.
struct PaddedBeside {
  Picoseconds finish;
  Picoseconds longest_append;
  std::uint64_t padding;
};
PaddedBeside finish_beside_appends(const char* finish, std::uint64_t bytes) {
  const Picoseconds at = 200 * kMillisecond;
  const Json result = simulate(
      drive(std::string("finish = \"") + finish + '"', {"buffer.size=8 MiB"}),
      {appends(0, kMiB / 4, 0), appends(1, bytes, at - 10 * kMillisecond), command(RequestKind::ZoneFinish, 0, at)});
  EXPECT_TRUE(result["zones"]["errors"].empty()) << result["zones"];
  return {latency(result, "zone_finish"), result["latency_ps"]["zone_append"][1].get<Picoseconds>(),
          result["zones"]["finish_padding_units"].get<std::uint64_t>()};
}

TEST(Zones, AloneAFinishTakesThePaddingsTimeWhicheverWayItIsPadded) {
  for (const char* const finish : {"pad", "pad_behind"}) {
    const PaddedBeside alone = finish_beside_appends(finish, 0);
    EXPECT_GE(alone.finish, 31 * kProgram) << finish;
    EXPECT_LE(alone.finish, 34 * kProgram + kTransfers) << finish;
    EXPECT_EQ(alone.padding, kZone / 4096 - kMiB / 4 / 4096) << finish;
  }
}

TEST(Zones, PaddingGoesBehindWhatIsWrittenAndNotForEver) {
  const PaddedBeside at_once = finish_beside_appends("pad", kZone), behind = finish_beside_appends("pad_behind", kZone);
  EXPECT_EQ(at_once.padding, behind.padding);
  // Padded at once: an append may wait for all of the padding.
  EXPECT_GE(at_once.longest_append, 20 * kProgram);
  // Padded behind: an append waits for one program of padding, and for the buffered data ahead of it.
  EXPECT_LE(behind.longest_append, at_once.longest_append / 2);
  EXPECT_GE(behind.finish, at_once.finish);
  // All that there is to program: 64 programs of each die.
  EXPECT_LE(behind.finish, 70 * kProgram);
}

TEST(Zones, AResetEndsThePaddingOfAFinish) {
  const Picoseconds at = 200 * kMillisecond, later = at + 20 * kMillisecond;
  // A reset of all zones, since a host makes commands to one zone wait for each other.
  TestJob reset = command(RequestKind::ZoneReset, 0, later);
  reset.requests[0].all_zones = true;
  const Json result = simulate(drive("finish = \"pad_behind\""),
                               {appends(0, kMiB / 4, 0), command(RequestKind::ZoneFinish, 0, at), reset});
  EXPECT_TRUE(result["zones"]["errors"].empty()) << result["zones"];
  // A die has at most two programs of padding in flight.
  EXPECT_LE(latency(result, "zone_reset"), 2 * kProgram + kErase + kTransfers);
  EXPECT_LE(latency(result, "zone_finish"), later - at + 2 * kProgram + kErase + kTransfers);
  EXPECT_GT(result["zones"]["finish_padding_units"], 0);
  EXPECT_LT(result["zones"]["finish_padding_units"], kZone / 4096 / 2);
}

// Appends, resets and finishes of several zones at once, with all reads checked; with power cuts, too.
class BusyZones : public testing::TestWithParam<const char*> {};

TEST_P(BusyZones, ReadWhatWasWritten) {
  for (const bool cuts : {false, true})
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      std::vector<std::string> overrides = {"nand.blocks=32",
                                            "nand.page_size=16 KiB",
                                            "nand.pages=16",
                                            "host_interface.sector_size=4 KiB",
                                            "buffer.replacement=fifo",
                                            "buffer.high_watermark=0.5",
                                            "buffer.low_watermark=0.2",
                                            "ftl.over_provisioning=1.0",
                                            std::string("ftl.kind=") + GetParam()};
      if (seed != 1) overrides.push_back("buffer.read_cache=0.25");  // keeps what is read beyond a write pointer, too
      if (cuts) overrides.insert(overrides.end(), {"power.cuts=4", "power.cut_spacing=20 ms"});
      const DeviceConfig config = small_preset("tiny", overrides);
      const std::uint64_t zone = 1 * kMiB;
      std::vector<TestJob> jobs(4);
      Random random(seed);
      for (std::uint64_t number = 0; number < jobs.size(); ++number) {
        jobs[number].iodepth = 4;
        for (int i = 0; i < 600; ++i) {
          const std::uint64_t what = random.below(100);
          Request request{.offset = number * zone, .length = 65536, .kind = RequestKind::ZoneAppend};
          if (what < 12)
            request = {.offset = number * zone, .kind = RequestKind::ZoneReset};
          else if (what < 15)
            request = {.offset = number * zone, .kind = RequestKind::ZoneFinish};
          else if (what < 30)
            request = {.offset = number * zone + random.below(16) * 65536, .length = 65536, .kind = RequestKind::Read};
          else if (what < 33)
            request = {.kind = RequestKind::Flush};
          jobs[number].requests.push_back(request);
        }
      }
      const Json result = simulate(config, jobs);
      EXPECT_EQ(result["verify"]["mismatches"], 0) << GetParam() << ", seed " << seed << result["verify"];
      EXPECT_GT(result["verify"]["reads_checked"], 50) << result["verify"];
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, BusyZones,
    testing::Values(
        R"({ name = "zoned" })", R"({ name = "zoned", finish = "pad_behind" })",
        R"({ name = "zoned", reset = "later", finish = "leave" })",
        R"({ name = "zoned", dies = 2, zone_capacity = "1 MiB", max_open = 6, max_active = 6 })",
        R"({ name = "zoned", random_write_area = "128 KiB", max_open = 6, max_active = 6, reset = "later" })"));

}  // namespace
}  // namespace flashloom::zones_test
