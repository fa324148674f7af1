// Laws between the controller and the device behind it: the same counts as over the block path, arbitration,
// aggregation, power cuts.
#include <gtest/gtest.h>

#include <memory>

#include "controllers/ftl/ftl_rules.hpp"
#include "sc_main/assembly/system/instant_device.hpp"
#include "sc_main/verify/zone_requests.hpp"
#include "tests/support/request_sources.hpp"
#include "tests/support/zoned_host.hpp"
#include "workloads/random.hpp"

namespace flashloom::nvme_laws_test {
namespace {

Json outcome(Simulation& simulation) {
  const HostStatistics statistics = simulation.host().statistics();
  Json json;
  for (const auto& operation : statistics.operations)
    json["latency"].push_back({operation.ios, operation.latency.minimum(), operation.latency.maximum()});
  json["end"] = simulation.end();
  simulation.quiesce();
  Ssd& ssd = simulation.ssd();
  json["digest"] = ssd.media().digest();
  for (const FlashOperation operation : {FlashOperation::Read, FlashOperation::Program, FlashOperation::Erase}) {
    const FlashCount count = ssd.flash().counters().total(operation);
    json["flash"].push_back({count.commands, count.pages, count.units, count.bus_bytes});
  }
  const FtlStatistics ftl = ssd.ftl_statistics();
  json["ftl"] = {ftl.units_written, ftl.units_moved, ftl.units_padded, ftl.units_trimmed, ftl.gc_runs};
  const BufferStatistics buffer = ssd.buffer_statistics();
  json["buffer"] = {buffer.write_units, buffer.write_hits, buffer.read_units,
                    buffer.read_hits,   buffer.evictions,  buffer.destage_hits};
  json["mismatches"] = simulation.oracle()->mismatches();
  simulation.audit();
  json["audited_mismatches"] = simulation.oracle()->mismatches();
  return json;
}

Json by_blocks(const DeviceConfig& config, const std::vector<Request>& requests) {
  return in_child([&]() -> Json {
    Simulation simulation(config);
    simulation.precondition();
    std::vector<HostJob> jobs(1);
    jobs[0].source = std::make_unique<ListSource>(requests);
    simulation.run(std::move(jobs));
    return outcome(simulation);
  });
}

// A Zone Management Send command for the action of the request.
nvme::Entry zone_entry(NvmeHost& host, const Request& request, std::uint64_t lba) {
  nvme::Entry entry = host.io(nvme::kZoneManagementSend, lba, 1, 0);
  entry.dword13 = (request.all_zones ? ZonedHost::kAll : 0) | (request.random_write_area ? ZonedHost::kRandomArea : 0);
  switch (request.kind) {
    case RequestKind::ZoneOpen:
      entry.dword13 |= ZonedHost::kOpen;
      break;
    case RequestKind::ZoneClose:
      entry.dword13 |= ZonedHost::kClose;
      break;
    case RequestKind::ZoneFinish:
      entry.dword13 |= ZonedHost::kFinish;
      break;
    case RequestKind::ZoneReset:
      entry.dword13 |= ZonedHost::kReset;
      break;
    default:
      entry.dword13 |= ZonedHost::kCommit;
  }
  return entry;
}

nvme::Entry entry_of(NvmeHost& host, const Request& request, std::uint32_t sector, std::uint64_t data,
                     std::uint64_t list) {
  const auto first = request.offset / sector;
  const auto blocks = static_cast<std::uint32_t>(request.length / sector);
  nvme::Entry entry{};
  switch (request.kind) {
    case RequestKind::Read:
    case RequestKind::Write:
    case RequestKind::ZoneAppend: {
      const std::uint8_t opcode = request.kind == RequestKind::Read    ? nvme::kRead
                                  : request.kind == RequestKind::Write ? nvme::kWrite
                                                                       : nvme::kZoneAppend;
      entry = host.io(opcode, first, blocks, data);
      const std::uint64_t pages = (request.length + 4095) / 4096;
      entry.pointer2 = pages > 2 ? list : data + 4096;
      for (std::uint64_t i = 1; pages > 2 && i < pages; ++i)
        nvme::put(host.memory.at(list), 8 * (i - 1), data + i * 4096);
      if (request.fua) entry.dword12 |= 1U << 30U;
      return entry;
    }
    case RequestKind::Trim:
      nvme::put(host.memory.at(data), 4, blocks);
      nvme::put(host.memory.at(data), 8, first);
      entry = host.io(nvme::kDatasetManagement, 0, 1, data);
      entry.dword11 = 4;
      return entry;
    case RequestKind::Flush:
      return host.io(nvme::kFlush, 0, 1, 0);
    case RequestKind::WriteZeroes:
      return host.io(nvme::kWriteZeroes, first, blocks, 0);
    default:
      return zone_entry(host, request, first);
  }
}

Json by_registers(const DeviceConfig& config, const std::vector<Request>& requests) {
  return in_child([&]() -> Json {
    NvmeBench bench(config, {.command_sets = is_zoned(config.ftl) ? 6U : 0U}, false);
    bench.simulation.precondition();
    NvmeHost& host = bench.host;
    int failed = 0;
    Picoseconds begin = 0;
    bench.run_ready([&] {
      const std::uint64_t data = host.allocate(1 << 20);
      const std::uint64_t list = host.allocate(4096);
      begin = kernel_now();
      for (const Request& request : requests) {
        const nvme::Status status =
            host.status_of(1, entry_of(host, request, config.host_interface.sector_size, data, list));
        failed += status != nvme::Status::Success ? 1 : 0;
      }
    });
    Json json = outcome(bench.simulation);
    json["end"] = json["end"].get<Picoseconds>() - begin;
    EXPECT_EQ(failed, 0);
    return json;
  });
}

// A list of commands, one by one, over an ideal link, so that interrupts take no time either.
TEST(NvmeLaws, TheBlockPathGivesTheSame) {
  for (const char* const device : {"tiny", "nvme-tlc-1tb"}) {
    const DeviceConfig config = small_preset(device, {"link.kind=ideal", "precondition.fill=0.7"});
    const std::vector<Request> requests = random_mix(mix_for(config, 5, 1'500));
    const Json blocks = by_blocks(config, requests);
    EXPECT_EQ(by_registers(config, requests), blocks) << device;
    EXPECT_EQ(blocks["mismatches"], 0);
  }
}

// Random zone commands that the device accepts.
std::vector<Request> zone_mix(const DeviceConfig& config, std::uint64_t seed, std::size_t count) {
  InstantDevice device(config);
  Random random(seed);
  std::vector<Request> requests;
  while (requests.size() < count) {
    const Request request = random_zone_request(random, *device.firmware->zones());
    if (request.kind != RequestKind::ZoneReport && device.run(request) == IoStatus::Ok &&
        request.kind != RequestKind::ZoneOffline)
      requests.push_back(request);
  }
  return requests;
}

TEST(NvmeLaws, TheBlockPathGivesTheSameOfZones) {
  for (const char* const mode : {"write_back", "write_through"}) {
    const DeviceConfig config = zoned_drive({"link.kind=ideal", std::string("buffer.mode=") + mode});
    const std::vector<Request> requests = zone_mix(config, 3, 1'500);
    const Json blocks = by_blocks(config, requests);
    EXPECT_EQ(by_registers(config, requests), blocks) << mode;
    EXPECT_EQ(blocks["mismatches"], 0);
  }
}

// Over a real link the host sees each command later by the time of the interrupt message; the device's latencies are
// the same.
TEST(NvmeLaws, AnInterruptCostsItsMessage) {
  const DeviceConfig config = small_preset("tiny", {"precondition.fill=1.0"});
  std::vector<Request> requests(50);
  for (std::uint64_t i = 0; i < requests.size(); ++i)
    requests[i] = {.offset = i * 4096, .length = 4096, .kind = RequestKind::Read};
  const Json blocks = by_blocks(config, requests);
  const Json registers = by_registers(config, requests);
  EXPECT_EQ(registers["latency"], blocks["latency"]);
  EXPECT_EQ(registers["digest"], blocks["digest"]);
  const Picoseconds more = registers["end"].get<Picoseconds>() - blocks["end"].get<Picoseconds>();
  EXPECT_EQ(more % requests.size(), 0);
  EXPECT_GT(more, 0);
  EXPECT_LT(more / requests.size(), 50 * kNanosecond);
}

TEST(NvmeLaws, WeightedRoundRobinServesByClass) {
  const auto first_of_high = [](std::uint32_t arbitration) {
    return in_child([arbitration]() -> Json {
             NvmeBench bench(small_preset("tiny", {"host.queues=2", "host_interface.commands=1"}),
                             {.arbitration = arbitration});
             NvmeHost& host = bench.host;
             Json json;
             bench.run([&] {
               host.set_up_pci();
               host.enable();
               nvme::Entry weights{};
               weights.opcode = nvme::kSetFeatures;
               weights.dword10 = 1;
               weights.dword11 = 3U << 24U;  // high-priority queues get 4 commands a turn, others 1
               host.run(0, weights);
               host.create_queues(2, 64, {1, 3});
               const std::uint64_t data = host.allocate(4096);
               for (std::uint32_t i = 0; i < 40; ++i)
                 for (const std::uint32_t queue : {1U, 2U}) host.put(queue, host.io(nvme::kRead, i, 1, data));
               host.ring(2);
               host.ring(1);
               while (host.unclaimed(1) + host.unclaimed(2) < 30) {
                 sc_core::wait(host.interrupted);
                 host.take_completions();
               }
               json = host.unclaimed(1);
               while (host.unclaimed(1) + host.unclaimed(2) < 80) {
                 sc_core::wait(host.interrupted);
                 host.take_completions();
               }
             });
             return json;
           })
        .get<int>();
  };
  EXPECT_NEAR(first_of_high(0), 15, 1);
  EXPECT_NEAR(first_of_high(1), 24, 1);
}

TEST(NvmeLaws, CompletionsAreAggregatedByVector) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny", {"host_interface.kind={name=\"nvme\",coalesce_threshold=8,"
                                          "coalesce_time=\"200 us\"}"}));
    NvmeHost& host = bench.host;
    Json json;
    bench.run_ready([&] {
      const std::uint64_t data = host.allocate(4096);
      nvme::Entry feature{};
      feature.opcode = nvme::kGetFeatures;
      feature.dword10 = 8;
      json["default"] = host.run(0, feature).result;
      const auto burst = [&](std::uint32_t commands) {
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));  // lets earlier interrupts arrive
        const std::uint64_t before = host.interrupts;
        const Picoseconds begin = kernel_now();
        for (std::uint32_t i = 0; i < commands; ++i) host.put(1, host.io(nvme::kRead, i, 1, data));
        host.ring(1);
        std::size_t had = host.unclaimed(1);
        while (host.unclaimed(1) < had + commands) {
          sc_core::wait(host.interrupted);
          host.take_completions();
        }
        host.forget_completions();
        return Json{host.interrupts - before, kernel_now() - begin > 200 * kMicrosecond};
      };
      json["sixteen"] = burst(16);
      json["one"] = burst(1);
      feature.opcode = nvme::kSetFeatures;
      feature.dword10 = 9;
      feature.dword11 = 1U << 16U | 1U;  // no aggregation on vector 1
      host.run(0, feature);
      json["alone"] = burst(1);
    });
    return json;
  });
  EXPECT_EQ(result["default"], 0x0207);
  EXPECT_EQ(result["sixteen"][0], 2);
  EXPECT_EQ(result["one"], Json({1, true}));
  EXPECT_EQ(result["alone"], Json({1, false}));
}

