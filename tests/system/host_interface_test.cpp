// The host interface in whole devices: latencies of both protocols to the tick, arbitration, interrupt coalescing,
// lists, native command queueing, namespaces, trims of several ranges, write zeroes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "models/common/types.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::host_interface_test {
namespace {

constexpr Picoseconds kWay = 200'000;
constexpr Picoseconds kFlash = 8 * 40'000 + 50 * kMicrosecond + 4'096'000;  // of a read of 4 KiB
constexpr Picoseconds kProgram = 8 * 40'000 + 4'096'000 + 600 * kMicrosecond;

/// Time of `bytes` on a wire of `rate` B/s, in packets of `payload` with 24 bytes of overhead each; rounded up to the
/// tick.
Picoseconds wire(std::uint64_t bytes, std::uint64_t rate, std::uint64_t payload) {
  return transfer_time(bytes + (bytes + payload - 1) / payload * 24, rate);
}
Picoseconds pcie(std::uint64_t bytes) { return wire(bytes, 3'938'461'538, 256); }
Picoseconds sata(std::uint64_t bytes) { return wire(bytes, 600'000'000, 8192); }

DeviceConfig device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0"});
  return preset("calibration", overrides);
}

DeviceConfig sata_device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"link.kind=sata", "host_interface.kind=sata", "host_interface.queue_depth=32"});
  return device(std::move(overrides));
}

std::string nvme(const std::string& parameters) {
  return "host_interface.kind={ name = \"nvme\", " + parameters + " }";
}

// ---- Unloaded latencies ----

TEST(HostInterface, AnNvmeReadFetchesItsPrpList) {
  const std::string fill = "precondition.fill=1.0";
  // A command holds the pointer of a single page. Four pages need a PRP list of three pointers (24 B).
  for (const bool lists : {false, true}) {
    const std::string kind = nvme(lists ? "fetch_lists = true" : "fetch_lists = false");
    const Json small = simulate(device({fill, kind}), {{of(RequestKind::Read, 4096, 20), 1, 0}});
    expect_latency(small, "read", pcie(64) + kWay + kFlash + pcie(4096) + pcie(16) + kWay);
    EXPECT_EQ(small["host_interface"]["lists"]["fetches"], 0);
  }
  const Json plain = simulate(device({fill}), {{of(RequestKind::Read, 16384, 10), 1, 0}});
  const Json with = simulate(device({fill, nvme("fetch_lists = true")}), {{of(RequestKind::Read, 16384, 10), 1, 0}});
  EXPECT_EQ(with["latency_ps"]["read"][0].get<Picoseconds>() - plain["latency_ps"]["read"][0].get<Picoseconds>(),
            pcie(24) + kWay);
  EXPECT_EQ(with["host_interface"]["lists"], (Json{{"fetches", 10}, {"bytes", 240}}));
  EXPECT_EQ(plain["host_interface"]["lists"]["fetches"], 0);
}

