// Independently reading planes in whole devices: the throughput that each further plane group adds, by closed form,
// until the bus saturates. The laws are in multi_plane_test.cpp, flash_scheduling_test.cpp and power_cut_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/support/experiment.hpp"
#include "workloads/random.hpp"

namespace flashloom::plane_reads_test {
namespace {

struct Point {
  std::uint32_t groups;
  const char* read_time;
  double array;  // s
};

void PrintTo(const Point& point, std::ostream* out) { *out << point.groups << " groups, tR " << point.read_time; }

class PlaneReads : public testing::TestWithParam<Point> {};

// 2 channels x 2 ways of dies with 4 planes; a page takes 8 cycles of 40 ns, 4096 ns of data, and 1.14 us of link. With
// 1024 random reads in flight each plane always has work.
TEST_P(PlaneReads, RandomReadsFollowTheClosedForm) {
  const DeviceConfig config =
      preset("calibration", {"nand.channels=2", "nand.ways=2", "nand.planes=4", "nand.blocks=16", "nand.pages=32",
                             "ftl.over_provisioning=1.0", "precondition.fill=1.0",
                             "nand.independent_planes=" + std::to_string(GetParam().groups),
                             std::string("nand.read_time=") + GetParam().read_time});
  const std::uint64_t pages = std::uint64_t{4} * 4 * 16 * 32 / 2;
  std::vector<Request> reads(40'000);
  Random random(5);
  for (Request& request : reads)
    request = {.offset = random.below(pages) * 4096, .length = 4096, .kind = RequestKind::Read};
  const Json result = simulate(config, {{reads, 1024, 0}});
  const double bus = 8 * 40e-9 + 4.096e-6;
  const double expected = std::min(2 / bus, GetParam().groups * 4 / (GetParam().array + bus));
  const double measured = result["host"]["read"]["iops"];
  std::printf("%.0f reads/s, closed form %.0f: %+.2f %%\n", measured, expected, 100 * (measured / expected - 1));
  EXPECT_LT(measured / expected, 1.001);
  EXPECT_GT(measured / expected, 0.95);
  // The time shares of a die add up to one, though its planes overlap.
  for (const Json& die : result["utilization"]["dies"])
    EXPECT_NEAR(die["idle"].get<double>() + die["read"].get<double>() + die["transfer"].get<double>(), 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Groups, PlaneReads,
                         testing::Values(Point{1, "50 us", 50e-6}, Point{2, "50 us", 50e-6}, Point{4, "50 us", 50e-6},
                                         Point{2, "100 us", 100e-6}, Point{4, "100 us", 100e-6},
                                         Point{4, "20 us", 20e-6}));

}  // namespace
}  // namespace flashloom::plane_reads_test
