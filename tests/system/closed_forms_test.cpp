// Whole devices against arithmetic: unloaded latencies to the tick, peak throughput within 1 %.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "tests/support/experiment.hpp"

namespace flashloom {
namespace {

// PCIe 3 x 4: 8 GT/s, 4 lanes, 128b/130b: 3,938,461,538 bytes a second; packets of up to 256 bytes with 24 bytes around each;
// 200 ns from port to port.
constexpr std::uint64_t kLinkRate = 3'938'461'538;
constexpr Picoseconds kLinkLatency = 200'000;

Picoseconds on_link(std::uint64_t bytes) {
  const std::uint64_t wire = bytes + (bytes + 255) / 256 * 24;
  return (wire * 1'000'000'000'000 + kLinkRate - 1) / kLinkRate;
}

std::vector<Request> requests(RequestKind kind, std::uint64_t count, std::uint64_t length, std::uint64_t stride,
                              std::uint64_t range) {
  std::vector<Request> list(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    list[i].kind = kind;
    list[i].offset = i * stride % range;
    list[i].length = length;
  }
  return list;
}

// Calibration: command 8 x 40 ns, tR 50 us, tPROG 600 us, a byte a nanosecond; DRAM and firmware take no time.
constexpr Picoseconds kCommand = 320'000;
constexpr Picoseconds kRead = 50'000'000;
constexpr Picoseconds kProgram = 600'000'000;
constexpr Picoseconds kPage = 4'096'000;

// Command entry down; command cycles, tR, data out; data up, and the completion entry right behind them.
constexpr auto unloaded_read = [] {
  return on_link(64) + kLinkLatency + kCommand + kRead + kPage + on_link(4096) + on_link(16) + kLinkLatency;
};

TEST(ClosedForms, AnUnloadedReadTakesTheSumOfItsSteps) {
  const Json result = simulate(preset("calibration", {"nand.blocks=32", "ftl.over_provisioning=0.4", "precondition.fill=0.5"}),
                               {{requests(RequestKind::Read, 50, 4096, 4096 * 37, 64 << 20), 1, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][0], unloaded_read());
  EXPECT_EQ(result["latency_ps"]["read"][1], unloaded_read());
}

// Parse (300 cycles) and look-up (60) on the host core, then map look-up (60) and issue (150) on the other, at 1 GHz. Both
// completions are prepared while the data cross the link.
TEST(ClosedForms, TheArmModelAddsItsCycles) {
  const Json result = simulate(
      preset("calibration", {"nand.blocks=32", "ftl.over_provisioning=0.4", "precondition.fill=0.5", "cpu.model=arm",
                             "cpu.clock=1 GHz", "cpu.cores=2", "cpu.cycles.command_parse=300",
                             "cpu.cycles.buffer_lookup=60", "cpu.cycles.map_lookup=60", "cpu.cycles.flash_issue=150"}),
      {{requests(RequestKind::Read, 50, 4096, 4096 * 37, 64 << 20), 1, 0}});
  const Picoseconds cycles = (300 + 60 + 60 + 150) * kNanosecond;
  EXPECT_EQ(result["latency_ps"]["read"][0], unloaded_read() + cycles);
  EXPECT_EQ(result["latency_ps"]["read"][1], unloaded_read() + cycles);
}

// Command entry down, data down, command and data cycles, tPROG, completion entry up.
TEST(ClosedForms, AnUnloadedWriteThroughTakesTheSumOfItsSteps) {
  const Json result = simulate(preset("calibration", {"nand.blocks=32", "ftl.over_provisioning=0.4"}),
                               {{requests(RequestKind::Write, 50, 4096, 4096 * 37, 64 << 20), 1, 0}});
  const Picoseconds expected = on_link(64) + kLinkLatency + on_link(4096) + kLinkLatency + kCommand + kPage + kProgram +
                               on_link(16) + kLinkLatency;
  EXPECT_EQ(result["latency_ps"]["write"][0], expected);
  EXPECT_EQ(result["latency_ps"]["write"][1], expected);
}

// 4 KiB of a 16 KiB page: the bus carries what is asked for, not the page.
TEST(ClosedForms, AReadOfPartOfAPageMovesThatPart) {
  const Json result = simulate(preset("calibration", {"nand.blocks=32", "nand.page_size=16 KiB", "ftl.mapping_unit=4 KiB",
                                                      "ftl.over_provisioning=0.4", "precondition.fill=0.5"}),
                               {{requests(RequestKind::Read, 50, 4096, 4096 * 37, 64 << 20), 1, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][0], unloaded_read());
}

struct Shape {
  std::uint32_t channels;
  std::uint32_t ways;
  std::uint32_t page;   // bytes
  std::uint32_t rate;   // MT/s
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.channels << 'x' << shape.ways << '_' << shape.page << '_' << shape.rate;
}

class Peak : public testing::TestWithParam<Shape> {
 protected:
  static DeviceConfig device(const std::vector<std::string>& more) {
    const Shape& shape = GetParam();
    std::vector<std::string> sets = {"nand.channels=" + std::to_string(shape.channels),
                                     "nand.ways=" + std::to_string(shape.ways),
                                     "nand.page_size=" + std::to_string(shape.page) + " B",
                                     "ftl.mapping_unit=" + std::to_string(shape.page) + " B",
                                     "nand.transfer_rate=" + std::to_string(shape.rate) + " MT/s",
                                     "link.generation=5",
                                     "link.lanes=16",
                                     "nand.blocks=64",
                                     "ftl.over_provisioning=0.3"};
    sets.insert(sets.end(), more.begin(), more.end());
    return preset("calibration", sets);
  }
  // Pages a second: dies, or wires.
  static double limit(double array_us) {
    const Shape& shape = GetParam();
    const double bus = 0.32 + shape.page * 1.0 / shape.rate;
    const double by_dies = shape.channels * shape.ways / (array_us + bus);
    const double by_wires = shape.channels / bus;
    return std::min(by_dies, by_wires) * 1e6;
  }
  static void expect_peak(const Json& result, const char* operation, double pages_per_s) {
    const double measured = result["host"][operation]["iops"].get<double>();
    std::cout << operation << ' ' << measured << " pages/s, closed form " << pages_per_s << ", deviation "
              << (measured / pages_per_s - 1) * 100 << " %\n";
    EXPECT_NEAR(measured, pages_per_s, 0.01 * pages_per_s);
  }
};

TEST_P(Peak, Read) {
  const Shape& shape = GetParam();
  const std::uint64_t dies = std::uint64_t{shape.channels} * shape.ways;
  const auto list = requests(RequestKind::Read, 2000 * dies, shape.page, shape.page, 2000 * dies * shape.page);
  expect_peak(simulate(device({"precondition.fill=1"}), {{list, static_cast<std::uint32_t>(16 * dies), 0}}), "read",
              limit(50));
}

TEST_P(Peak, Write) {
  const Shape& shape = GetParam();
  const std::uint64_t dies = std::uint64_t{shape.channels} * shape.ways;
  const auto list = requests(RequestKind::Write, 400 * dies, shape.page, shape.page, 400 * dies * shape.page);
  expect_peak(simulate(device({}), {{list, static_cast<std::uint32_t>(8 * dies), 0}}), "write", limit(600));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Peak,
                         testing::Values(Shape{1, 1, 4096, 1000}, Shape{8, 2, 4096, 1000}, Shape{2, 16, 4096, 1000},
                                         Shape{1, 4, 16384, 40}, Shape{4, 4, 8192, 333}, Shape{2, 8, 16384, 533},
                                         Shape{2, 2, 16384, 3600}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace flashloom