TEST(HostInterface, ASataReadTakesItsFrames) {
  const Json result = simulate(sata_device({"precondition.fill=1.0"}), {{of(RequestKind::Read, 4096, 40), 1, 0}});
  // Register FIS; flash; DMA Setup, Data and Set Device Bits FIS in sequence.
  expect_latency(result, "read", sata(20) + kWay + kFlash + sata(28) + sata(4096) + sata(8) + kWay);
  const Json plain = simulate(sata_device({"precondition.fill=1.0", "host_interface.queue_depth=1"}),
                              {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(plain, "read", sata(20) + kWay + kFlash + sata(4096) + sata(20) + kWay);
  for (const char* const rate : {"1.5 Gb/s", "3 Gb/s"}) {
    const std::uint64_t bytes = rate[0] == '1' ? 150'000'000 : 300'000'000;
    const Json slow = simulate(sata_device({"precondition.fill=1.0", std::string("link.sata_rate=") + rate}),
                               {{of(RequestKind::Read, 4096, 10), 1, 0}});
    const auto w = [bytes](std::uint64_t n) { return wire(n, bytes, 8192); };
    expect_latency(slow, "read", w(20) + kWay + kFlash + w(28) + w(4096) + w(8) + kWay);
  }
}

TEST(HostInterface, ASataWriteIsAskedForFrameByFrame) {
  const DeviceConfig buffered = sata_device({"buffer.mode=write_back"});
  // The Register FIS that releases the wires precedes the DMA Setup FIS.
  const Picoseconds begin = sata(20) + kWay + sata(20) + sata(28) + kWay;
  expect_latency(simulate(buffered, {{of(RequestKind::Write, 4096, 20), 1, 0}}), "write",
                 begin + sata(4096) + kWay + sata(8) + kWay);
  // Two Data FISes, the second after a DMA Activate FIS.
  expect_latency(simulate(buffered, {{of(RequestKind::Write, 16384, 10), 1, 0}}), "write",
                 begin + 2 * (sata(8192) + kWay) + sata(4) + kWay + sata(8) + kWay);
  const Json through = simulate(sata_device({}), {{of(RequestKind::Write, 4096, 20), 1, 0}});
  expect_latency(through, "write", begin + sata(4096) + kWay + kProgram + sata(8) + kWay);
}

TEST(HostInterface, ASataFlushAndTrimAreNotQueued) {
  const Json result = simulate(sata_device({}), {{{{.kind = RequestKind::Flush}, {.kind = RequestKind::Flush}}, 1, 0}});
  expect_latency(result, "flush", sata(20) + kWay + sata(20) + kWay);
  const Json trims = simulate(sata_device({}), {{of(RequestKind::Trim, 4096, 5), 1, 0}});
  expect_latency(trims, "trim", sata(20) + kWay + sata(4) + kWay + sata(512) + kWay + sata(20) + kWay);
  EXPECT_EQ(trims["host_interface"]["lists"], (Json{{"fetches", 5}, {"bytes", 5 * 512}}));
}

// ---- Native command queueing ----

TEST(HostInterface, SataHas32Tags) {
  for (const auto& [depth, most] : std::map<std::uint32_t, int>{{4, 4}, {32, 32}, {64, 32}}) {
    const Json result =
        simulate(sata_device({"precondition.fill=1.0"}), {{of(RequestKind::Read, 4096, 400), depth, 0}});
    EXPECT_EQ(result["most_in_queue"], most) << depth;
  }
  const Json alone = simulate(sata_device({"precondition.fill=1.0", "host_interface.queue_depth=1"}),
                              {{of(RequestKind::Read, 4096, 100), 32, 0}});
  EXPECT_EQ(alone["most_in_queue"], 1);
}

// A flush among reads that keep 32 tags busy: it waits until they have all ended, and then runs alone.
TEST(HostInterface, WhatIsNotQueuedStopsTheOthers) {
  std::vector<Request> requests = of(RequestKind::Read, 4096, 200);
  for (std::size_t i = 20; i < requests.size(); i += 20) requests[i] = {.kind = RequestKind::Flush};
  const Json with = simulate(sata_device({"precondition.fill=1.0"}), {{requests, 32, 0}});
  const Json on_nvme = simulate(device({"precondition.fill=1.0"}), {{requests, 32, 0}});
  EXPECT_LT(on_nvme["latency_ps"]["flush"][1].get<Picoseconds>(), 11 * kMicrosecond);
  EXPECT_GT(with["latency_ps"]["flush"][0].get<Picoseconds>(), 40 * kMicrosecond);
}

TEST(HostInterface, SataHasOnePairOfWiresForBothDirections) {
  std::vector<Request> mixed = of(RequestKind::Read, 65536, 200);
  for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i].kind = RequestKind::Write;
  const std::vector<std::string> fast = {"precondition.fill=1.0", "buffer.mode=write_back",
                                         "nand.transfer_rate=3200 MT/s", "nand.program_time=1 us",
                                         "nand.read_time=1 us"};
  const Json result = simulate(sata_device(fast), {{mixed, 32, 0}});
  const double bytes = 200.0 * 65536;
  const double seconds = static_cast<double>(result["end_ps"].get<Picoseconds>()) / 1e12;
  const double share = 8192.0 / (8192 + 24);
  EXPECT_LT(bytes / seconds, 600e6 * share);
  EXPECT_GT(bytes / seconds, 0.9 * 600e6 * share);
}

// ---- Arbitration ----

std::vector<TestJob> saturating(const std::vector<std::uint64_t>& requests) {
  std::vector<TestJob> jobs;
  for (std::uint32_t queue = 0; queue < requests.size(); ++queue)
    jobs.push_back({of(RequestKind::Read, 4096, requests[queue]), 32, queue, "queue" + std::to_string(queue)});
  return jobs;
}

TEST(HostInterface, SharesOfQueuesAreTheirWeights) {
  const std::vector<std::string> base = {"precondition.fill=1.0", "host.queues=3", "host_interface.commands=8"};
  auto sets = base;
  sets.insert(sets.end(), {"host.queue_priorities=[\"low\", \"high\", \"medium\"]",
                           nvme("arbitration = \"weighted\", high_weight = 8, medium_weight = 3, low_weight = 1")});
  // Requests in proportion to the weights: all queues end together, within the eight slots that the first sender finds
  // free.
  const Json result = simulate(device(sets), saturating({300, 2400, 900}));
  const Json plain = simulate(device(base), saturating({300, 2400, 900}));
  const auto end = [](const Json& json, int job) { return json["host"]["jobs"][job]["end_s"].get<double>(); };
  for (int job = 0; job < 3; ++job) {
    EXPECT_NEAR(end(result, job) / end(result, 1), 1.0, 8.0 / 300) << job;
    EXPECT_LT(end(plain, 0), 0.35 * end(plain, 1));
  }
}

TEST(HostInterface, UrgentQueuesGoFirst) {
  const Json result = simulate(
      device({"precondition.fill=1.0", "host.queues=2", "host_interface.commands=4",
              "host.queue_priorities=[\"high\", \"urgent\"]", nvme("arbitration = \"weighted\", high_weight = 256")}),
      saturating({500, 500}));
  const Json& jobs = result["host"]["jobs"];
  // While the urgent queue has 32 requests waiting, the high one gets no further slot.
  EXPECT_LT(jobs[1]["end_s"].get<double>(), 0.55 * jobs[0]["end_s"].get<double>());
}

// ---- Interrupt coalescing ----

TEST(HostInterface, ALoneCompletionWaitsForTheTime) {
  const Json result =
      simulate(device({"precondition.fill=1.0", nvme("coalesce_threshold = 4, coalesce_time = \"200 us\"")}),
               {{of(RequestKind::Read, 4096, 20), 1, 0}});
  expect_latency(result, "read", pcie(64) + kWay + kFlash + pcie(4096) + pcie(16) + kWay + 200 * kMicrosecond);
  EXPECT_EQ(result["host_interface"]["interrupts"], (Json{{"count", 20}, {"completions", 20}, {"by_time", 20}}));
  EXPECT_EQ(result["breakdown_ps"]["read"]["interface"], 20 * 200 * kMicrosecond);
}

// A request that waited for room in the queue is fetched when the coalescing time frees a place, although nothing is in
// service.
TEST(HostInterface, AFullQueueGoesOnAfterTheTime) {
  const Json result = simulate(device({"precondition.fill=1.0", "host_interface.queue_depth=1",
                                       nvme("coalesce_threshold = 4, coalesce_time = \"100 us\"")}),
                               {{of(RequestKind::Read, 4096, 10), 2, 0}});
  EXPECT_EQ(result["host_interface"]["interrupts"], (Json{{"count", 10}, {"completions", 10}, {"by_time", 10}}));
}

TEST(HostInterface, EnoughCompletionsInterruptTogether) {
  const Json result =
      simulate(device({"precondition.fill=1.0", nvme("coalesce_threshold = 4, coalesce_time = \"10 ms\"")}),
               {{of(RequestKind::Read, 4096, 40), 4, 0}});
  EXPECT_EQ(result["host_interface"]["interrupts"], (Json{{"count", 10}, {"completions", 40}, {"by_time", 0}}));
  ASSERT_EQ(result["interrupted_ps"].size(), 10U);
  for (const Json& instant : result["interrupted_ps"]) EXPECT_EQ(instant[1], 4);
  // Each queue has a vector of its own: two jobs with two requests each never have four completions on one vector.
  const Json apart = simulate(
      device({"precondition.fill=1.0", "host.queues=2", nvme("coalesce_threshold = 4, coalesce_time = \"10 ms\"")}),
      {{of(RequestKind::Read, 4096, 8), 2, 0}, {of(RequestKind::Read, 4096, 8), 2, 1}});
  EXPECT_EQ(apart["host_interface"]["interrupts"]["by_time"], 8);
  EXPECT_GT(apart["latency_ps"]["read"][0].get<Picoseconds>(), 10 * kMillisecond);
}

TEST(HostInterface, OffItChangesNothing) {
  const std::vector<TestJob> jobs = {{of(RequestKind::Read, 4096, 300), 16, 0},
                                     {of(RequestKind::Write, 8192, 200), 8, 1}};
  const std::vector<std::string> base = {"precondition.fill=1.0", "host.queues=2", "buffer.mode=write_back"};
  const Json plain = simulate(device(base), jobs);
  auto burst = base;  // forces a protocol that arbitrates
  burst.push_back(nvme("burst = 64"));
  EXPECT_EQ(simulate(device(burst), jobs)["host"], plain["host"]);
}

// ---- Commands ----

IoStatus execute(InstantDevice& device, IoCommand& command) {
  bool done = false;
  const auto run = [&]() -> Task<void> {
    co_await device.firmware->execute(command);
    done = true;
  };
  device.runtime.spawn(run);
  EXPECT_TRUE(done);
  return command.status;
}

TEST(HostInterface, CommandsKeepToTheirNamespace) {
  InstantDevice drive(small_preset("tiny", {"host_interface.namespaces=[\"64 KiB\", \"128 KiB\"]"}));
  const auto status = [&](std::uint32_t name_space, std::uint64_t offset, std::uint64_t length, IoOperation operation) {
    IoCommand command;
    std::vector<SectorToken> tokens(length / 512);
    command.tokens = tokens.data();
    command.operation = operation;
    command.name_space = name_space;
    command.offset = offset;
    command.length = length;
    return execute(drive, command);
  };
  constexpr std::uint64_t kKib = 1024;
  using enum IoOperation;
  EXPECT_EQ(status(1, 60 * kKib, 4 * kKib, Write), IoStatus::Ok);
  EXPECT_EQ(status(1, 60 * kKib, 8 * kKib, Write), IoStatus::OutOfRange);
  EXPECT_EQ(status(2, 60 * kKib, 4 * kKib, Read), IoStatus::OutOfRange);
  EXPECT_EQ(status(2, 64 * kKib, 4 * kKib, Read), IoStatus::Ok);
  EXPECT_EQ(status(2, 188 * kKib, 4 * kKib, Trim), IoStatus::Ok);
  EXPECT_EQ(status(2, 188 * kKib, 8 * kKib, WriteZeroes), IoStatus::OutOfRange);
  EXPECT_EQ(status(3, 0, 4 * kKib, Read), IoStatus::OutOfRange);
  EXPECT_EQ(status(0, 0, 4 * kKib, Read), IoStatus::Ok);
  EXPECT_EQ(status(2, 0, 0, Flush), IoStatus::Ok);
}

TEST(HostInterface, NamespacesAreReportedApart) {
  const DeviceConfig config =
      small_preset("tiny", {"host.queues=2", "host_interface.namespaces=[\"256 KiB\", \"512 KiB\"]"});
  std::vector<TestJob> jobs = {{of(RequestKind::Write, 4096, 30), 4, 0}, {of(RequestKind::Write, 4096, 50), 4, 1}};
  jobs[0].name_space = 1;
  jobs[1].name_space = 2;
  jobs[1].offset = 256 << 10;
  const Json result = simulate(config, jobs);
  const Json& namespaces = result["host_interface"]["namespaces"];
  ASSERT_EQ(namespaces.size(), 2U);
  EXPECT_EQ(namespaces[0]["write"]["ios"], 30);
  EXPECT_EQ(namespaces[1]["write"]["ios"], 50);
  EXPECT_EQ(namespaces[1]["bytes"], 512 << 10);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
  EXPECT_EQ(simulate(small_preset("tiny"), {jobs[0]})["host_interface"]["namespaces"], Json::array());
}

TEST(HostInterface, ATrimHasUpTo256Ranges) {
  InstantDevice drive(small_preset("tiny"));
  drive.write(0, 16 * 4096);
  std::vector<IoRange> ranges = {{0, 4096}, {2 * 4096, 2 * 4096}, {8 * 4096, 2048}};
  IoCommand trim;
  trim.operation = IoOperation::Trim;
  trim.ranges = ranges.data();
  trim.range_count = 3;
  drive.oracle->submitted(trim);
  EXPECT_EQ(execute(drive, trim), IoStatus::Ok);
  drive.oracle->completed(trim);
  EXPECT_EQ(drive.firmware->ftl().statistics().units_trimmed, 3U);  // the last range is no whole unit
  EXPECT_EQ(drive.audit(), 0U);
  // With one bad range the command does nothing.
  ranges[1].length = drive.firmware->capacity_bytes();
  EXPECT_EQ(execute(drive, trim), IoStatus::OutOfRange);
  EXPECT_EQ(drive.firmware->ftl().statistics().units_trimmed, 3U);
  ranges.assign(257, {4096, 4096});
  trim.ranges = ranges.data();
  trim.range_count = 257;
  EXPECT_EQ(execute(drive, trim), IoStatus::OutOfRange);
  trim.range_count = 256;
  EXPECT_EQ(execute(drive, trim), IoStatus::Ok);
}

// Write Zeroes of whole units and of parts of units, next to written data, on each clock.
TEST(HostInterface, WhatIsZeroedReadsAsZeroes) {
  for (const char* const name : {"tiny", "nvme-tlc-1tb", "slc-small-block"}) {
    const DeviceConfig config = small_preset(name);
    MixOptions mix = mix_for(config, 7, 1500);
    mix.trims = 25;
    std::vector<Request> requests = random_mix(mix);
    std::size_t zeroes = 0;
    for (Request& request : requests)
      if (request.kind == RequestKind::Trim && ++zeroes % 3 != 0) request.kind = RequestKind::WriteZeroes;
    const Json timed = simulate(config, {{requests, 8, 0}});
    EXPECT_EQ(timed["verify"]["mismatches"], 0) << name << ": " << timed["verify"]["first_mismatch"];
    EXPECT_EQ(timed["host"]["write_zeroes"]["ios"], zeroes - zeroes / 3);
    EXPECT_EQ(run_instantly(config, requests)["verify"]["mismatches"], 0) << name;
  }
  const Json moved = simulate(device({"buffer.mode=write_back"}), {{of(RequestKind::WriteZeroes, 1 << 20, 5), 1, 0}});
  expect_latency(moved, "write_zeroes", pcie(64) + kWay + pcie(16) + kWay);  // no data on the link
}

// An entry is free when the host has seen its completion: with one entry a deep queue is as fast as one request at a
// time, to the digit; with two as two.
TEST(QueueDepth, LimitsWhatIsInFlight) {
  const auto time = [](const char* depth, std::uint32_t iodepth) {
    const DeviceConfig config = preset("tiny", {"host.queues=1", std::string("host_interface.queue_depth=") + depth});
    std::vector<Request> reads(300);
    for (std::uint64_t i = 0; i < reads.size(); ++i)
      reads[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
    return simulate(config, {{reads, iodepth, 0}})["end_ps"].get<Picoseconds>();
  };
  EXPECT_EQ(time("1", 64), time("1", 1));
  EXPECT_EQ(time("2", 64), time("64", 2));
}

}  // namespace
}  // namespace flashloom::host_interface_test
