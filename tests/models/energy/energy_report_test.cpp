#include "models/energy/energy_report.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "models/energy/energy_ledger.hpp"

namespace flashloom::energy_report_test {
namespace {

PowerFigures memory(double standby, double read) {
  return {{{"standby", standby, kBackground}}, {{"read", read, "dram.read"}}};
}

// 2 ms of standby, 1,000 bytes read: 10 mW and 100 pJ/B make 20 uJ + 0.1 uJ; 30 mW and 50 pJ/B make 60 uJ + 0.05 uJ.
TEST(RecomputedEnergy, TakesOtherFigures) {
  EnergyLedger ledger;
  ledger.add("dram", "dram", memory(0.01, 100e-12)).count(0, 1000, kMillisecond);
  ledger.finish(2 * kMillisecond);
  const EnergyReport books = ledger.report();
  EXPECT_NEAR(books.total_j, 20.1e-6, 1e-18);
  const EnergyReport anew = recomputed_energy(books, [](const ComponentEnergy&) { return memory(0.03, 50e-12); });
  EXPECT_NEAR(anew.total_j, 60.05e-6, 1e-18);
  EXPECT_NEAR(anew.background_j, 60e-6, 1e-18);
  EXPECT_NEAR(anew.operations.at("dram.read").joules, 0.05e-6, 1e-20);
  EXPECT_EQ(anew.operations.at("dram.read").count, 1000U);
  EXPECT_NEAR(anew.average_w, 30.025e-3, 1e-15);
  EXPECT_EQ(anew.components.at(0).states.at(0).residency, books.components.at(0).states.at(0).residency);
}

TEST(RecomputedEnergy, OfTheSameFiguresIsTheSame) {
  EnergyLedger ledger;
  EnergyMeter& meter = ledger.add("dram", "dram", memory(0.0123, 7e-11));
  meter.count(0, 12345, kMicrosecond);
  meter.off(300 * kMicrosecond, 400 * kMicrosecond);
  ledger.finish(kMillisecond + 1);
  const EnergyReport books = ledger.report();
  const EnergyReport anew = recomputed_energy(books, [](const ComponentEnergy&) { return memory(0.0123, 7e-11); });
  EXPECT_EQ(anew.total_j, books.total_j);
  EXPECT_EQ(anew.background_j, books.background_j);
  EXPECT_EQ(anew.average_w, books.average_w);
}

TEST(RecomputedEnergy, RefusesFiguresOfAnotherComponent) {
  EnergyLedger ledger;
  ledger.add("dram", "dram", memory(0.01, 0));
  ledger.finish(kMillisecond);
  EXPECT_THROW(recomputed_energy(ledger.report(), [](const ComponentEnergy&) { return PowerFigures{}; }),
               std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::energy_report_test
