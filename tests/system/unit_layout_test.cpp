// nand.unit_layout: sequential reads of one-shot programs on several planes, with and without multi-plane reads,
// against closed forms: exact when unloaded, within one per cent when saturated.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "tests/support/equal_requests.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom::unit_layout_test {
namespace {

// By hand, as in closed_forms_test.cpp: 8 cycles of 40 ns for a command, and for selecting a plane's data; a page of 4
// KiB on the bus; the link's part of a request that ends with a page of 4 KiB.
constexpr Picoseconds kCycles = 320'000;
constexpr Picoseconds kData = 4'096'000;
constexpr Picoseconds kLink = 22'344 + 200'000 + 1'137'501 + 10'157 + 200'000;

/// tR of the page types, one per bit of a cell: a one-shot program takes a page of each type.
std::vector<std::uint64_t> read_times(std::uint32_t bits) {
  static constexpr std::uint64_t kMicroseconds[] = {50, 75, 61, 90};
  return {kMicroseconds, kMicroseconds + bits};
}

std::string toml(const std::vector<std::uint64_t>& times) {
  std::string text = "[";
  for (const std::uint64_t time : times) text += (text.size() == 1 ? "\"" : ", \"") + std::to_string(time) + " us\"";
  return text + "]";
}

DeviceConfig device(std::uint32_t bits, std::uint32_t planes, const char* layout, bool together,
                    std::vector<std::string> more = {}) {
  std::vector<std::string> overrides = {"nand.planes=" + std::to_string(planes),
                                        "nand.multi_plane_program=true",
                                        "nand.pages_per_program=" + std::to_string(bits),
                                        "nand.read_time=" + toml(read_times(bits)),
                                        std::string("nand.unit_layout=") + layout,
                                        std::string("nand.multi_plane_read=") + (together ? "true" : "false"),
                                        "buffer.mode=write_back",
                                        "buffer.size=512 KiB",
                                        "nand.channels=1",
                                        "nand.ways=1",
                                        "nand.blocks=20",
                                        "nand.pages=48",
                                        "ftl.over_provisioning=1.0",
                                        "precondition.fill=1.0"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return preset("calibration", overrides);
}

class Layouts : public testing::TestWithParam<std::uint32_t> {
 protected:
  std::uint32_t bits() const { return GetParam(); }
  Picoseconds all_times() const {
    const auto times = read_times(bits());
    return std::accumulate(times.begin(), times.end(), Picoseconds{0}) * kMicrosecond;
  }
};

// Reads of whole program units: the FTL finds the rows in either layout, whatever the order of the pages.
TEST_P(Layouts, AProgramUnitIsReadRowByRow) {
  for (const std::uint32_t planes : {2U, 4U})
    for (const char* const layout : {"plane_first", "page_first"}) {
      const std::uint64_t bytes = std::uint64_t{planes} * bits() * 4096;
      const Json result = simulate(device(bits(), planes, layout, true), {{of(RequestKind::Read, bytes, 8), 1, 0}});
      // A row takes a command per plane, tR, and each page after the selection of its plane.
      expect_latency(result, "read", bits() * planes * (2 * kCycles + kData) + all_times() + kLink);
      EXPECT_EQ(result["counters"]["read"]["host"][1], 8 * planes * bits());
    }
}

// Without multi-plane reads the pages are read one after the other.
TEST_P(Layouts, OrPageByPage) {
  const std::uint32_t planes = 2;
  const std::uint64_t bytes = std::uint64_t{planes} * bits() * 4096;
  for (const char* const layout : {"plane_first", "page_first"}) {
    const Json result = simulate(device(bits(), planes, layout, false), {{of(RequestKind::Read, bytes, 8), 1, 0}});
    expect_latency(result, "read", bits() * planes * (kCycles + kData) + planes * all_times() + kLink);
  }
}

// With plane_first two neighbouring pages form a row; with page_first and several pages per program they do not.
TEST_P(Layouts, NeighboursAreARowWithPlaneFirst) {
  const auto times = read_times(bits());
  const auto slowest = *std::max_element(times.begin(), times.end()) * kMicrosecond;
  const auto fastest = *std::min_element(times.begin(), times.end()) * kMicrosecond;
  const Json rows = simulate(device(bits(), 2, "plane_first", true), {{of(RequestKind::Read, 8192, 12), 1, 0}});
  EXPECT_EQ(rows["latency_ps"]["read"][0], 2 * (2 * kCycles + kData) + fastest + kLink);
  EXPECT_EQ(rows["latency_ps"]["read"][1], 2 * (2 * kCycles + kData) + slowest + kLink);
  if (bits() == 1) return;
  // The first request of each program unit: two pages of plane 0.
  const Json pages = simulate(device(bits(), 2, "page_first", true), {{of(RequestKind::Read, 8192, 1), 1, 0}});
  expect_latency(pages, "read", 2 * (kCycles + kData) + (times[0] + times[1]) * kMicrosecond + kLink);
}

// Independent planes need no common command: each plane has its own tR, and they share the bus. The second page's
// command follows the first one's, and its data follow the data of the first.
TEST_P(Layouts, IndependentPlanesReadARowAtOnce) {
  const auto times = read_times(bits());
  const auto slowest = *std::max_element(times.begin(), times.end()) * kMicrosecond;
  const Json result = simulate(device(bits(), 2, "plane_first", false, {"nand.independent_planes=2"}),
                               {{of(RequestKind::Read, 8192, 12), 1, 0}});
  EXPECT_EQ(result["latency_ps"]["read"][1], kCycles + slowest + 2 * kData + kLink);
}

// Saturated: min(channels x bus, dies x row / (mean tR + bus)); link, cores and DRAM take no time.
TEST_P(Layouts, SaturatedReadsMeetTheClosedForm) {
  const auto times = read_times(bits());
  const double array = std::accumulate(times.begin(), times.end(), 0.0) / bits() * 1e-6;
  for (const std::uint32_t planes : {2U, 4U})
    for (const std::uint32_t rate : {1000U, 25U})
      for (const bool together : {true, false}) {
        const double data = 4096 / (rate * 1e6);
        const double bus = together ? planes * (2 * 320e-9 + data) : 320e-9 + data;
        const double pages = together ? planes : 1;
        const double expected = pages * std::min(2 / bus, 4 / (array + bus));
        const std::uint64_t bytes = std::uint64_t{planes} * bits() * 4096;
        const DeviceConfig config =
            device(bits(), planes, "plane_first", together,
                   {"nand.channels=2", "nand.ways=2", "nand.transfer_rate=" + std::to_string(rate) + " MT/s",
                    "link.kind=ideal", "dram.size=0 B", "host_interface.commands=1024"});
        // Eight passes over the same 64 program units of each die.
        std::vector<Request> requests;
        for (int pass = 0; pass < 8; ++pass) {
          const auto some = of(RequestKind::Read, bytes, 256);
          requests.insert(requests.end(), some.begin(), some.end());
        }
        const Json result = simulate(config, {{requests, 64, 0}});
        const double measured = result["host"]["read"]["iops"].get<double>() * planes * bits();
        std::printf("%u bits, %u planes, %u MT/s, %s: %.0f pages/s, closed form %.0f: %+.3f %%\n", bits(), planes, rate,
                    together ? "together" : "apart", measured, expected, 100 * (measured / expected - 1));
        EXPECT_NEAR(measured / expected, 1.0, 0.01);
      }
}

std::string name_of(const testing::TestParamInfo<std::uint32_t>& test) {
  static constexpr const char* kNames[] = {"", "Slc", "Mlc", "Tlc", "Qlc"};
  return kNames[test.param];
}

INSTANTIATE_TEST_SUITE_P(Cells, Layouts, testing::Values(1U, 2U, 3U, 4U), name_of);

}  // namespace
}  // namespace flashloom::unit_layout_test
