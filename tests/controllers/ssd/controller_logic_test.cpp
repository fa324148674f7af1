#include "controllers/ssd/controller_logic.hpp"

#include <gtest/gtest.h>

namespace flashloom::controller_logic_test {
namespace {

const ControllerConfig kConfig{.idle_power = 0.3, .byte_energy = 100e-12};

Picoseconds at_5_ms() { return 5 * kMillisecond; }

EnergyReport after(EnergyLedger& ledger, Picoseconds end) {
  ledger.finish(end);
  return ledger.report();
}

// 300 mW for 2 ms are 600 uJ; 4 KiB at 100 pJ a byte are 0.4096 uJ, at once over a link that takes no time.
TEST(ControllerLogic, IdlePowerAndBytesOverAnIdealLink) {
  EnergyLedger ledger;
  HostLink link("controller_logic_ideal", {.kind = "ideal"}, ledger);
  ControllerLogic logic(kConfig, ledger, link);
  logic.done(4096, kMillisecond);
  const EnergyReport report = after(ledger, 2 * kMillisecond);
  EXPECT_NEAR(report.background_j, 600e-6, 1e-15);
  EXPECT_NEAR(report.operations.at("controller").joules, 0.4096e-6, 1e-18);
  EXPECT_EQ(report.operations.at("controller").count, 4096U);
  EXPECT_EQ(report.components.at(0).kind, "controller");
  EXPECT_FALSE(ControllerConfig{}.present());
}

// SATA at 6 Gb/s carries 600 MB/s: 60 KiB in packets without overhead take 102.4 us, and draw 60 mW from when they cross
// the link, not when their command is done. What is no data costs nothing.
TEST(ControllerLogic, BytesDrawWhileTheyCrossTheLink) {
  EnergyLedger ledger(10 * kMicrosecond, true, &at_5_ms);
  HostLink link("controller_logic_sata", {.kind = "sata", .max_payload = 8192, .packet_overhead = 0}, ledger);
  ControllerLogic logic({.byte_energy = 100e-12}, ledger, link);
  PromptMemory& host = link;
  host.serve(true, kHostData, 61440, kMillisecond);
  host.serve(true, 0, 16, 2 * kMillisecond);
  host.serve(false, kHostData, 61440, 3 * kMillisecond);
  logic.done(61440, 4 * kMillisecond);
  EXPECT_NEAR(ledger.joules_until(kMillisecond), 0, 1e-15);
  EXPECT_NEAR(ledger.joules_until(kMillisecond + 51'200'000), 3.072e-6, 1e-11);
  EXPECT_NEAR(ledger.joules_until(3 * kMillisecond), 6.144e-6, 1e-15);
  EXPECT_NEAR(ledger.joules_until(4 * kMillisecond), 12.288e-6, 1e-15);
  const EnergyReport report = after(ledger, 5 * kMillisecond);
  EXPECT_EQ(report.operations.at("controller").count, 2U * 61440);
  EXPECT_NEAR(report.peak_w, 0.06, 1e-6);
}

// Commands whose data cross the link together, and are done together, draw the link's rate and no more.
TEST(ControllerLogic, CommandsThatAreDoneTogetherDrawNoBurst) {
  EnergyLedger ledger(10 * kMicrosecond, true, &at_5_ms);
  HostLink link("controller_logic_burst", {.kind = "sata", .max_payload = 8192, .packet_overhead = 0}, ledger);
  ControllerLogic logic({.byte_energy = 100e-12}, ledger, link);
  PromptMemory& host = link;
  for (int command = 0; command != 8; ++command) host.serve(true, kHostData, 61440, kMillisecond);
  for (int command = 0; command != 8; ++command) logic.done(61440, 2 * kMillisecond);
  const EnergyReport report = after(ledger, 5 * kMillisecond);
  EXPECT_EQ(report.operations.at("controller").count, 8U * 61440);
  EXPECT_NEAR(report.peak_w, 0.06, 1e-6);
}

}  // namespace
}  // namespace flashloom::controller_logic_test
