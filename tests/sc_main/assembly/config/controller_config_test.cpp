// [cpu] with operating points and shared cores, [controller], [dram] and [host] by their kinds: values read, defaulted
// and written back.
#include <gtest/gtest.h>

#include <string>

#include "controllers/host/host_drivers.hpp"
#include "models/memory/dram_kinds.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/writer.hpp"

namespace flashloom::controller_config_test {
namespace {

DeviceConfig load(const std::string& text) { return load_config_text(text, "device.toml").device; }

void expect_round_trip(const DeviceConfig& device) {
  const std::string text = effective_toml(device);
  const DeviceConfig again = load(text);
  EXPECT_EQ(effective_toml(again), text);
  EXPECT_EQ(effective_json(again).dump(), effective_json(device).dump());
  EXPECT_EQ(again.sources, device.sources);
}

TEST(CpuConfig, PointsAndLists) {
  const DeviceConfig device = load(R"(
[cpu]
cores = 4
host_cores = [0, 3]
flash_cores = 2
spread = "affinity"
governor = "ondemand"
point = 1
up_threshold = "75 %"
sleep_time = "1 ms"
[[cpu.points]]
clock = "250 MHz"
active_power = "20 mW"
[[cpu.points]]
clock = "1 GHz"
voltage = "0.9 V"
active_power = "130 mW"
idle_power = "7 mW"
)");
  EXPECT_EQ(device.cpu.host_cores, (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(device.cpu.flash_cores, (std::vector<std::uint32_t>{2}));
  EXPECT_TRUE(device.cpu.ftl_cores.empty());
  EXPECT_EQ(device.cpu.spread, "affinity");
  EXPECT_TRUE(device.cpu.ondemand);
  ASSERT_EQ(device.cpu.points.size(), 2u);
  EXPECT_EQ(device.cpu.points[0].clock, 250'000'000u);
  EXPECT_EQ(device.cpu.points[0].idle_power, 0);
  EXPECT_EQ(device.cpu.points[1].voltage, 0.9);
  EXPECT_EQ(device.cpu.up_threshold, 0.75);
  expect_round_trip(device);
}

TEST(DramConfig, AKindBringsItsFiguresAndItsSource) {
  const DeviceConfig device = load(
      "[dram]\nread_energy = \"1 pJ/B\"\nkind = \"lpddr4_3200\"\nmodel = \"banked\"\n"
      "[dram.timing]\nbanks = 16\n");
  const DramConfig& known = find_dram_kind("lpddr4_3200")->defaults;
  EXPECT_TRUE(device.dram.banked);
  EXPECT_EQ(device.dram.size, known.size);
  EXPECT_EQ(device.dram.bandwidth, 12'800'000'000u);
  EXPECT_EQ(device.dram.timing.row_column, 18'125u);
  EXPECT_EQ(device.dram.timing.banks, 16u);   // the file's
  EXPECT_EQ(device.dram.read_energy, 1e-12);  // the file's, given before the kind
  EXPECT_EQ(device.dram.write_energy, known.write_energy);
  EXPECT_EQ(device.sources.at("dram.kind"), find_dram_kind("lpddr4_3200")->source);
  expect_round_trip(device);
}

TEST(ControllerConfig, LatenciesHaveSourcesAndRanges) {
  const DeviceConfig device = load(
      "[controller]\nread_latency = \"20 us\"\nread_page_latency = \"5 us\"\n"
      "[controller.source]\nread_latency = \"fitted\"\n[controller.uncertainty]\nread_latency = \"10 us to 25 us\"\n");
  EXPECT_EQ(device.controller.read_latency, 20 * kMicrosecond);
  EXPECT_EQ(device.controller.write_latency, 0);
  EXPECT_EQ(device.controller.read_page_latency, 5 * kMicrosecond);
  EXPECT_EQ(device.sources.at("controller.read_latency"), "fitted");
  EXPECT_EQ(device.ranges.at("controller.read_latency").low, 10e6);
  expect_round_trip(device);
}

TEST(HostConfig, ADriverBringsItsFiguresAndItsSource) {
  const DeviceConfig device = load("[host]\nsubmit_cost = \"2 us\"\ndriver = \"kernel\"\n");
  EXPECT_EQ(device.host.submit_cost, 2 * kMicrosecond);  // the file's
  EXPECT_EQ(device.host.complete_cost, find_host_driver("kernel")->complete_cost);
  EXPECT_EQ(device.sources.at("host.driver"), find_host_driver("kernel")->source);
  expect_round_trip(device);
}

TEST(DramConfig, WithoutAKindItIsWhatTheFileSays) {
  const DeviceConfig device = load("[dram]\nsize = \"64 MiB\"\n");
  EXPECT_EQ(device.dram.kind, "custom");
  EXPECT_FALSE(device.dram.banked);
  EXPECT_EQ(device.dram.bandwidth, 0u);
  EXPECT_EQ(device.sources.count("dram.kind"), 0u);
}

}  // namespace
}  // namespace flashloom::controller_config_test
