#include "models/channel/bus_energy.hpp"

#include <gtest/gtest.h>

#include "models/nand/nand_config.hpp"
#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::bus_energy_test {
namespace {

NandConfig wires() {
  NandConfig config;
  config.channels = 1;
  config.ways = 4;
  config.blocks = 4;
  config.pages = 8;
  config.bus_energy_model = "capacitance";
  config.io_voltage = 2;
  config.bus_activity = 0.5;
  config.bus_strobes = 2;
  config.bus_capacitance = 4e-12;
  config.bus_die_capacitance = 2e-12;
  config.standby_current = config.read_current = config.program_current = 0;
  return config;
}

// Half of 8 lines change, and 2 strobes: 6 transitions a byte of 12 pF (4, and 4 dies of 2) at 2 V, 24 pJ each: 144
// pJ/B.
TEST(BusEnergy, ClosedForm) {
  NandConfig config = wires();
  EXPECT_NEAR(bus_energy_per_byte(config), 144e-12, 1e-24);
  EXPECT_NEAR(bus_watts(config), 0.144, 1e-12);  // 1 GB/s
  config.bus_swing = 0.5;
  EXPECT_NEAR(bus_energy_per_byte(config), 72e-12, 1e-24);
  config.bus_swing = 1;
  config.io_voltage = 1;
  EXPECT_NEAR(bus_energy_per_byte(config), 36e-12, 1e-24);
  config.io_voltage = 2;
  config.bus_width = 16;  // 10 transitions move two bytes
  EXPECT_NEAR(bus_energy_per_byte(config), 120e-12, 1e-24);
  EXPECT_NEAR(bus_watts(config), 0.24, 1e-12);
  config.bus_width = 8;
  config.dies = 2;  // 8 dies: 20 pF
  EXPECT_NEAR(bus_energy_per_byte(config), 240e-12, 1e-24);
}

// A program moves a page of 4096 bytes and 128 of spare in, with 10 mW of terminations for the 4224 ns that they take;
// then power fails after a quarter of a read's data.
TEST(BusEnergy, BytesOnTheWiresCount) {
  NandConfig config = wires();
  config.transfer_spare = true;
  config.spare_size = 128;
  config.bus_termination_power = 0.01;
  ChannelBench bench("channel", config, 4096);
  bench.send_at(0, bench.make(FlashOperation::Program, 0, 0, 0));
  bench.send_at(kMillisecond, bench.make(FlashOperation::Read, 0, 0, 0));
  // Command cycles 175 ns, tR 50 us: data-out from 1050.175 us on.
  const Picoseconds cut = 1'050'175'000 + 1'056'000;
  bench.call_at(cut, [&] {
    bench.channel.power_cut(cut);
    for (NandDie& die : bench.dies) die.power_cut(cut);
    bench.checker.reset();
  });
  run_until(2 * kMillisecond);
  bench.ledger.finish(2 * kMillisecond);
  const EnergyReport report = bench.ledger.report();
  const OperationEnergy& row = report.operations.at("nand.transfer");
  EXPECT_EQ(row.count, 4'224U + 1'056U);
  EXPECT_NEAR(row.joules, 5'280 * 144e-12 + 5.28e-6 * 0.01, 1e-18);
  for (const ComponentEnergy& component : report.components) {
    if (component.kind != "channel") continue;
    EXPECT_EQ(component.states.at(1).residency, 350 * kNanosecond);  // commands
    EXPECT_EQ(component.states.at(2).residency, 5'280 * kNanosecond);
  }
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
}

}  // namespace
}  // namespace flashloom::bus_energy_test
