// What a device must be to keep to the maximum power that it declares, and how that is split.
#include "sc_main/assembly/config/power_split.hpp"

#include <gtest/gtest.h>

#include "sc_main/assembly/config/load.hpp"
#include "tests/support/refused_keys.hpp"

namespace flashloom::power_split_test {
namespace {

const char* const kStates =
    "[power]\ncap_window = \"1 ms\"\n[[power.states]]\nmax_power = \"1 W\"\n[[power.states]]\nmax_power = \"1 mW\"\n"
    "[[power.states]]\noperational = false\nidle_power = \"500 uW\"\n";

TEST(PowerSplit, WhatCannotBeKeptIsRefused) {
  expect_refused(
      kStates,
      {{{"power.state=1"}, {"max_power 1 mW of power.state 1 is of the whole device", "cores 0.5 W", "at least "}},
       {{"dram.size=1 GiB", "dram.bandwidth=0 B/s", "dram.read_energy=1 pJ/B"}, {"power.states", "DRAM without limit"}},
       {{"power.cap_window=2 us"}, {"power.cap_window", "a mean over windows of 2 us", "at least 100 us"}},
       {{"power.cap_window=100 us", "link.max_payload=64 KiB", "link.transfer_energy=900 nJ/B"},
        {"power.cap_window", "a packet on the link takes ", "smaller packets"}},
       {{"power.states=[{max_power=\"1 W\"}, {operational=false, idle_power=\"2 W\"}]"},
        {"power.states", "is less than idle_power 2 W"}}});
  EXPECT_EQ(error_of(kStates, {}), "accepted");
}

// 16 channels of 8.25 mW and five cores of 100 mW, behind regulators of 80 %: 0.79 W are set aside of 1 W.
TEST(PowerSplit, PartsAndRestAddUp) {
  const DeviceConfig config = load_config_text(kStates, "device.toml", {"power.regulator_efficiency=0.8"}).device;
  const PowerSplit split = split_power(config, 1);
  double parts = 0;
  for (const PartPower& part : split.parts) parts += part.watts;
  EXPECT_NEAR(parts, 0.632, 1e-9);
  EXPECT_NEAR(split.rest, 0.632 / 0.8, 1e-9);
  EXPECT_NEAR(split.shared, (1 - 0.79) * 0.8, 1e-9);
}

}  // namespace
}  // namespace flashloom::power_split_test
