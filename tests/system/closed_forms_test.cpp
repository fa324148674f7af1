// Latency and throughput of whole devices against closed forms, on the calibration preset: firmware, DRAM and map take
// no time, so only link and flash do. PCIe 3 x 4 moves 8 GT/s x 4 x 128/130 / 8 = 3,938,461,538 B/s; a packet carries
// 256 B with 24 B of overhead; each way takes 200 ns.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::closed_forms_test {
namespace {

// By hand: (bytes + packets x 24) x 10^12 / 3,938,461,538, rounded up to the tick.
constexpr Picoseconds kCommandEntry = 22'344;     // 64 B: 88 B
constexpr Picoseconds kCompletionEntry = 10'157;  // 16 B: 40 B
constexpr Picoseconds k512 = 142'188;             // 512 B: 560 B
constexpr Picoseconds k4096 = 1'137'501;          // 4096 B: 4480 B
constexpr Picoseconds kWay = 200'000;
constexpr Picoseconds kFlashCommand = 8 * 40'000;  // 8 cycles of 40 ns
constexpr Picoseconds kBus4096 = 4'096'000;        // 1000 MT/s x 8 bits

DeviceConfig device(std::vector<std::string> overrides) {
  overrides.insert(overrides.begin(), {"nand.blocks=16", "nand.pages=32", "ftl.over_provisioning=1.0"});
  return preset("calibration", overrides);
}

constexpr Picoseconds kRead =
    kCommandEntry + kWay + kFlashCommand + 50 * kMicrosecond + kBus4096 + k4096 + kCompletionEntry + kWay;

TEST(ClosedForms, AnUnloadedReadTakesLinkCommandArrayAndData) {
  const Json result = simulate(device({"precondition.fill=1.0"}), {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(result, "read", kRead);
  // The decomposition of the best-known peer: 0.290 + 50 + 0.030 + 4.096 us of flash plus the link is 55.7 us.
  EXPECT_NEAR(static_cast<double>(kRead), 55.7e6, 0.35e6);
}

// At 1 GHz: 300 cycles of parsing, 60 of buffer look-up, 60 of map look-up and 150 of flash issue come first; the 100
// cycles of flash completion and 200 of command completion overlap the data transfer on the link.
TEST(ClosedForms, FirmwareAddsItsCycles) {
  const Json result = simulate(device({"precondition.fill=1.0", "cpu.model=arm", "cpu.clock=1 GHz"}),
                               {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(result, "read", kRead + 570 * kNanosecond);
  const Json slow = simulate(device({"precondition.fill=1.0", "cpu.model=arm", "cpu.clock=250 MHz"}),
                             {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(slow, "read", kRead + 4 * 570 * kNanosecond);
}

TEST(ClosedForms, AnUnloadedWriteThroughTakesLinkCommandDataAndArray) {
  const Json result = simulate(device({}), {{of(RequestKind::Write, 4096, 40), 1, 0}});
  expect_latency(
      result, "write",
      kCommandEntry + kWay + k4096 + kWay + kFlashCommand + kBus4096 + 600 * kMicrosecond + kCompletionEntry + kWay);
}

TEST(ClosedForms, ABufferedWriteTakesTheLinkOnly) {
  const Json result = simulate(device({"buffer.mode=write_back"}), {{of(RequestKind::Write, 4096, 40), 1, 0}});
  expect_latency(result, "write", kCommandEntry + kWay + k4096 + kWay + kCompletionEntry + kWay);
}

// 4 KiB units in 16 KiB pages: the bus moves the unit, not the page.
TEST(ClosedForms, AUnitSmallerThanThePageMovesItsOwnBytes) {
  const Json result =
      simulate(device({"nand.page_size=16 KiB", "precondition.fill=1.0"}), {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(result, "read", kRead);
  EXPECT_EQ(result["counters"]["read"]["host"], Json::array({40, 40, 40, 40 * 4096}));
}

// Flash delivers the whole unit; the link carries only the sector.
TEST(ClosedForms, ASectorCostsItsUnitOnTheBusAndItselfOnTheLink) {
  const Json result = simulate(device({"precondition.fill=1.0"}), {{of(RequestKind::Read, 512, 8), 1, 0}});
  expect_latency(result, "read", kRead - k4096 + k512);
}

TEST(ClosedForms, AReadOfNothingTakesTheLinkOnly) {
  const Json result = simulate(device({}), {{of(RequestKind::Read, 4096, 40), 1, 0}});
  expect_latency(result, "read", kCommandEntry + kWay + k4096 + kCompletionEntry + kWay);
  EXPECT_EQ(result["flash"]["reads"]["total"]["pages"], 0);
}

struct Point {
  std::uint32_t channels, ways, page;
  std::uint32_t rate;  // MT/s
};

class Peak : public testing::TestWithParam<Point> {
 protected:
  static double link(std::uint64_t bytes) {
    const double packets = std::ceil(static_cast<double>(bytes) / 256);
    return (static_cast<double>(bytes) + packets * 24) / 3'938'461'538.0;
  }
  static double data() { return GetParam().page / (GetParam().rate * 1e6); }
  static double dies() { return GetParam().channels * GetParam().ways; }
  /// Pages a second.
  static double closed_form(double array, double on_link) {
    const double bus = 8 * 40e-9 + data();
    return std::min({1 / on_link, GetParam().channels / bus, dies() / (array + bus)});
  }
  static Json run(RequestKind kind, double fill) {
    const Point& point = GetParam();
    const DeviceConfig config =
        device({"nand.channels=" + std::to_string(point.channels), "nand.ways=" + std::to_string(point.ways),
                "nand.page_size=" + std::to_string(point.page) + " B",
                "nand.transfer_rate=" + std::to_string(point.rate) + " MT/s",
                "ftl.mapping_unit=" + std::to_string(point.page) + " B", "nand.blocks=64", "nand.pages=64",
                "precondition.fill=" + std::to_string(fill), "dram.size=256 MiB", "buffer.size=64 MiB"});
    const auto n = static_cast<std::uint64_t>(dies() * 1200);
    return simulate(config, {{of(kind, point.page, n), static_cast<std::uint32_t>(dies()) * 8, 0}});
  }
};

TEST_P(Peak, ReadsMeetTheClosedForm) {
  const Json result = run(RequestKind::Read, 1.0);
  const double expected = closed_form(50e-6, link(GetParam().page) + link(16));
  const double measured = result["host"]["read"]["iops"];
  std::printf("%.0f pages/s, closed form %.0f: %+.3f %%\n", measured, expected, 100 * (measured / expected - 1));
  EXPECT_NEAR(measured / expected, 1.0, 0.01);
}

TEST_P(Peak, WritesMeetTheClosedForm) {
  const Json result = run(RequestKind::Write, 0.0);
  const double expected = closed_form(600e-6, link(GetParam().page) + link(64));
  const double measured = result["host"]["write"]["iops"];
  std::printf("%.0f pages/s, closed form %.0f: %+.3f %%\n", measured, expected, 100 * (measured / expected - 1));
  EXPECT_NEAR(measured / expected, 1.0, 0.01);
}

INSTANTIATE_TEST_SUITE_P(Devices, Peak,
                         testing::Values(Point{1, 1, 4096, 1000}, Point{8, 2, 4096, 1000}, Point{4, 4, 16384, 200},
                                         Point{2, 8, 4096, 40}, Point{1, 8, 16384, 400}, Point{8, 1, 16384, 3200},
                                         Point{8, 8, 16384, 1600}, Point{4, 2, 8192, 333}),
                         [](const auto& test) {
                           const Point& p = test.param;
                           return std::to_string(p.channels) + "x" + std::to_string(p.ways) + "_" +
                                  std::to_string(p.page) + "B_" + std::to_string(p.rate) + "MTs";
                         });

}  // namespace
}  // namespace flashloom::closed_forms_test
