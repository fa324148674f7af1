#include "controllers/ssd/controller_logic.hpp"

#include <gtest/gtest.h>

namespace flashloom::controller_logic_test {
namespace {

// 300 mW for 2 ms and 4 KiB at 100 pJ: 600 and 0.4096 uJ.
TEST(ControllerLogic, IdlePowerAndBytes) {
  EnergyLedger ledger;
  ControllerLogic logic({.idle_power = 0.3, .byte_energy = 100e-12}, ledger);
  logic.moved(4096, kMillisecond);
  ledger.finish(2 * kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.background_j, 600e-6, 1e-15);
  EXPECT_NEAR(report.operations.at("controller").joules, 0.4096e-6, 1e-18);
  EXPECT_EQ(report.operations.at("controller").count, 4096U);
  EXPECT_EQ(report.components.at(0).kind, "controller");
  EXPECT_FALSE(ControllerConfig{}.present());
}

}  // namespace
}  // namespace flashloom::controller_logic_test
