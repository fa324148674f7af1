// A whole SSD with a third-party DRAM: an LT memory that implements only b_transport, and an AT one with four phases.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "sc_main/assembly/system/simulation.hpp"
#include "tests/support/experiment.hpp"
#include "tests/support/foreign_memories.hpp"
#include "tests/support/in_child.hpp"

namespace flashloom::foreign_memory_test {
namespace {

constexpr Picoseconds kAccept = 200 * kNanosecond;
constexpr Picoseconds kLatency = 700 * kNanosecond;  // from any access to its response

enum class Kind { Ours, LooselyTimed, ApproximatelyTimed };

Json run(const DeviceConfig& config, Kind kind, const std::vector<Request>& requests, std::uint32_t iodepth) {
  return in_child([&]() -> Json {
    std::unique_ptr<Blocking> blocking;
    std::unique_ptr<FourPhases> phases;
    Ssd::MemorySocket* foreign = nullptr;
    if (kind == Kind::LooselyTimed) {
      blocking = std::make_unique<Blocking>("lt", kLatency, true);
      foreign = &blocking->socket;
    } else if (kind == Kind::ApproximatelyTimed) {
      phases = std::make_unique<FourPhases>("at", kAccept, kLatency - kAccept);
      foreign = &phases->socket;
    }
    Simulation simulation(config, {.foreign_dram = foreign});
    simulation.precondition();
    std::vector<HostJob> jobs(1);
    jobs[0].source = std::make_unique<ListSource>(requests);
    jobs[0].iodepth = iodepth;
    simulation.run(std::move(jobs));
    const HostStatistics statistics = simulation.host().statistics();
    Json result;
    for (const IoOperation operation : {IoOperation::Read, IoOperation::Write}) {
      const LatencyHistogram& latency = statistics.operations[static_cast<std::size_t>(operation)].latency;
      result["latency"].push_back({latency.minimum(), latency.maximum()});
    }
    result["completions"] = statistics.completions;
    result["cuts"] = simulation.power_cuts().size();
    simulation.quiesce();
    if (simulation.oracle() != nullptr) {
      result["audited"] = simulation.audit();
      result["mismatches"] = simulation.oracle()->mismatches();
    }
    result["ours"] = simulation.ssd().dram() != nullptr;
    if (foreign == nullptr) return result;
    result["violations"] = phases == nullptr ? 0 : phases->violations;
    const std::vector<std::uint64_t>& addresses = phases == nullptr ? blocking->addresses : phases->addresses;
    result["accesses"] = addresses.size();
    result["addresses"] = std::set<std::uint64_t>(addresses.begin(), addresses.end()).size();
    result["highest"] = *std::max_element(addresses.begin(), addresses.end());
    return result;
  });
}

DeviceConfig calibration(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(),
                   {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0", "precondition.fill=1.0"});
  return preset("calibration", overrides);
}

std::vector<Request> one_by_one(RequestKind kind) {
  std::vector<Request> requests(40);
  for (std::uint64_t i = 0; i < requests.size(); ++i) requests[i] = {.offset = i * 4096, .length = 4096, .kind = kind};
  return requests;
}

Json latency(Picoseconds each) { return Json::array({each, each}); }

// An unloaded read accesses the DRAM three times: map entry, page in, page out. A write fills the buffer; then the SSD
// fetches its map entry and its data: at the same time from a memory that answers at once, one after the other from a
// memory that answers in phases.
TEST(ForeignMemory, UnloadedLatencyToTheTick) {
  const Json free_read = run(calibration(), Kind::Ours, one_by_one(RequestKind::Read), 1);
  const Json free_write = run(calibration(), Kind::Ours, one_by_one(RequestKind::Write), 1);
  const Picoseconds read = free_read["latency"][0][0];
  const Picoseconds write = free_write["latency"][1][0];
  ASSERT_EQ(free_read["latency"][0], latency(read));
  ASSERT_EQ(free_write["latency"][1], latency(write));
  const DeviceConfig timed = calibration({"dram.read_latency=700 ns", "dram.write_latency=700 ns"});
  EXPECT_EQ(run(timed, Kind::Ours, one_by_one(RequestKind::Read), 1)["latency"][0], latency(read + 3 * kLatency));
  EXPECT_EQ(run(timed, Kind::Ours, one_by_one(RequestKind::Write), 1)["latency"][1], latency(write + 2 * kLatency));
  for (const Kind kind : {Kind::LooselyTimed, Kind::ApproximatelyTimed}) {
    const Json reads = run(calibration(), kind, one_by_one(RequestKind::Read), 1);
    EXPECT_EQ(reads["latency"][0], latency(read + 3 * kLatency));
    EXPECT_EQ(reads["accesses"], 3 * 40);
    EXPECT_FALSE(reads["ours"]);
    const Json writes = run(calibration(), kind, one_by_one(RequestKind::Write), 1);
    EXPECT_EQ(writes["latency"][1], latency(write + 3 * kLatency));
    EXPECT_EQ(writes["violations"], 0);
  }
}

// Map entries, buffer and pages in flight have distinct addresses, all within the DRAM.
TEST(ForeignMemory, AddressesAreThoseOfTheData) {
  const DeviceConfig config = calibration();
  const Json reads = run(config, Kind::ApproximatelyTimed, one_by_one(RequestKind::Read), 1);
  // 40 units have 3 lines of map entries; each page in flight has one place, where it is written and read.
  EXPECT_EQ(reads["addresses"], 3 + 40);
  EXPECT_LT(reads["highest"], config.dram.size);
  EXPECT_GE(reads["highest"], config.buffer.size);
  const Json writes = run(config, Kind::ApproximatelyTimed, one_by_one(RequestKind::Write), 1);
  EXPECT_EQ(writes["addresses"], 3 + 40);
}

TEST(ForeignMemory, VerifiedMixesRunThroughIt) {
  for (const Kind kind : {Kind::LooselyTimed, Kind::ApproximatelyTimed}) {
    for (const char* const device : {"tiny", "nvme-tlc-1tb"}) {
      const DeviceConfig config = small_preset(device, {"precondition.fill=0.5"});
      const std::vector<Request> requests = random_mix(mix_for(config, 11, 3'000));
      const Json result = run(config, kind, requests, 16);
      EXPECT_EQ(result["mismatches"], 0);
      EXPECT_GT(result["audited"], 0);
      EXPECT_EQ(result["completions"], requests.size());
      EXPECT_EQ(result["violations"], 0);
      EXPECT_GT(result["accesses"], 3'000);
    }
  }
}

TEST(ForeignMemory, APowerCutLeavesNothingBehind) {
  for (const Kind kind : {Kind::LooselyTimed, Kind::ApproximatelyTimed}) {
    const DeviceConfig config = small_preset("tiny", {"power.cut_at=5 ms"});
    const Json result = run(config, kind, random_mix(mix_for(config, 3, 2'000)), 16);
    EXPECT_EQ(result["cuts"], 1);
    EXPECT_EQ(result["mismatches"], 0);
    EXPECT_EQ(result["violations"], 0);
  }
}

}  // namespace
}  // namespace flashloom::foreign_memory_test
