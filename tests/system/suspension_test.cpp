// Suspension in whole devices: host reads need not wait for programs, erases and garbage collection.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "controllers/ssd/firmware.hpp"
#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::suspension_test {
namespace {

DeviceConfig device(const std::vector<std::string>& more) {
  std::vector<std::string> overrides = {
      "precondition.fill=1.0",        "nand.blocks=32",           "nand.pages=32", "ftl.over_provisioning=0.4",
      "ftl.arbitration=out_of_order", "nand.suspend_interval=0 s"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return small_preset("tiny", overrides);
}

Json mixed(const std::vector<std::string>& more) {
  const DeviceConfig config = device(more);
  MixOptions mix = mix_for(config, 11, 8000);
  mix.reads = 50;
  mix.flushes = 0;
  return simulate(config, {{random_mix(mix), 16, 0}});
}

TEST(Suspension, ShortensTheTailOfReadsAndCostsWrites) {
  const std::vector<std::string> both = {"nand.program_suspend=true", "nand.erase_suspend=true"};
  const Json plain = mixed({});
  const Json suspended = mixed(both);
  const auto tail = [](const Json& result) { return result["host"]["read"]["latency_ns"]["p99_9"].get<double>(); };
  EXPECT_LT(tail(suspended), 0.5 * tail(plain));
  const Json& counts = suspended["flash_overlap"];
  EXPECT_GT(counts["suspended_programs"], 0);
  EXPECT_GT(counts["suspended_erases"], 0);
  EXPECT_GE(counts["interrupting_reads"].get<double>(),
            counts["suspended_programs"].get<double>() + counts["suspended_erases"].get<double>());
  EXPECT_EQ(suspended["verify"]["mismatches"], 0);
  EXPECT_FALSE(plain.contains("flash_overlap"));
  // Suspensions lengthen programs and erases: the dies are busy for the added time.
  const double added =
      counts["suspended_programs"].get<double>() * 25e-6 + counts["suspended_erases"].get<double>() * 150e-6;
  double busy = 0;
  for (const Json& component : suspended["energy"]["components"])
    if (component["kind"] == "nand")
      busy += component["residency_s"]["program"].get<double>() + component["residency_s"]["erase"].get<double>();
  double programs = 0, erases = 0;
  for (const Json& origin : suspended["counters"]["program"]) programs += origin[0].get<double>();
  for (const Json& origin : suspended["counters"]["erase"]) erases += origin[0].get<double>();
  const double expected = programs * 600e-6 + erases * 3e-3 + added;
  EXPECT_LE(busy, expected + 1e-9);
  EXPECT_GT(busy, 0.98 * expected);  // counters run until the device rests, the ledger ends with the last request
}

// During background collection, a host read that finds its die busy waits for a suspension at most, not for the
// collection.
TEST(Suspension, BackgroundCollectionGivesWay) {
  const auto longest_read = [](const std::vector<std::string>& more) {
    std::vector<std::string> overrides = {"ftl.gc_background=12", "ftl.gc_idle_time=100 us", "ftl.gc_low=2",
                                          "buffer.mode=write_through"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    const DeviceConfig config = device(overrides);
    // Overwrites leave little free space; then come reads with pauses, in which the collection continues.
    Random random(5);
    const std::uint64_t units = capacity_bytes(config) / config.ftl.mapping_unit;
    std::vector<Request> writes, reads;
    for (std::uint32_t i = 0; i < 1500; ++i)
      writes.push_back({.offset = random.below(units) * 4096, .length = 4096, .kind = RequestKind::Write});
    for (std::uint32_t i = 0; i < 400; ++i)
      reads.push_back({.offset = random.below(units) * 4096,
                       .length = 4096,
                       .arrival_ps = i * kMillisecond,
                       .kind = RequestKind::Read});
    const auto written = simulate(config, {{writes, 8, 0}})["end_ps"].get<Picoseconds>();
    const Json result =
        simulate(config, {{writes, 8, 0}, {.requests = reads, .iodepth = 0, .start_delay = written + kMillisecond}});
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    EXPECT_GT(result["counters"]["erase"]["gc"][0], 0);
    return result["latency_ps"]["read"][1].get<double>();
  };
  const double plain = longest_read({});
  const double suspended = longest_read({"nand.program_suspend=true", "nand.erase_suspend=true"});
  EXPECT_GT(plain, 500e6);      // waits for a program or an erase
  EXPECT_LT(suspended, 300e6);  // 100 us to suspend, 54 us for itself, and bus contention
}

}  // namespace
}  // namespace flashloom::suspension_test
