#include "sc_main/uncertainty/uncertain_keys.hpp"

#include <gtest/gtest.h>

namespace flashloom::uncertain_keys_test {
namespace {

std::string reason(const DeviceConfig& config, const char* path) {
  return why_it_runs_again(config, *find_config_key(path));
}

TEST(UncertainKeys, ElectricalOnesFollowFromTheLedger) {
  const DeviceConfig config;
  for (const ConfigKey& key : config_schema()) {
    const bool acts = key.path() == "power.cap" || key.path() == "power.plp_energy";
    EXPECT_EQ(why_it_runs_again(config, key).empty(), is_electrical(key.quantity) && !acts) << key.path();
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
