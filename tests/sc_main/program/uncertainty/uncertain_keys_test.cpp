#include "sc_main/program/uncertainty/uncertain_keys.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace flashloom::uncertain_keys_test {
namespace {

std::string reason(const DeviceConfig& config, const char* path) {
  return why_it_runs_again(config, *find_config_key(path));
}

// A part that is off is not counted, so that there is nothing to compute another value from.
DeviceConfig all_counted() {
  DeviceConfig config;
  config.link.transfer_energy = 5e-12;
  config.nand.plane_current_share = 0.5;
  config.power.regulator_efficiency = 0.9;
  config.controller.idle_power = 0.1;
  config.power.plp = true;
  config.power.plp_leakage = 1e-3;
  return config;
}

TEST(UncertainKeys, WhatIsOffIsNotCounted) {
  const char* const kSwitches[] = {"link.transfer_energy", "nand.plane_current_share", "power.regulator_efficiency",
                                   "controller.byte_energy"};
  for (const char* const path : kSwitches) {
    EXPECT_NE(reason({}, path), "") << path;
    EXPECT_EQ(reason(all_counted(), path), "") << path;
  }
}

TEST(UncertainKeys, HeatActsOnAllThatIsDrawnInTheDrive) {
  DeviceConfig config;
  config.thermal.model = "rc";
  EXPECT_NE(reason(config, "dram.background_power"), "");
  EXPECT_EQ(reason(config, "hdd.idle_power"), "");
  config.thermal.throttle = {};
  EXPECT_EQ(reason(config, "dram.background_power"), "");
  config.nand.errors.model = "power_law";
  EXPECT_NE(reason(config, "dram.background_power"), "");
}

TEST(UncertainKeys, ElectricalOnesFollowFromTheLedger) {
  const DeviceConfig config = all_counted();
  const std::set<std::string> plain = {"nand.plane_current_share", "nand.bus_activity", "nand.bus_strobes",
                                       "nand.bus_swing", "power.regulator_efficiency"};
  for (const ConfigKey& key : config_schema()) {
    const bool acts = key.path() == "power.cap" || key.path() == "power.plp_energy";
    const bool draws = is_electrical(key.quantity) || plain.count(key.path()) != 0;
    EXPECT_EQ(why_it_runs_again(config, key).empty(), draws && !acts) << key.path();
  }
}

TEST(UncertainKeys, ACapActsOnCurrentsOfTheFlash) {
  DeviceConfig config;
  config.power.cap = 1;
  EXPECT_NE(reason(config, "nand.program_current"), "");
  EXPECT_NE(reason(config, "nand.array_voltage"), "");
  EXPECT_EQ(reason(config, "dram.background_power"), "");
  config.power.cap = 0;
  config.power.states = {{.max_power = 2}};
  EXPECT_NE(reason(config, "nand.program_current"), "");
  config.power.states = {};
  config.power.cap_dies = 2;
  EXPECT_EQ(reason(config, "nand.program_current"), "");
}

TEST(UncertainKeys, CapacitorsActOnAllThatIsDrawn) {
  DeviceConfig config;
  config.power.plp = true;
  config.power.plp_energy = 0.01;
  EXPECT_EQ(reason(config, "dram.background_power"), "");
  config.power.cut_at = kMillisecond;
  EXPECT_NE(reason(config, "dram.background_power"), "");
  config.power.plp_energy = 0;
  EXPECT_EQ(reason(config, "dram.background_power"), "");
  config.power.plp_charge_efficiency = 0.9;
  EXPECT_NE(reason(config, "dram.background_power"), "");
}

TEST(UncertainKeys, AKeyGoesWithOneThatHasNoRange) {
  DeviceConfig config;
  const auto range = [&config](const char* path, const char* text) {
    config.ranges[path] = parse_range(*find_config_key(path), text);
  };
  range("nand.read_current", "-10 % to +10 % with nand.program_current");
  range("nand.erase_current", "-20 % to +20 % with nand.program_current");
  range("nand.bus_current", "-30 % to +30 %");
  const std::vector<UncertainGroup> groups = uncertain_groups(config);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].name, "nand.program_current");
  EXPECT_EQ(groups[0].keys.size(), 2U);
  EXPECT_EQ(groups[1].name, "nand.bus_current");
}

}  // namespace
}  // namespace flashloom::uncertain_keys_test
