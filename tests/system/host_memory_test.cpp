// A map in the host's memory: the latency of a look-up on each level, to the tick; agreement of the two clocks; and the
// host taking its memory back, or losing it, with requests in flight.
#include <gtest/gtest.h>

#include "tests/support/alike.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::host_memory_test {
namespace {

constexpr Picoseconds kLatency = 200'000;  // link.latency
constexpr Picoseconds kHost = 350'000;     // hmb.latency
/// A packet on the link: (bytes + 24) x 10^12 / 3,938,461,538, rounded up to the tick.
Picoseconds packet(std::uint64_t bytes) { return ((bytes + 24) * 1'000'000'000'000 + 3'938'461'537) / 3'938'461'538; }
/// `lines` lines of 64 B that are requested together: requests of 4 B go up, data come down.
Picoseconds round_trip(std::uint64_t lines) {
  return lines * packet(4) + kLatency + kHost + lines * packet(64) + kLatency;
}
// Reads of 4 KiB on the calibration device, as in closed_forms_test.cpp: queue entries, and a page of flash.
constexpr Picoseconds kEntries = 22'344 + 10'157 + 2 * kLatency;
constexpr Picoseconds kPage = 320'000 + 50 * kMicrosecond + 4096 * 1000;
Picoseconds data() { return (Picoseconds{4096 + 16 * 24} * 1'000'000'000'000 + 3'938'461'537) / 3'938'461'538; }

// 32768 units: 32 translation pages, none of which waits to be programmed, since a page is a program unit.
DeviceConfig device(std::vector<std::string> more) {
  std::vector<std::string> overrides = {
      "nand.channels=2",          "nand.ways=1",   "nand.blocks=1024",     "nand.pages=64",
      "ftl.logical_size=128 MiB", "ftl.kind=dftl", "precondition.fill=1.0"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("calibration", overrides);
}

/// Reads of `units` each, one by one, at unit `first` of each translation page in turn. The ramp leaves out the reads
/// that meet the dirty map cache of preconditioning.
TestJob reads(std::uint64_t first, std::uint64_t units) {
  TestJob job{.requests = {}, .iodepth = 1, .ramp_time = 5 * kMillisecond};
  for (std::uint64_t i = 0; i < 200; ++i)
    job.requests.push_back(
        {.offset = (first + i % 32 * 1024) * 4096, .length = units * 4096, .kind = RequestKind::Read});
  return job;
}

TEST(HostMemory, ALookUpTakesWhatItsLevelTakes) {
  const Json cached = simulate(device({"ftl.kind.cmt_size=1 MiB"}), {reads(7, 1)});
  expect_latency(cached, "read", kEntries + kPage + data());
  EXPECT_EQ(cached["ftl"]["map_cache"]["misses"], 0);

  const Json lent = simulate(device({"ftl.kind.cmt_size=8 B", "hmb.size=1 MiB"}), {reads(7, 1)});
  expect_latency(lent, "read", kEntries + round_trip(1) + kPage + data());
  EXPECT_EQ(lent["hmb"]["hits"], lent["hmb"]["reads"]);
  EXPECT_GE(lent["hmb"]["hits"], 50);
  EXPECT_EQ(lent["hmb"]["read_bytes"], 64 * lent["hmb"]["reads"].get<std::uint64_t>());
  EXPECT_EQ(lent["hmb"]["misses"], 0);

  const Json neither = simulate(device({"ftl.kind.cmt_size=8 B"}), {reads(7, 1)});
  expect_latency(neither, "read", kEntries + kPage + kPage + data());
  EXPECT_GE(neither["ftl"]["map_cache"]["page_reads"], 50);
  EXPECT_FALSE(neither.contains("hmb"));
}

// A line has sixteen entries: units 15 and 16 are in two lines, 16 and 17 in one.
TEST(HostMemory, LinesOfOneRequestAreAskedForTogether) {
  const auto mean = [](std::uint64_t first, std::vector<std::string> more) {
    const Json result = simulate(device(std::move(more)), {reads(first, 2)});
    EXPECT_EQ(result["latency_ps"]["read"][0], result["latency_ps"]["read"][1]);
    return result["latency_ps"]["read"][0].get<Picoseconds>();
  };
  for (const std::uint64_t first : {15U, 16U}) {
    const Picoseconds cached = mean(first, {"ftl.kind.cmt_size=1 MiB"});
    const Picoseconds lent = mean(first, {"ftl.kind.cmt_size=8 B", "hmb.size=1 MiB"});
    EXPECT_EQ(lent - cached, round_trip(first == 15 ? 2 : 1)) << first;
  }
}

// Seven translation pages; the host memory buffer holds three.
DeviceConfig small(std::vector<std::string> more) {
  std::vector<std::string> overrides = {"verify=true",   "precondition.fill=1.0",   "buffer.size=64 KiB",
                                        "ftl.kind=dftl", "ftl.kind.cmt_size=512 B", "hmb.size=12 KiB"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("tiny", overrides);
}

std::vector<Request> mix_of(const DeviceConfig& config, std::uint64_t seed, Picoseconds gap = 0) {
  MixOptions mix = mix_for(config, seed, 3000);
  mix.whole_units = true;
  mix.reads = 40;
  mix.gap_ps = gap;
  if (gap != 0) mix.max_units = 2;
  return random_mix(mix);
}

// The device comes to rest between requests, so that transfers over the link are counted alike, too: otherwise reads
// would find other data in the buffer, and the map cache would hold other entries.
TEST(HostMemory, BothClocksAskTheHostAlike) {
  for (const char* const update : {"write_through", "write_back"})
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      SCOPED_TRACE(std::string(update) + ", " + std::to_string(seed));
      const DeviceConfig config = small({std::string("hmb.map_update=") + update});
      const std::vector<Request> requests = mix_of(config, seed, 400 * kMillisecond);
      const Json timed = simulate(config, {{requests, 0, 0}});
      const Json instant = run_instantly(config, requests);
      expect_wrote_alike(timed, instant);
      EXPECT_EQ(timed["hmb_counts"], instant["hmb_counts"]);
      EXPECT_GT(timed["hmb_counts"]["hits"], 0);
      EXPECT_GT(timed["hmb_counts"]["fills"], 0);
      EXPECT_GT(instant["ftl_statistics"]["gc_runs"], 0);
    }
}

// With requests in flight: nothing is lost, and the device never accesses memory that the host has taken back.
TEST(HostMemory, MayGoWhileRequestsAreUnderWay) {
  struct Event {
    const char* update;
    const char* key;
  };
  for (const Event event : {Event{"write_through", "hmb.revoke_at"}, Event{"write_back", "hmb.revoke_at"},
                            Event{"write_through", "hmb.lost_at"}})
    for (const std::uint64_t seed : {1U, 2U}) {
      SCOPED_TRACE(std::string(event.update) + ", " + event.key + ", " + std::to_string(seed));
      const std::string update = std::string("hmb.map_update=") + event.update;
      const bool lost = std::string(event.key) == "hmb.lost_at";
      const std::string at = std::string(event.key) + "=30 ms";
      const DeviceConfig kept = small({update});
      const std::vector<Request> requests = mix_of(kept, seed);
      const Json whole = simulate(kept, {{requests, 16, 0}});
      const Json gone = simulate(small({update, at}), {{requests, 16, 0}});
      const Json back = simulate(small({update, at, "hmb.return_at=60 ms"}), {{requests, 16, 0}});
      for (const Json& result : {gone, back}) {
        EXPECT_EQ(result["verify"]["mismatches"], 0);
        EXPECT_EQ(result["hmb"]["revocations"], lost ? 0 : 1);
        EXPECT_EQ(result["hmb"]["losses"], lost ? 1 : 0);
      }
      EXPECT_LT(gone["hmb"]["hits"], back["hmb"]["hits"]);
      EXPECT_LT(back["hmb"]["hits"], whole["hmb"]["hits"]);
      EXPECT_GT(gone["ftl"]["map_cache"]["page_reads"], whole["ftl"]["map_cache"]["page_reads"]);
    }
}

// SRAM replaces DRAM: each access takes the same time.
TEST(HostMemory, AnSramIsTheDramOfADriveWithoutOne) {
  const auto with = [](std::vector<std::string> more) {
    const DeviceConfig config = small(std::move(more));
    return simulate(config, {{mix_of(config, 5), 4, 0}});
  };
  const Json dram = with({"dram.bandwidth=2 GB/s", "dram.read_latency=30 ns", "dram.write_latency=30 ns",
                          "dram.refresh_interval=0 s", "dram.refresh_time=0 s"});
  const Json sram = with({"dram.size=0 B", "sram.size=1 MiB", "sram.bandwidth=2 GB/s", "sram.latency=30 ns"});
  EXPECT_EQ(dram["end_ps"], sram["end_ps"]);
  EXPECT_EQ(dram["dram"]["read_bytes"], sram["sram"]["read_bytes"]);
  EXPECT_EQ(dram["dram"]["write_bytes"], sram["sram"]["write_bytes"]);
  EXPECT_EQ(dram["digest"], sram["digest"]);
  EXPECT_TRUE(sram["dram"].is_null());
}

}  // namespace
}  // namespace flashloom::host_memory_test
