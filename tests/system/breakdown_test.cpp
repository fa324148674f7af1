// Latency breakdown: worked by hand for unloaded requests, and sums that hold for all. simulate() checks for every
// request of every run that the parts add up to its latency, and that backlog and driver add up to its slat.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/experiment.hpp"

namespace flashloom::breakdown_test {
namespace {

// By hand, as in closed_forms_test.cpp: (bytes + packets x 24) x 10^12 / 3,938,461,538, rounded up to the tick.
constexpr Picoseconds kCommandEntry = 22'344;
constexpr Picoseconds kCompletionEntry = 10'157;
constexpr Picoseconds k4096 = 1'137'501;
constexpr Picoseconds kWay = 200'000;
constexpr Picoseconds kBus = 8 * 40'000 + 4'096'000;  // command cycles, data
constexpr std::uint64_t kRequests = 40;

DeviceConfig device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.7"});
  return preset("calibration", overrides);
}

std::vector<Request> of(RequestKind kind, std::uint64_t n = kRequests) {
  std::vector<Request> requests(n);
  for (std::uint64_t i = 0; i < n; ++i) requests[i] = {.offset = i * 4096, .length = 4096, .kind = kind};
  return requests;
}

// Expects every request to have exactly these parts, and all others to be 0.
void expect_parts(const Json& result, const char* operation, const std::map<std::string, Picoseconds>& parts) {
  Picoseconds sum = 0;
  for (const auto& [name, total] : result["breakdown_ps"][operation].items()) {
    const auto expected = parts.find(name);
    EXPECT_EQ(total, expected == parts.end() ? 0 : kRequests * expected->second) << name;
    sum += total.get<Picoseconds>();
  }
  EXPECT_EQ(sum, kRequests * result["latency_ps"][operation][0].get<Picoseconds>());
  // All requests are alike: the mean and every percentile have the same parts.
  for (const auto& [at, row] : result["host"][operation]["latency_breakdown_ns"].items())
    for (const auto& [name, mean] : row.items())
      EXPECT_DOUBLE_EQ(mean, parts.contains(name) ? static_cast<double>(parts.at(name)) / 1e3 : 0) << at << name;
}

TEST(Breakdown, OfAnUnloadedReadIsTheClosedForm) {
  const Json result = simulate(device({"precondition.fill=1.0"}), {{of(RequestKind::Read)}});
  expect_parts(
      result, "read",
      {{"link", kCommandEntry + kWay + k4096 + kCompletionEntry + kWay}, {"bus", kBus}, {"array", 50 * kMicrosecond}});
}

// At 1 GHz: 360 cycles before the buffer and 210 before the flash. At 4,096 MB/s: 1 us for 4 KiB, 15.625 ns for a
// burst.
TEST(Breakdown, EveryStageOfAReadHasItsPart) {
  const Json result =
      simulate(device({"precondition.fill=1.0", "cpu.model=arm", "cpu.clock=1 GHz", "dram.bandwidth=4096 MB/s",
                       "dram.read_latency=30 ns", "dram.write_latency=20 ns", "dram.refresh_interval=0 s",
                       "host.submit_latency=5 us", "host.complete_latency=7 us"}),
               {{of(RequestKind::Read)}});
  expect_parts(result, "read",
               {{"host", 12 * kMicrosecond},
                {"link", kCommandEntry + kWay + k4096 + kCompletionEntry + kWay},
                {"cpu", 570 * kNanosecond},
                {"map", 15'625 + 30'000},
                {"dram", 2 * kMicrosecond + 50'000},
                {"bus", kBus},
                {"array", 50 * kMicrosecond}});
}

// Firmware counts only where data transfer does not hide it: the core prepares the completion (300 cycles after the
// page arrives) while the data cross the link.
TEST(Breakdown, CompletionIsTheCoresOnlyWhereDataDoNotHideIt) {
  const Json result =
      simulate(device({"precondition.fill=1.0", "cpu.model=arm", "cpu.clock=100 MHz"}), {{of(RequestKind::Read)}});
  const Picoseconds data = k4096 + kWay;
  const Picoseconds completion = 3'000'000;  // 100 cycles of flash completion, 200 of command completion
  ASSERT_GT(completion, data);
  const bool one_core = result["config"]["cpu"]["flash_core"] == result["config"]["cpu"]["host_core"];
  const Picoseconds prepared = one_core ? completion : 2'000'000;
  expect_parts(result, "read",
               {{"link", kCommandEntry + kWay + data + kCompletionEntry + kWay},
                {"cpu", 5'700'000 + prepared - data},
                {"bus", kBus},
                {"array", 50 * kMicrosecond}});
}

TEST(Breakdown, OfAnUnloadedWriteThroughIsTheClosedForm) {
  const Json result = simulate(device({}), {{of(RequestKind::Write)}});
  expect_parts(result, "write",
               {{"link", kCommandEntry + kWay + k4096 + kWay + kCompletionEntry + kWay},
                {"bus", kBus},
                {"array", 600 * kMicrosecond}});
}

TEST(Breakdown, OfABufferedWriteIsTheLink) {
  const Json result = simulate(device({"buffer.mode=write_back"}), {{of(RequestKind::Write)}});
  expect_parts(result, "write", {{"link", kCommandEntry + kWay + k4096 + kWay + kCompletionEntry + kWay}});
}

// All pages on one die; each read waits for those before it.
TEST(Breakdown, WaitsAreNamedByWhatIsWaitedFor) {
  const auto parts = [](const std::vector<std::string>& overrides) {
    std::vector<std::string> all = {"precondition.fill=1.0", "nand.channels=1", "nand.ways=1"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return simulate(device(all), {{of(RequestKind::Read), 4}})["breakdown_ps"]["read"];
  };
  const Json die = parts({});
  EXPECT_GT(die["die_wait"], 3 * 50 * kMicrosecond * (kRequests - 4));
  EXPECT_EQ(die["backlog"], 0);
  EXPECT_EQ(die["interface"], 0);
  EXPECT_EQ(die["bus_wait"], 0);
  const Json slots = parts({"host_interface.commands=1"});
  EXPECT_GT(slots["interface"], 3 * 50 * kMicrosecond * (kRequests - 4));
  EXPECT_EQ(slots["die_wait"], 0);
  const Json queue = parts({"host_interface.queue_depth=1"});
  EXPECT_GT(queue["backlog"], 3 * 50 * kMicrosecond * (kRequests - 4));
  EXPECT_EQ(queue["interface"], 0);
  const Json ways = parts({"nand.ways=4", "nand.transfer_rate=50 MT/s"});  // 82 us of data per page
  EXPECT_GT(ways["bus_wait"], (3 * 82 - 51) * kMicrosecond * (kRequests - 8));
  // Four dies, of which only one may be busy: the other three wait for power only.
  const Json capped = parts({"nand.ways=4", "power.cap_dies=1"});
  EXPECT_GT(capped["power"], 2 * 50 * kMicrosecond * (kRequests - 8));
  for (const Json& uncapped : {die, slots, queue, ways}) EXPECT_EQ(uncapped["power"], 0);
}

TEST(Breakdown, OffLeavesItOutAndNothingElseChanges) {
  DeviceConfig config = device({"precondition.fill=1.0"});
  Json with = simulate(config, {{of(RequestKind::Read), 8}});
  config.host.latency_breakdown = false;
  Json without = simulate(config, {{of(RequestKind::Read), 8}});
  for (const char* const operation : {"read", "write", "trim", "flush"}) {
    for (Json* const host : {&with["host"], &with["host"]["jobs"][0]})
      EXPECT_EQ((*host)[operation].erase("latency_breakdown_ns"), 1) << operation;
  }
  for (Json* const result : {&with, &without}) (*result)["config"]["host"].erase("latency_breakdown");
  EXPECT_EQ(with, without);
}

// The laws hold for any preset, any bottleneck, and with power cuts.
RC_GTEST_PROP(Breakdown, AddsUpInAnyConfiguration, ()) {
  const auto one_of = [](std::initializer_list<const char*> values) {
    return std::string(*rc::gen::elementOf(std::vector<const char*>(values)));
  };
  const std::vector<std::string> names = preset_names();
  const std::string name = *rc::gen::elementOf(names);
  const bool sata = preset(name).host_interface.kind.name == "sata";
  std::vector<std::string> overrides = {"precondition.fill=0.8",
                                        "cpu.model=" + one_of({"arm", "ideal"}),
                                        "cpu.clock=" + one_of({"20 MHz", "500 MHz", "1333 MHz"}),
                                        "dram.bandwidth=" + one_of({"50 MB/s", "3200 MB/s"}),
                                        "nand.transfer_rate=" + one_of({"20 MT/s", "400 MT/s"}),
                                        "buffer.mode=" + one_of({"write_back", "write_through"}),
                                        "host.submit_latency=" + one_of({"0 s", "3 us"}),
                                        "host.complete_latency=" + one_of({"0 s", "2 us"}),
                                        "host_interface.commands=" + one_of({"1", "5", "32"}),
                                        "host_interface.queue_depth=" + std::string(sata ? "32" : one_of({"2", "64"})),
                                        "power.cap_dies=" + one_of({"0", "1"}),
                                        "nand.program_suspend=" + one_of({"false", "true"}),
                                        "nand.cache_program=" + one_of({"false", "true"}),
                                        "power.cut_at=" + one_of({"0 s", "0 s", "0 s", "15 ms"})};
  const DeviceConfig config = small_preset(name, overrides);
  MixOptions mix = mix_for(config, *rc::gen::inRange<std::uint64_t>(1, 1000), 300);
  mix.gap_ps = *rc::gen::elementOf(std::vector<std::uint64_t>{0, 20 * kMicrosecond});
  const Json result = simulate(config, {{random_mix(mix), *rc::gen::inRange<std::uint32_t>(0, 33)}});
  RC_ASSERT(result["host"]["completions"] == 300);
}

}  // namespace
}  // namespace flashloom::breakdown_test