TEST(NvmeLaws, WhatWasFlushedSurvivesAPowerCut) {
  const Json result = in_child([]() -> Json {
    NvmeBench bench(small_preset("tiny", {"power.cut_at=5 ms"}));
    NvmeHost& host = bench.host;
    Json json;
    bench.run_ready([&] {
      const std::uint64_t data = host.allocate(4096);
      // Returns false if the power failed before the completion.
      const auto survives = [&](const nvme::Entry& entry) {
        host.forget_completions();
        host.send(1, entry);
        while (host.unclaimed(1) == 0) {
          if (host.read32(0x1c) == 0xffffffff) return false;
          sc_core::wait(sc_core::sc_time(20, sc_core::SC_US), host.interrupted);
          host.take_completions();
        }
        return true;
      };
      std::uint32_t flushed = 0;
      for (std::uint32_t i = 0;; ++i) {
        fill_bytes(host.memory.at(data), 4096, i);
        if (!survives(host.io(nvme::kWrite, i % 100 * 8, 8, data))) break;
        if (i % 10 == 9) {
          if (!survives(host.io(nvme::kFlush, 0, 1, 0))) break;
          flushed = i + 1;
        }
      }
      json["flushed"] = flushed;
      while (host.read32(0x1c) == 0xffffffff && host.read_configuration(0) == 0xffffffff)
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      json["command"] = host.read_configuration(4, 2);
      host.set_up_pci();
      json["enabled"] = host.enable();
      host.create_queues(1, 64);
      int lost = 0;
      std::vector<std::byte> wanted(4096);
      const std::uint32_t first = flushed < 100 ? 0 : flushed - 100;
      for (std::uint32_t i = first; i < flushed; ++i) {
        if (host.status_of(1, host.io(nvme::kRead, i % 100 * 8, 8, data)) != nvme::Status::Success) ++lost;
        // Any later version that was written is right, too, if it is whole.
        bool found = false;
        for (std::uint32_t version = i; version <= flushed + 10 && !found; version += 100) {
          fill_bytes(wanted.data(), 4096, version);
          found = std::memcmp(host.memory.at(data), wanted.data(), 4096) == 0;
        }
        lost += found ? 0 : 1;
      }
      json["lost"] = lost;
      host.run(0, host.log_page(2, 512, data));
      json["life"] = {nvme::get_field<std::uint64_t>(host.memory.at(data), 112),
                      nvme::get_field<std::uint64_t>(host.memory.at(data), 144)};
    });
    json["cuts"] = bench.simulation.power_cuts().size();
    json["mismatches"] = bench.simulation.oracle()->mismatches();
    return json;
  });
  EXPECT_GT(result["flushed"], 10);
  EXPECT_EQ(result["cuts"], 1);
  EXPECT_EQ(result["command"], 0);
  EXPECT_TRUE(result["enabled"]);
  EXPECT_EQ(result["lost"], 0);
  EXPECT_EQ(result["life"], Json({2, 1}));
  EXPECT_EQ(result["mismatches"], 0);
}

}  // namespace
}  // namespace flashloom::nvme_laws_test
