#include "controllers/ssd/thermal_control.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "models/memory/memory_port.hpp"
#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::thermal_control_test {
namespace {

/// Three bodies of 1 J/K, each with its own 1 K/W to 25 C: they cool and warm as one RC with a time constant of 1 s.
ThermalConfig one_second() {
  ThermalConfig config;
  config.model = "rc";
  config.ambient = 25;
  config.controller_capacity = config.nand_capacity = config.board_capacity = 1;
  config.controller_to_ambient = config.nand_to_ambient = config.board_to_ambient = 1;
  config.start_temperatures = {90, 90, 90};
  config.throttle = {76, 82};
  config.duty = {0.5, 0.1};
  config.link = {1, 0.25};
  config.hysteresis = 4;
  return config;
}

/// A device that draws no power itself, and a heater.
struct Heated {
  explicit Heated(const ThermalConfig& thermal)
      : config(thermal),
        bench(dark(), 4096, {"fifo", {}}, "flash", {}, config.period),
        link("link", LinkConfig{}, bench.ledger),
        port("port"),
        heater(bench.ledger.add("heater", "cpu", {{"off", 0, kBackground}, {"on", 20, "heat"}})),
        control(config, {}, bench.ledger, bench.flash, link, nullptr) {
    port.socket.bind(link.socket);
  }
  static NandConfig dark() {
    NandConfig config;
    config.channels = config.ways = 1;
    config.blocks = 8;
    config.pages = 16;
    config.read_current = config.program_current = config.erase_current = config.bus_current = 0;
    config.standby_current = 0;
    return config;
  }
  /// Calls look() every 10 ms from now until `until`.
  void look_until(Picoseconds until) {
    while (kernel_now() < until) {
      run_until(kernel_now() + 10 * kMillisecond);
      control.look(kernel_now());
    }
  }

  ThermalConfig config;
  FlashBench bench;
  HostLink link;
  MemoryPort port;
  EnergyMeter& heater;
  ThermalControl control;
};

// T = 25 + 65 e^-t: 78 C after ln(65 / 53) = 0.204 s, 72 C after ln(65 / 47) = 0.324 s. The control looks every 10 ms.
TEST(ThermalControl, FallsALevelBelowItsHysteresis) {
  Heated heated(one_second());
  heated.control.begin(0);
  EXPECT_EQ(heated.control.level(), 2U);
  heated.look_until(200 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 2U);
  EXPECT_NEAR(heated.control.composite(kernel_now()), 25 + 65 * std::exp(-0.2), 1e-9);
  heated.look_until(210 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 1U);
  heated.look_until(320 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 1U);
  heated.look_until(330 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 0U);
  heated.look_until(kSecond);
  heated.bench.ledger.finish(kSecond);
  const ThermalStatistics statistics = heated.control.statistics();
  EXPECT_EQ(statistics.at_level,
            (std::vector<Picoseconds>{670 * kMillisecond, 120 * kMillisecond, 210 * kMillisecond}));
  EXPECT_EQ(statistics.transitions, 2U);
  EXPECT_NEAR(statistics.mean[1], 25 + 65 * (1 - std::exp(-1)), 1e-6);
  EXPECT_EQ(statistics.highest[1], 90);
  EXPECT_NEAR(statistics.out_j, -statistics.stored_j, 1e-9);
  EXPECT_EQ(statistics.heat_j, 0);
}

// 20 W into a controller with 1 K/W heat it towards 45 C; from 30 C it is at 40 C after ln(15 / 5) = 1.0986 s.
TEST(ThermalControl, RisesAtItsTemperatureAndNotBefore) {
  ThermalConfig config = one_second();
  config.start_temperatures = {30, 30, 30};
  config.controller_to_board = config.nand_to_board = 1e4;
  config.throttle = {40};
  config.duty = {0.5};
  config.link = {1};
  Heated heated(config);
  heated.control.begin(0);
  heated.heater.change(1, 0);
  heated.look_until(1090 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 0U);
  heated.look_until(1110 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 1U);
  heated.heater.change(0, kernel_now());
  heated.bench.ledger.finish(kernel_now());
  const ThermalStatistics statistics = heated.control.statistics();
  EXPECT_NEAR(statistics.heat_j, 20 * 1.11, 1e-9);
  EXPECT_NEAR(statistics.heat_j, statistics.out_j + statistics.stored_j, 1e-9);
}

// The control does not look for a second: one step over the gap is as exact as many.
TEST(ThermalControl, NeedsNobodyToLookWhileNothingHappens) {
  Heated heated(one_second());
  heated.control.begin(0);
  sc_core::sc_start();
  EXPECT_EQ(kernel_now(), 0U);  // no event was pending
  run_until(kSecond);
  heated.control.look(kernel_now());
  EXPECT_NEAR(heated.control.composite(kernel_now()), 25 + 65 * std::exp(-1), 1e-9);
  EXPECT_EQ(heated.control.level(), 0U);
}

TEST(ThermalControl, StartsAsWarmAsTheIdleDeviceIs) {
  ThermalConfig config = one_second();
  config.start_temperatures = {};
  Heated heated(config);
  EnergyMeter& idle = heated.bench.ledger.add("idle", "regulator", {{"idle", 3, kBackground}});
  EXPECT_EQ(idle.idle_watts(), 3);
  const PerNode expected = ThermalNetwork(config).steady({LinkConfig{}.idle_power, 0, 3});
  heated.control.begin(0);
  for (std::size_t node = 0; node < kThermalNodes; ++node)
    EXPECT_NEAR(heated.control.celsius(0)[node], expected[node], 1e-9);
}

// A power cut makes the firmware forget its level; the drive cools for exactly the time that it is off.
TEST(ThermalControl, CoolsWhileItIsOff) {
  Heated heated(one_second());
  heated.control.begin(0);
  run_until(100 * kMillisecond);
  heated.bench.flash.power_cut(kernel_now());
  heated.control.power_cut(kernel_now());
  EXPECT_EQ(heated.control.level(), 0U);
  heated.bench.ledger.power_off(kernel_now(), kernel_now() + 100 * kMillisecond);
  run_until(200 * kMillisecond);
  heated.control.power_on(kernel_now());
  EXPECT_NEAR(heated.control.composite(kernel_now()), 25 + 65 * std::exp(-0.2), 1e-9);  // 78.2 C
  EXPECT_EQ(heated.control.level(), 1U);  // above 76, below 82: there is no former level to stay at
  heated.control.hold_up();
  EXPECT_EQ(heated.control.level(), 0U);
  heated.look_until(250 * kMillisecond);
  EXPECT_EQ(heated.control.level(), 0U);
}

}  // namespace
}  // namespace flashloom::thermal_control_test
