// A drawn steady state against one that random overwrites reach.
#include "controllers/host/preconditioner.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "sc_main/assembly/system/instant_device.hpp"
#include "workloads/generators/uniform_random.hpp"

namespace flashloom::preconditioner_test {
namespace {

DeviceConfig device(const std::function<void(DeviceConfig&)>& change = {}) {
  DeviceConfig config;
  config.nand.channels = 2;
  config.nand.ways = 2;
  config.nand.blocks = 512;
  config.nand.pages = 128;
  config.ftl.over_provisioning = 0.15;
  config.precondition = {.fill = 1, .steady = true, .drawn = true};
  config.verify = false;
  if (change) change(config);
  return config;
}

PreconditionResult precondition(InstantDevice& device) {
  InstantHost host = device.host();
  return Preconditioner(device.config.precondition, 7, host, *device.firmware).run({});
}

// WAF of the next two capacity writes.
double next_waf(InstantDevice& device) {
  const FtlStatistics before = device.firmware->ftl().statistics();
  const std::uint64_t unit = device.firmware->unit_bytes();
  const std::uint64_t bytes = device.firmware->capacity_bytes() / unit * unit;
  UniformRandomSource source({.length = bytes, .request_size = unit, .requests = 2 * (bytes / unit), .seed = 5});
  InstantHost host = device.host();
  host.run(source);
  const FtlStatistics& after = device.firmware->ftl().statistics();
  return 1 + static_cast<double>(after.units_moved - before.units_moved) /
                 static_cast<double>(after.units_written - before.units_written);
}

void expect_steady_at_once(const DeviceConfig& config) {
  InstantDevice drawn(config);
  const PreconditionResult result = precondition(drawn);
  EXPECT_TRUE(result.drawn);
  EXPECT_TRUE(result.settled);
  EXPECT_EQ(result.passes, 0U) << "theory was missed: " << result.waf;
  drawn.firmware->ftl().check();
  DeviceConfig other = config;
  other.precondition.drawn = false;
  InstantDevice real(other);
  const PreconditionResult reached = precondition(real);
  EXPECT_FALSE(reached.drawn);
  EXPECT_EQ(result.filled_bytes, reached.filled_bytes);
  const double waf = next_waf(real);
  EXPECT_NEAR(next_waf(drawn), waf, 0.005 * waf);
}

TEST(DrawnSteadyState, IsThatOfOverwrites) { expect_steady_at_once(device()); }

TEST(DrawnSteadyState, WithLittleSpareSpace) {
  expect_steady_at_once(device([](DeviceConfig& config) { config.ftl.over_provisioning = 0.08; }));
}

TEST(DrawnSteadyState, WithLongProgramUnits) {
  expect_steady_at_once(device([](DeviceConfig& config) {
    config.nand.page_size = 16384;
    config.nand.planes = 2;
    config.nand.ways = 1;
  }));
}

TEST(DrawnSteadyState, IsReachedByOverwritesWhereTheoryIsOfOtherDevices) {
  for (const auto& change : std::vector<std::function<void(DeviceConfig&)>>{
           [](DeviceConfig& config) {
             config.ftl.garbage_collection = {"fifo", {}};
           },
           [](DeviceConfig& config) {
             config.ftl.kind = {"dftl", {}};
           },
           [](DeviceConfig& config) { config.ftl.gc_high = 5; },
           [](DeviceConfig& config) { config.ftl.gc_unit = "superblock"; },
           [](DeviceConfig& config) {
             config.ftl.streams = {"single", {}};
           },
           [](DeviceConfig& config) { config.verify = true; },
       }) {
    DeviceConfig config = device(change);
    config.nand.blocks = 64;
    InstantDevice asked(config);
    const PreconditionResult result = precondition(asked);
    EXPECT_FALSE(result.drawn);
    EXPECT_GT(result.passes, 0U);
    config.precondition.drawn = false;
    InstantDevice other(config);
    const PreconditionResult same = precondition(other);
    EXPECT_EQ(same.waf, result.waf);
    EXPECT_EQ(same.passes, result.passes);
    EXPECT_EQ(asked.media.digest(), other.media.digest());
  }
}

}  // namespace
}  // namespace flashloom::preconditioner_test
