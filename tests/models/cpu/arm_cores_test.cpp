#include "models/cpu/arm_cores.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace flashloom::arm_cores_test {
namespace {

CpuConfig one_gigahertz() {
  CpuConfig config;
  config.cores = 2;
  config.clock = 1'000'000'000;
  config.cycles = {300, 200, 60, 60, 80, 150, 100, 500};
  config.active_power = 0.25;
  config.idle_power = 0.02;
  return config;
}

TEST(ArmCores, DurationsAreCyclesOverClock) {
  EnergyLedger ledger;
  CpuConfig config = one_gigahertz();
  const ArmCores cores("cpu", config, ledger);
  EXPECT_EQ(cores.duration(FirmwareStep::CommandParse), 300 * kNanosecond);
  EXPECT_EQ(cores.duration(FirmwareStep::MapLookup, 4), 240 * kNanosecond);
  EXPECT_EQ(cores.duration(FirmwareStep::MapLookup, 0), 0U);

  // 667 MHz has no whole period: 3 x 80 cycles are 359,820.09 ps.
  config.clock = 667'000'000;
  EnergyLedger other;
  const ArmCores odd("odd", config, other);
  EXPECT_EQ(odd.duration(FirmwareStep::MapUpdate), 119'941U);  // 119,940.03
  EXPECT_EQ(odd.duration(FirmwareStep::MapUpdate, 3), 359'821U);
}

TEST(ArmCores, StepsHaveTheirCores) {
  EnergyLedger ledger;
  CpuConfig config = one_gigahertz();
  config.cores = 2;
  config.flash_core = 3;  // core 1: 3 modulo 2 cores
  const ArmCores cores("cpu", config, ledger);
  EXPECT_EQ(cores.core_of(FirmwareStep::CommandParse), 0U);
  EXPECT_EQ(cores.core_of(FirmwareStep::CommandComplete), 0U);
  EXPECT_EQ(cores.core_of(FirmwareStep::BufferLookup), 0U);
  EXPECT_EQ(cores.core_of(FirmwareStep::MapLookup), 1U);
  EXPECT_EQ(cores.core_of(FirmwareStep::MapUpdate), 1U);
  EXPECT_EQ(cores.core_of(FirmwareStep::VictimSelect), 1U);
  EXPECT_EQ(cores.core_of(FirmwareStep::FlashIssue), 1U);
  EXPECT_EQ(cores.core_of(FirmwareStep::FlashComplete), 1U);
}

TEST(ArmCores, ContendFirstComeFirstServed) {
  EnergyLedger ledger;
  ArmCores cores("cpu", one_gigahertz(), ledger);
  ArmCores::Job parse, complete, map;
  EXPECT_EQ(cores.announce(complete, FirmwareStep::CommandComplete, 1, 100 * kNanosecond), 300 * kNanosecond);
  EXPECT_EQ(cores.announce(parse, FirmwareStep::CommandParse, 1, 0), 300 * kNanosecond);
  EXPECT_EQ(complete.end, 500 * kNanosecond);
  EXPECT_EQ(cores.announce(map, FirmwareStep::MapUpdate, 2, 0), 160 * kNanosecond);  // another core
  sc_core::sc_start(kernel_time(300 * kNanosecond));
  EXPECT_FALSE(cores.finished(complete));
  EXPECT_TRUE(cores.finished(parse));
  EXPECT_EQ(cores.reserve(FirmwareStep::BufferLookup), 560 * kNanosecond);
  sc_core::sc_start(kernel_time(700 * kNanosecond));
  EXPECT_TRUE(cores.finished(complete));
  EXPECT_DOUBLE_EQ(cores.utilization(0, kMicrosecond), 0.56);
  EXPECT_DOUBLE_EQ(cores.utilization(1, kMicrosecond), 0.16);
  ledger.finish(kMicrosecond);
  const EnergyReport report = ledger.report();
  ASSERT_EQ(report.components.size(), 2U);
  EXPECT_EQ(report.components[0].name, "cpu.core0");
  EXPECT_EQ(report.components[0].kind, "cpu");
  EXPECT_EQ(report.components[0].states[1].residency, 560 * kNanosecond);
  EXPECT_EQ(report.components[1].states[1].residency, 160 * kNanosecond);
  EXPECT_NEAR(report.operations.at("cpu").joules, 0.25 * 720e-9, 1e-18);
  EXPECT_NEAR(report.background_j, 0.02 * 1280e-9, 1e-18);
}

TEST(ArmCores, PowerCutBreaksOff) {
  EnergyLedger ledger;
  ArmCores cores("cpu", one_gigahertz(), ledger);
  ArmCores::Job parse, pending;
  cores.announce(parse, FirmwareStep::CommandParse, 1, 0);
  cores.announce(pending, FirmwareStep::CommandParse, 1, 250 * kNanosecond);
  sc_core::sc_start(kernel_time(100 * kNanosecond));
  cores.drop_all();
  EXPECT_EQ(pending.end, kNever);
  EXPECT_EQ(cores.reserve(FirmwareStep::CommandParse), 400 * kNanosecond);
  EXPECT_DOUBLE_EQ(cores.utilization(0, 200 * kNanosecond), 1.0);
  ledger.finish(200 * kNanosecond);
  EXPECT_EQ(ledger.report().components.at(0).states.at(1).residency, 200 * kNanosecond);
}

TEST(ArmCores, IdealCostsNothing) {
  EnergyLedger ledger;
  CpuConfig config = one_gigahertz();
  config.ideal = true;
  ArmCores cores("cpu", config, ledger);
  ArmCores::Job job;
  EXPECT_EQ(cores.announce(job, FirmwareStep::CommandParse, 5, 70), 70U);
  EXPECT_FALSE(cores.finished(job));
  EXPECT_EQ(cores.reserve(FirmwareStep::CommandParse), 0U);
  EXPECT_EQ(cores.duration(FirmwareStep::CommandParse, 5), 0U);
  ledger.finish(100);
  EXPECT_TRUE(ledger.report().components.empty());
}

TEST(ArmCores, ImpossibleConfigurations) {
  EnergyLedger ledger;
  CpuConfig config = one_gigahertz();
  config.cores = 0;
  EXPECT_THROW(ArmCores("a", config, ledger), std::invalid_argument);
  config.cores = 1;
  config.clock = 0;
  EXPECT_THROW(ArmCores("b", config, ledger), std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::arm_cores_test
