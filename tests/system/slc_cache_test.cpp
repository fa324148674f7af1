// The SLC write cache in whole devices: its capacity, when it is folded, the cost of folding, and no data loss.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "models/nand/nand_geometry.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::slc_cache_test {
namespace {

// Four dies of TLC. In SLC mode a block of 24 pages has 8: four blocks per die hold 4 x 4 x 8 = 128 pages.
constexpr std::uint64_t kCacheUnits = 4 * 4 * 8;

DeviceConfig device(const std::vector<std::string>& more) {
  std::vector<std::string> overrides = {"nand.pages=24",      "nand.blocks=24",
                                        "nand.slc_blocks=4",  "nand.read_time=[\"50 us\", \"50 us\", \"50 us\"]",
                                        "buffer.size=64 KiB", "ftl.over_provisioning=1.5"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return small_preset("tiny", overrides);
}

/// `units` mapping units from address 0, in requests of four; one batch per `gap`.
std::vector<Request> sequential(std::uint64_t units, std::uint64_t batch = 0, Picoseconds gap = 0) {
  std::vector<Request> requests;
  for (std::uint64_t unit = 0; unit < units; unit += 4) {
    Request request;
    request.kind = RequestKind::Write;
    request.offset = unit * 4096;
    request.length = 4 * 4096;
    if (batch != 0) request.arrival_ps = unit / batch * gap;
    requests.push_back(request);
  }
  return requests;
}

std::uint64_t of(const Json& result, const char* name) { return result["ftl_statistics"][name].get<std::uint64_t>(); }

TEST(SlcCache, TakesWhatFitsAndLetsTheRestGoPast) {
  const Json result = simulate(device({"ftl.slc_low=0", "ftl.slc_idle=false"}), {{sequential(3 * kCacheUnits), 8, 0}});
  EXPECT_EQ(of(result, "slc_written"), kCacheUnits);
  EXPECT_EQ(of(result, "slc_past"), of(result, "units_written") - kCacheUnits);
  EXPECT_GT(of(result, "slc_past"), kCacheUnits);
  EXPECT_EQ(of(result, "folds"), 0U);
  EXPECT_EQ(result["ftl"]["slc"]["blocks"], 16);
  EXPECT_EQ(result["ftl"]["slc"]["block_bytes"], 8 * 4096);
  EXPECT_EQ(result["ftl"]["slc"]["units_written"], kCacheUnits);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

TEST(SlcCache, IsNoPartOfTheCapacity) {
  const DeviceConfig config = device({});
  const NandGeometry geometry(config.nand, config.ftl.mapping_unit);
  EXPECT_EQ(geometry.total_units(), 4U * 20 * 24);
  const DeviceConfig without = device({"nand.slc_blocks=0", "nand.blocks=20"});
  EXPECT_EQ(geometry.total_units(), NandGeometry(without.nand, without.ftl.mapping_unit).total_units());
}

// Each write is one program on an idle die: only the array times differ.
TEST(SlcCache, WritesTakeTheTimeOfSlcMode) {
  const auto latency = [](const std::string& blocks) {
    const DeviceConfig config = device({"nand.slc_blocks=" + blocks, "nand.slc_program_time=150 us",
                                        "buffer.mode=write_through", "ftl.slc_idle=false", "verify=false"});
    std::vector<Request> requests = sequential(64);
    for (Request& request : requests) request.length = 4096;
    return simulate(config, {{requests, 1, 0}})["latency_ps"]["write"];
  };
  const Json cached = latency("4");
  const Json direct = latency("0");
  for (const int end : {0, 1})
    EXPECT_EQ(direct[end].get<std::uint64_t>() - cached[end].get<std::uint64_t>(), 450 * kMicrosecond);
}

// Bursts that fit next to the blocks that are still open, with pauses in between: folding in idle time makes room for
// each whole burst.
TEST(SlcCache, IsFoldedInIdleTime) {
  const std::uint64_t burst = kCacheUnits * 3 / 4;
  const std::vector<Request> bursts = sequential(6 * burst, burst, 2 * kSecond);
  const Json idle = simulate(device({"ftl.slc_low=0"}), {{bursts, 0, 0}});
  const Json never = simulate(device({"ftl.slc_low=0", "ftl.slc_idle=false"}), {{bursts, 0, 0}});
  EXPECT_EQ(of(idle, "slc_past"), 0U);
  EXPECT_EQ(of(idle, "slc_written"), of(idle, "units_written"));
  EXPECT_GT(of(idle, "slc_written"), 5 * burst);
  EXPECT_EQ(of(idle, "units_folded"), of(idle, "folds") * 8);  // no unit is overwritten
  EXPECT_GE(of(idle, "units_folded"), 5 * burst - 4 * 8);
  EXPECT_EQ(of(never, "slc_written"), kCacheUnits);
  EXPECT_EQ(idle["verify"]["mismatches"], 0);
}

// Without pauses folding alternates with host writes: the cache takes more than its capacity, and a write that finds it
// full waits for the copies.
TEST(SlcCache, IsFoldedAsFastAsTheHostWrites) {
  const std::vector<Request> requests = sequential(6 * kCacheUnits);
  const Json folding = simulate(device({"ftl.slc_idle=false"}), {{requests, 8, 0}});
  const Json past = simulate(device({"ftl.slc_idle=false", "ftl.slc_low=0"}), {{requests, 8, 0}});
  EXPECT_GT(of(folding, "slc_written"), 4 * kCacheUnits);
  EXPECT_EQ(of(folding, "slc_written") + of(folding, "slc_past"), of(folding, "units_written"));
  EXPECT_GT(of(folding, "folds"), 3 * 16U);
  EXPECT_GT(folding["end_ps"].get<std::uint64_t>(), past["end_ps"].get<std::uint64_t>());
  EXPECT_EQ(folding["verify"]["mismatches"], 0);
}

TEST(SlcCache, CountsEveryUnitOnce) {
  for (const char* const kind : {"page_map", "dftl"}) {
    const DeviceConfig config = device({std::string("ftl.kind=") + kind, "precondition.fill=1.0"});
    MixOptions mix = mix_for(config, 5, 5000);
    mix.reads = 20;
    const Json result = simulate(config, {{random_mix(mix), 16, 0}});
    EXPECT_EQ(result["verify"]["mismatches"], 0) << result["verify"]["first_mismatch"];
    EXPECT_EQ(of(result, "slc_written") + of(result, "slc_past"), of(result, "units_written"));
    EXPECT_EQ(result["counters"]["program"]["gc"][2].get<std::uint64_t>(),
              of(result, "units_moved") + of(result, "units_folded"));
    EXPECT_GT(of(result, "folds"), 100U);
    EXPECT_GT(of(result, "gc_runs"), 20U);
    // Data overwritten in the cache need no copy.
    EXPECT_LT(of(result, "units_folded"), of(result, "slc_written"));
  }
}

// Failing cache blocks shrink the cache; the device continues, in the end without a cache.
TEST(SlcCache, WearsOutWithoutTheDevice) {
  const DeviceConfig config = device({"nand.slc_endurance=3", "precondition.fill=0.5"});
  MixOptions mix = mix_for(config, 6, 4000);
  mix.reads = 0;
  const Json result = simulate(config, {{random_mix(mix), 4, 0}});
  EXPECT_EQ(result["wear"]["bad_blocks"], 16);
  EXPECT_EQ(result["host"]["write_protected"], 0);
  EXPECT_GT(of(result, "slc_past"), 0U);
  EXPECT_EQ(result["verify"]["mismatches"], 0);
}

}  // namespace
}  // namespace flashloom::slc_cache_test
