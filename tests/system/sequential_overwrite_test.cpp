// A full drive of each preset's shape, overwritten in order: nothing is copied, WAF is 1.00.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "controllers/ssd/firmware.hpp"
#include "tests/support/experiment.hpp"

namespace flashloom {
namespace {

struct Shape {
  const char* name;
  const char* preset;
  std::vector<std::string> overrides;
  std::uint32_t units_per_request;
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

class SequentialOverwriteOfPresets : public testing::TestWithParam<Shape> {};

// Blocks are wholly invalid when they are collected: nothing is copied, whatever a page and a program unit hold.
TEST_P(SequentialOverwriteOfPresets, MovesNothing) {
  const Shape& shape = GetParam();
  std::vector<std::string> overrides = {"precondition.fill=1.0", "verify=false"};
  overrides.insert(overrides.end(), shape.overrides.begin(), shape.overrides.end());
  const DeviceConfig config = small_preset(shape.preset, overrides);
  const std::uint64_t capacity = capacity_bytes(config);
  const std::uint64_t length = std::uint64_t{shape.units_per_request} * config.ftl.mapping_unit;
  std::vector<Request> requests;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t at = 0; at < capacity; at += length)
      requests.push_back({.offset = at, .length = std::min(length, capacity - at), .kind = RequestKind::Write});
  const Json result = run_instantly(config, requests);
  const Json& statistics = result["ftl_statistics"];
  EXPECT_EQ(statistics["units_moved"], 0);
  EXPECT_GT(statistics["gc_runs"], 0);
  // The capacity need not be whole requests: written through, the short one at the end of each pass may be padded.
  const std::uint64_t missing = requests.front().length - requests.back().length;
  EXPECT_LE(statistics["units_padded"].get<std::uint64_t>(), 2 * missing / config.ftl.mapping_unit);
  EXPECT_EQ(statistics["units_written"], 2 * (capacity / config.ftl.mapping_unit));  // the fill is not counted
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, SequentialOverwriteOfPresets,
    testing::Values(
        Shape{"OneUnitAPage", "calibration", {"nand.blocks=64", "ftl.over_provisioning=0.15"}, 1},
        Shape{"OneUnitAPageLargeRequests", "calibration", {"nand.blocks=64", "ftl.over_provisioning=0.15"}, 32},
        Shape{"FourUnitsAPage",
              "calibration",
              {"nand.blocks=64", "nand.page_size=16 KiB", "ftl.over_provisioning=0.15"},
              4},
        Shape{"OneShotOnFourPlanes",
              "nvme-tlc-1tb",
              {"nand.blocks=64", "nand.pages=24", "ftl.logical_size=80 MiB", "buffer.size=2 MiB"},
              32},
        Shape{"SmallBlocksOfSlc", "slc-small-block", {"nand.blocks=64", "ftl.over_provisioning=0.15"}, 1},
        Shape{"Cosmos", "cosmos-openssd", {"nand.blocks=64", "ftl.over_provisioning=0.15"}, 4},
        Shape{"MqsimDefault", "mqsim-default", {"nand.blocks=64", "ftl.over_provisioning=0.15"}, 16}),
    [](const testing::TestParamInfo<Shape>& shape) { return std::string(shape.param.name); });

}  // namespace
}  // namespace flashloom
