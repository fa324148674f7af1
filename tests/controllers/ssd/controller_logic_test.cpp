#include "controllers/ssd/controller_logic.hpp"

#include <gtest/gtest.h>

namespace flashloom::controller_logic_test {
namespace {

// 300 mW for 2 ms are 600 uJ; 4 KiB at 100 pJ a byte are 0.4096 uJ.
TEST(ControllerLogic, IdlePowerAndBytes) {
  EnergyLedger ledger;
  ControllerLogic logic({.idle_power = 0.3, .byte_energy = 100e-12}, ledger, 0);
  logic.moved(4096, kMillisecond);
  ledger.finish(2 * kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.background_j, 600e-6, 1e-15);
  EXPECT_NEAR(report.operations.at("controller").joules, 0.4096e-6, 1e-18);
  EXPECT_EQ(report.operations.at("controller").count, 4096U);
  EXPECT_EQ(report.components.at(0).kind, "controller");
  EXPECT_FALSE(ControllerConfig{}.present());
}

// 4 KiB on a link of 4.096 GB/s take 1 us: at 100 pJ a byte they draw 0.4096 W in the 1 us before they are done.
TEST(ControllerLogic, BytesDrawForTheirTimeOnTheLink) {
  EnergyLedger ledger(
      10 * kMicrosecond, true, +[]() -> Picoseconds { return kMillisecond; });
  ControllerLogic logic({.idle_power = 0, .byte_energy = 100e-12}, ledger, 4'096'000'000);
  logic.moved(4096, kMillisecond);
  EXPECT_NEAR(ledger.joules_until(kMillisecond - kMicrosecond), 0, 1e-15);
  EXPECT_NEAR(ledger.joules_until(kMillisecond - kMicrosecond / 2), 0.2048e-6, 1e-12);
  EXPECT_NEAR(ledger.joules_until(kMillisecond), 0.4096e-6, 1e-15);
  ledger.finish(kMillisecond);
  EXPECT_EQ(ledger.report().operations.at("controller").count, 4096U);
  EXPECT_LE(ledger.report().peak_w, 0.4096 / 10 * 1.01);  // 1 us of 10
}

// Bytes whose time on the link would begin before the run draw their energy from the start of the run on.
TEST(ControllerLogic, NothingIsDrawnBeforeTheRun) {
  EnergyLedger ledger(
      10 * kMicrosecond, true, +[]() -> Picoseconds { return kMicrosecond; });
  ControllerLogic logic({.idle_power = 0, .byte_energy = 100e-12}, ledger, 1'000'000);
  logic.moved(4096, kMicrosecond);
  ledger.finish(2 * kMicrosecond);
  EXPECT_EQ(ledger.report().operations.at("controller").count, 4096U);
}

}  // namespace
}  // namespace flashloom::controller_logic_test
