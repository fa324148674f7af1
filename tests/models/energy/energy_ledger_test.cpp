#include "models/energy/energy_ledger.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

namespace flashloom::energy_ledger_test {
namespace {

std::vector<PowerState> nand_states() {
  return {{"idle", 33e-6, kBackground}, {"read", 0.0825, "nand.read"}, {"program", 0.0825, "nand.program"}};
}

double near(double x) { return 1e-12 * std::abs(x); }

// One page read, one program of a 3.3 V, 25 mA die (0.0825 W) with 10 uA standby (33 uW), over 1 ms:
// read 40 us -> 3.3 uJ, program 500 us -> 41.25 uJ, idle 460 us -> 15.18 nJ.
TEST(EnergyLedger, ScenarioOneDie) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  die.busy(1, 100 * kMicrosecond, 140 * kMicrosecond);
  die.busy(2, 200 * kMicrosecond, 700 * kMicrosecond);
  ledger.finish(kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.operations.at("nand.read").joules, 3.3e-6, near(3.3e-6));
  EXPECT_NEAR(report.operations.at("nand.program").joules, 41.25e-6, near(41.25e-6));
  EXPECT_NEAR(report.background_j, 15.18e-9, near(15.18e-9));
  EXPECT_NEAR(report.total_j, 44.56518e-6, near(44.56518e-6));
  EXPECT_NEAR(report.average_w, 44.56518e-3, near(44.56518e-3));
  EXPECT_EQ(report.peak_window, kMillisecond);
  EXPECT_NEAR(report.peak_w, report.average_w, 1e-12);  // one window
  EXPECT_EQ(report.operations.at("nand.read").intervals, 1U);
  EXPECT_EQ(report.operations.count(kBackground), 0U);
  const ComponentEnergy& component = report.components.at(0);
  ASSERT_EQ(component.states.size(), 4U);
  EXPECT_EQ(component.states[0].residency, 460 * kMicrosecond);
  EXPECT_EQ(component.states[1].residency, 40 * kMicrosecond);
  EXPECT_EQ(component.states[2].residency, 500 * kMicrosecond);
  EXPECT_EQ(component.states[3].name, "off");
  EXPECT_EQ(component.states[3].residency, 0U);
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
}

// What is done after the end, as an audit reads all data back, is in no book.
TEST(EnergyLedger, NothingIsBookedAfterTheEnd) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states(), {{"access", 1e-6, "nand.access"}});
  die.busy(1, 100 * kMicrosecond, 140 * kMicrosecond);
  ledger.finish(kMillisecond);
  const EnergyReport before = ledger.report();
  die.count(0, 1000, 2 * kMillisecond);
  die.busy(2, 2 * kMillisecond, 3 * kMillisecond);
  const EnergyReport after = ledger.report();
  EXPECT_EQ(after.total_j, before.total_j);
  EXPECT_EQ(after.peak_w, before.peak_w);
  EXPECT_EQ(after.power.watts, before.power.watts);
  EXPECT_EQ(after.operations.count("nand.access"), 0U);
}

// The ledger begins at 150 us and splits bookings that reach over that instant, whether they were reported before
// (program) or are reported afterwards (read, off).
TEST(EnergyLedger, BooksThatBeginLater) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states(), {{"access", 1e-6, "nand.access"}});
  die.busy(2, 10 * kMicrosecond, 30 * kMicrosecond);
  die.busy(2, 140 * kMicrosecond, 200 * kMicrosecond);
  die.count(0, 5, 10 * kMicrosecond);
  EnergyMeter& other = ledger.add("die1", "nand", nand_states());
  ledger.begin(150 * kMicrosecond);
  die.count(0, 3, 160 * kMicrosecond);
  die.busy(1, 60 * kMicrosecond, 90 * kMicrosecond);
  other.busy(1, 120 * kMicrosecond, 170 * kMicrosecond);
  other.off(130 * kMicrosecond, 180 * kMicrosecond);  // takes the read back from 130 us on
  ledger.finish(kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_EQ(report.begin, 150 * kMicrosecond);
  const ComponentEnergy& first = report.components.at(0);
  EXPECT_EQ(first.states[0].residency, 800 * kMicrosecond);
  EXPECT_EQ(first.states[1].residency, 0U);
  EXPECT_EQ(first.states[2].residency, 50 * kMicrosecond);
  EXPECT_EQ(first.operations[0].count, 3U);
  const ComponentEnergy& second = report.components.at(1);
  EXPECT_EQ(second.states[0].residency, 820 * kMicrosecond);
  EXPECT_EQ(second.states[1].residency, 0U);
  EXPECT_EQ(second.states[3].residency, 30 * kMicrosecond);
  EXPECT_NEAR(report.total_j, 0.0825 * 50e-6 + 33e-6 * 1620e-6 + 3e-6, 1e-15);
}

// A core by change() (0.02 W idle, 0.25 W busy: 30 of 100 us busy -> 7.5 uJ, 70 us idle -> 1.4 uJ) and a DRAM by
// counted bytes (8192 at 50 pJ, 4096 at 60 pJ -> 0.4096 + 0.24576 uJ) over a background of 0.1 W (10 uJ).
TEST(EnergyLedger, ScenarioCoreAndDram) {
  EnergyLedger ledger;
  EnergyMeter& core = ledger.add("core0", "cpu", {{"idle", 0.02, kBackground}, {"busy", 0.25, "cpu"}});
  EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.1, kBackground}},
                                 {{"read", 50e-12, "dram.read"}, {"write", 60e-12, "dram.write"}});
  core.change(1, 10 * kMicrosecond);
  core.change(0, 20 * kMicrosecond);
  core.change(1, 80 * kMicrosecond);  // still busy at the end
  dram.count(0, 4096, 5 * kMicrosecond);
  dram.count(0, 4096, 6 * kMicrosecond);
  dram.count(1, 4096, 7 * kMicrosecond);
  ledger.finish(100 * kMicrosecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.operations.at("cpu").joules, 7.5e-6, near(7.5e-6));
  EXPECT_NEAR(report.operations.at("dram.read").joules, 0.4096e-6, near(0.4096e-6));
  EXPECT_NEAR(report.operations.at("dram.write").joules, 0.24576e-6, near(0.24576e-6));
  EXPECT_EQ(report.operations.at("dram.read").count, 8192U);
  EXPECT_NEAR(report.background_j, 11.4e-6, near(11.4e-6));
  EXPECT_NEAR(report.total_j, 19.55536e-6, near(19.55536e-6));
  EXPECT_EQ(report.components.at(0).states.at(0).residency, 70 * kMicrosecond);
  EXPECT_EQ(report.components.at(1).states.at(0).residency, 100 * kMicrosecond);
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
}

// Power is cut at 300 us in a program reserved to 700 us, and returns at 400 us; the run ends at 1 ms in a read
// reserved to 1.01 ms: program 100 us -> 8.25 uJ, read 10 us -> 0.825 uJ, off 100 us, idle 790 us -> 26.07 nJ.
TEST(EnergyLedger, ScenarioPowerCut) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  die.busy(2, 200 * kMicrosecond, 700 * kMicrosecond);
  die.busy(1, 700 * kMicrosecond, 740 * kMicrosecond);  // reserved behind the program: never begins
  ledger.power_off(300 * kMicrosecond, 400 * kMicrosecond);
  die.busy(1, 990 * kMicrosecond, 1010 * kMicrosecond);
  ledger.finish(kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_NEAR(report.operations.at("nand.program").joules, 8.25e-6, near(8.25e-6));
  EXPECT_NEAR(report.operations.at("nand.read").joules, 0.825e-6, near(0.825e-6));
  EXPECT_NEAR(report.background_j, 26.07e-9, near(26.07e-9));
  const ComponentEnergy& component = report.components.at(0);
  EXPECT_EQ(component.states.at(0).residency, 790 * kMicrosecond);
  EXPECT_EQ(component.states.at(1).residency, 10 * kMicrosecond);
  EXPECT_EQ(component.states.at(2).residency, 100 * kMicrosecond);
  EXPECT_EQ(component.states.at(3).residency, 100 * kMicrosecond);
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
  // While power is off the device draws nothing: bin 350 (about 367 us) lies in that time.
  EXPECT_EQ(report.power.watts.at(350), 0.0);
}

// A memory's transfers are reserved ahead: 1,000 bytes in [10 us, 20 us), 600 in [30 us, 40 us). A cut at 15 us cancels
// what would be moved later, and so does the end of the run.
TEST(EnergyLedger, WhatIsNotTransferredCostsNothing) {
  for (const bool cut : {false, true}) {
    EnergyLedger ledger;
    EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.0, kBackground}}, {{"read", 1e-9, "dram.read"}});
    dram.count(0, 1000, 10 * kMicrosecond, 20 * kMicrosecond);
    dram.count(0, 600, 30 * kMicrosecond, 40 * kMicrosecond);
    if (cut) ledger.power_off(15 * kMicrosecond, 17 * kMicrosecond);
    EXPECT_NEAR(ledger.joules_until(12 * kMicrosecond), 200e-9, 1e-18);
    ledger.finish(35 * kMicrosecond);
    const EnergyReport report = ledger.report();
    EXPECT_EQ(report.components.at(0).operations.at(0).count, cut ? 500U : 1300U);
    EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
    const Picoseconds width = report.power.bins.width;
    EXPECT_NEAR(report.power.watts.at(15 * kMicrosecond / width + 1), cut ? 0 : 0.1, 1e-9);
    for (const double watts : report.power.watts) EXPECT_LE(watts, 0.1 + 1e-9) << "1,000 nJ in 10 us";
  }
}

// The ledger begins within a burst of 10 operations; two cuts follow, the second one at an earlier time: 7 of the 10
// operations are left, then 5.
TEST(EnergyLedger, OperationsAreSplitWhereTheBooksBegin) {
  EnergyLedger ledger;
  EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.0, kBackground}}, {{"read", 1e-9, "dram.read"}});
  dram.count(0, 10, 0, 100);
  ledger.begin(30);
  dram.count(0, 10, 25, 35);  // reported after begin()
  dram.truncate(79);
  EXPECT_EQ(dram.counted(0), 17U);
  dram.truncate(60);
  EXPECT_EQ(dram.counted(0), 15U);
  ledger.finish(100);
  EXPECT_EQ(ledger.report().components.at(0).operations.at(0).count, 15U - 3 - 5);
}

// Bursts that take no time, or are faster than the record takes as power, count at their begin.
TEST(EnergyLedger, ABurstInNoTime) {
  EnergyLedger ledger;
  EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.0, kBackground}}, {{"read", 1e-9, "dram.read"}});
  dram.count(0, 1000, 1 * kMicrosecond, 1 * kMicrosecond);
  dram.count(0, 1000, 5 * kMicrosecond, 5 * kMicrosecond + 10);
  dram.count(0, 1000, 9 * kMicrosecond, 9 * kMicrosecond);
  ledger.finish(9 * kMicrosecond);
  EXPECT_EQ(dram.counted(0), 2000U);
  EXPECT_NEAR(ledger.report().power.joules(), 2e-6, 1e-18);
  EXPECT_NEAR(ledger.report().total_j, 2e-6, 1e-18);
}

TEST(EnergyLedger, CutInChangeStyle) {
  EnergyLedger ledger;
  EnergyMeter& core = ledger.add("core0", "cpu", {{"idle", 1.0, kBackground}, {"busy", 3.0, "cpu"}});
  core.change(1, 10);
  core.off(30, 50);
  core.change(1, 60);
  core.change(0, 100);
  ledger.finish(80);
  const ComponentEnergy component = ledger.report().components.at(0);
  EXPECT_EQ(component.states.at(0).residency, 20U);
  EXPECT_EQ(component.states.at(1).residency, 40U);
  EXPECT_EQ(component.states.at(2).residency, 20U);
}

TEST(EnergyLedger, OffBeyondTheEndIsCut) {
  EnergyLedger ledger;
  EnergyMeter& core = ledger.add("core0", "cpu", {{"idle", 1.0, kBackground}});
  core.off(10, 20);
  core.off(60, 150);
  ledger.finish(100);
  const EnergyReport report = ledger.report();
  EXPECT_EQ(report.components.at(0).states.at(0).residency, 50U);
  EXPECT_EQ(report.components.at(0).states.at(1).residency, 50U);
  EXPECT_NEAR(report.power.joules(), 50e-12, 1e-20);
}

TEST(EnergyLedger, OverlapBreaksTheResidencyLaw) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  die.busy(1, 0, 80);
  die.busy(2, 40, 100);
  EXPECT_THROW(ledger.finish(100), std::logic_error);
}

Picoseconds present = 0;
Picoseconds at_present() { return present; }

// A power cut takes back all reservations of a memory, however far ahead they are.
TEST(EnergyLedger, AnyNumberOfReservationsCanBeCut) {
  present = 1002;
  EnergyLedger ledger(kMillisecond, true, at_present);
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  for (Picoseconds i = 0; i < 1000; ++i) die.busy(1, 1000 + 10 * i, 1005 + 10 * i);
  EXPECT_EQ(die.residency(1), 5000U);
  die.truncate(1002);
  EXPECT_EQ(die.residency(1), 2U);
  die.truncate(1001);
  EXPECT_EQ(die.residency(1), 1U);
}

TEST(EnergyLedger, WhatIsOverIsForgotten) {
  present = 0;
  EnergyLedger ledger(kMillisecond, true, at_present);
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  for (; present < 1'000'000; present += 10) die.busy(1, present + 40, present + 45);  // four reservations lie ahead
  EXPECT_EQ(die.remembers(), EnergyMeter::kRemembered);
  EXPECT_THROW(die.truncate(500), std::logic_error);
}

TEST(EnergyLedger, AdjoiningReservationsAreOne) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", nand_states());
  for (Picoseconds i = 0; i < 1000; ++i) die.busy(1, 10 * i, 10 * i + 10);
  die.truncate(55);
  EXPECT_EQ(die.residency(1), 55U);
}

TEST(EnergyLedger, SwitchedOffItDoesNothing) {
  EnergyLedger ledger(kMillisecond, false);
  EnergyMeter& die = ledger.add("die0", "nand", nand_states(), {{"read", 1.0, "x"}});
  die.busy(1, 0, 1000);
  die.change(2, 2000);
  die.count(0, 5, 10);
  die.off(3000, 4000);
  ledger.finish(5000);
  EXPECT_EQ(die.residency(1), 0U);
  EXPECT_EQ(die.counted(0), 0U);
  EXPECT_FALSE(ledger.report().enabled);
  EXPECT_EQ(ledger.report().total_j, 0.0);
}

TEST(EnergyLedger, SettlesLazyComponentsFirst) {
  EnergyLedger ledger;
  EnergyMeter& core = ledger.add("core0", "cpu", {{"idle", 1.0, kBackground}, {"busy", 3.0, "cpu"}});
  ledger.before_finish([&core](Picoseconds end) { core.busy(1, end - 10, end + 10); });
  ledger.finish(100);
  EXPECT_EQ(ledger.report().components.at(0).states.at(1).residency, 10U);
}

TEST(EnergyLedger, Misuse) {
  EnergyLedger ledger;
  ledger.add("die0", "nand", nand_states());
  EXPECT_THROW(ledger.add("die0", "nand", nand_states()), std::invalid_argument);
  EXPECT_THROW(ledger.add("a", "nand", PowerFigures{}), std::invalid_argument);
  EXPECT_THROW(ledger.add("b", "nand", {{"idle", -1.0, kBackground}}), std::invalid_argument);
  EXPECT_THROW(ledger.add("c", "nand", nand_states(), {{"read", NAN, "x"}}), std::invalid_argument);
  EXPECT_THROW(ledger.report(), std::logic_error);
  ledger.finish(0);
  EXPECT_EQ(ledger.report().average_w, 0.0);
  EXPECT_THROW(ledger.finish(1), std::logic_error);
}

RC_GTEST_PROP(EnergyLedger, BooksClose, ()) {
  EnergyLedger ledger;
  const auto meters = *rc::gen::inRange(1, 6);
  const Picoseconds end = *rc::gen::inRange<Picoseconds>(1, 100'000'000);
  const Picoseconds cut = *rc::gen::inRange<Picoseconds>(0, end);
  const Picoseconds back = *rc::gen::inRange<Picoseconds>(cut, end + 1);
  for (int m = 0; m < meters; ++m) {
    EnergyMeter& meter = ledger.add(std::string(1, static_cast<char>('a' + m)), "nand",
                                    {{"idle", *rc::gen::inRange(0, 1000) * 1e-5, kBackground},
                                     {"a", *rc::gen::inRange(0, 1000) * 1e-3, "row.a"},
                                     {"b", *rc::gen::inRange(0, 1000) * 1e-3, m % 2 ? "row.b" : kBackground}},
                                    {{"op", *rc::gen::inRange(0, 1000) * 1e-10, "row.a"}});
    const bool by_change = *rc::gen::arbitrary<bool>();
    bool off = false;
    Picoseconds at = 0;
    const auto events = *rc::gen::inRange(0, 30);
    for (int e = 0; e < events; ++e) {
      at += *rc::gen::inRange<Picoseconds>(0, 10'000'000);
      if (!off && at >= cut) {
        meter.off(cut, back);
        off = true;
        at = std::max(at, back);
      }
      const auto state = *rc::gen::inRange<std::uint32_t>(1, 3);
      const Picoseconds length = *rc::gen::inRange<Picoseconds>(0, 10'000'000);
      if (by_change) {
        meter.change(state, at);
      } else {
        meter.busy(state, at, at + length);
        at += length;
      }
      meter.count(0, *rc::gen::inRange<std::uint64_t>(0, 100), std::min(at, end));
    }
    if (!off) meter.off(cut, back);
  }
  ledger.finish(end);
  const EnergyReport report = ledger.report();
  double components = 0;
  for (const ComponentEnergy& component : report.components) {
    Picoseconds time = 0;
    for (const auto& state : component.states) time += state.residency;
    RC_ASSERT(time == end);
    RC_ASSERT(component.states.back().residency == back - cut);
    components += component.joules;
  }
  double operations = report.background_j;
  for (const auto& [row, energy] : report.operations) operations += energy.joules;
  RC_ASSERT(std::abs(components - operations) <= 1e-12 * components);
  RC_ASSERT(report.total_j == components);
  // The record of power is exact to 0.2 pW.
  RC_ASSERT(std::abs(report.power.joules() - components) <= 1e-9 * components + 1e-16);
}

// No bin and no window shows more than all meters draw in their highest states with their fastest transfers, whatever
// is reserved beyond the end or taken back by a cut, also in runs shorter than the window.
RC_GTEST_PROP(EnergyLedger, PowerIsBoundedByWhatCanBeDrawn, ()) {
  const auto window = *rc::gen::inRange<Picoseconds>(10, 60) * kMicrosecond;
  EnergyLedger ledger(window);
  const Picoseconds end = *rc::gen::inRange<Picoseconds>(1, 100 * kMicrosecond);
  const Picoseconds cut = *rc::gen::inRange<Picoseconds>(0, end);
  const Picoseconds back = *rc::gen::inRange<Picoseconds>(cut, end + 1);
  double bound = 0;
  const auto meters = *rc::gen::inRange(1, 5);
  for (int m = 0; m < meters; ++m) {
    const double idle = *rc::gen::inRange(0, 1000) * 1e-3, busy = *rc::gen::inRange(0, 1000) * 1e-3;
    EnergyMeter& meter = ledger.add(std::to_string(m), "x", {{"idle", idle, kBackground}, {"busy", busy, "row"}},
                                    {{"byte", 1e-10, "row"}});
    bound += std::max(idle, busy);
    const bool counts = *rc::gen::arbitrary<bool>();
    const auto bytes_per_us = *rc::gen::inRange<std::uint64_t>(1, 10'000);
    if (counts) bound += static_cast<double>(bytes_per_us) * 1e-10 / 1e-6;
    Picoseconds at = 0;
    bool off = false;
    for (auto events = *rc::gen::inRange(0, 20); events != 0; --events) {
      at += *rc::gen::inRange<Picoseconds>(0, 8 * kMicrosecond);
      const auto us = *rc::gen::inRange<std::uint64_t>(1, 12);
      const Picoseconds to = at + us * kMicrosecond;
      meter.busy(1, at, to);
      if (counts) meter.count(0, us * bytes_per_us, at, to);
      at = to;
      if (!off && to > cut) {
        meter.off(cut, back);
        off = true;
        at = std::max(cut, back);
      }
    }
  }
  ledger.finish(end);
  const EnergyReport report = ledger.report();
  for (const double watts : report.power.watts) RC_ASSERT(watts <= bound + 1e-6);
  RC_ASSERT(report.peak_w <= bound + 1e-6);
  RC_ASSERT(report.average_w <= bound + 1e-6);
  if (end < window) RC_ASSERT(report.peak_w == report.average_w);
}

// 1,000 operations of 1 nJ take 10 us, 0.1 W: one power cut comes after 2.5 us, one after 3.3335 us, when 333 are done.
TEST(EnergyLedger, OperationsThatTakeTimeAreTakenBack) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", {{"idle", 0, kBackground}}, {{"byte", 1e-9, "nand.read"}});
  die.count(0, 1000, 10 * kMicrosecond, 20 * kMicrosecond);
  EXPECT_NEAR(ledger.joules_until(10 * kMicrosecond), 0, 1e-18);
  EXPECT_NEAR(ledger.joules_until(15 * kMicrosecond), 0.5e-6, 1e-18);
  EXPECT_NEAR(ledger.joules_until(30 * kMicrosecond), 1e-6, 1e-18);
  die.truncate(12'500 * kNanosecond);
  EXPECT_EQ(die.counted(0), 250U);
  die.count(0, 1000, 30 * kMicrosecond, 40 * kMicrosecond);
  die.off(33'333'500, 50 * kMicrosecond);
  EXPECT_EQ(die.counted(0), 583U);
  die.count(0, 7, 60 * kMicrosecond, 60 * kMicrosecond);                  // in no time
  die.count(0, 1'000'000'000, 70 * kMicrosecond, 70 * kMicrosecond + 1);  // so many in one tick
  ledger.finish(kMillisecond);
  const EnergyReport report = ledger.report();
  EXPECT_EQ(report.operations.at("nand.read").count, 1'000'000'590U);
  EXPECT_NEAR(report.total_j, 1.00000059, 1e-12);
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
}

TEST(EnergyLedger, BooksThatBeginLaterSplitOperationsThatTakeTime) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", {{"idle", 0, kBackground}}, {{"byte", 1e-9, "nand.read"}});
  die.count(0, 1000, 10 * kMicrosecond, 20 * kMicrosecond);
  ledger.begin(15 * kMicrosecond);
  die.count(0, 100, 5 * kMicrosecond, 25 * kMicrosecond);  // reported afterwards: half of it counts
  die.truncate(18 * kMicrosecond);                         // 800 of the first and 65 of the second are done
  ledger.finish(kMillisecond);
  EXPECT_EQ(ledger.report().operations.at("nand.read").count, 300U + 15U);
}

// The run ends within an operation.
TEST(EnergyLedger, TheEndOfTheRunCutsOperationsThatTakeTime) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", {{"idle", 0, kBackground}}, {{"byte", 1e-9, "nand.read"}});
  // many lie ahead of the end
  for (Picoseconds i = 0; i < 100; ++i) die.count(0, 10, i * kMicrosecond, (i + 1) * kMicrosecond);
  ledger.finish(50 * kMicrosecond + kMicrosecond / 2);
  EXPECT_EQ(ledger.report().operations.at("nand.read").count, 505U);
}

// Two parts of 1 W behind regulators of 80 %, one of 1 W beside them: the supply gives 1.25 + 1.25 + 1 W, less what the
// first part does not draw in the half of the time that it is off.
TEST(EnergyLedger, RegulatorsLoseAShare) {
  EnergyLedger ledger(kMillisecond, true, nullptr, 0.8);
  EnergyMeter& first = ledger.add("core0", "cpu", {{"idle", 1.0, kBackground}, {"busy", 3.0, "cpu"}});
  ledger.add("dram", "dram", {{"standby", 0.5, kBackground}}, {{"read", 0.5e-3, "dram.read"}})
      .count(0, 1, 1500 * kMicrosecond);
  ledger.add("hdd", "hdd", PowerFigures{.states = {{"idle", 1.0, kBackground}}, .regulated = false});
  first.busy(1, 0, kMillisecond);
  EXPECT_NEAR(ledger.joules_until(kMillisecond), (3 + 0.5) * 1.25e-3 + 0.625e-3 + 1e-3, 1e-12);
  EXPECT_NEAR(ledger.most_watts(), (3 + 0.5) * 1.25 + 1, 1e-12);
  first.off(kMillisecond, 2 * kMillisecond);
  ledger.finish(2 * kMillisecond);
  const EnergyReport report = ledger.report();
  const double behind = 3e-3 + 1e-3 + 0.5e-3;
  EXPECT_NEAR(report.operations.at("regulator").joules, behind / 4, 1e-15);
  EXPECT_NEAR(report.total_j, behind * 1.25 + 2e-3, 1e-15);
  EXPECT_NEAR(report.components.back().joules, behind / 4, 1e-15);
  EXPECT_EQ(report.components.back().kind, "regulator");
  EXPECT_NEAR(report.power.joules(), report.total_j, 1e-9 * report.total_j);
  EXPECT_NEAR(report.peak_w, 5.375, 5.375 * 3 / 400);  // the first millisecond (PeakWindow)
  double operations = report.background_j;
  for (const auto& [row, operation] : report.operations) operations += operation.joules;
  EXPECT_NEAR(operations, report.total_j, 1e-15);
  const EnergyReport anew = recomputed_energy(report, [](const ComponentEnergy& component) -> PowerFigures {
    if (component.kind == "cpu") return {{{"idle", 1.0, kBackground}, {"busy", 3.0, "cpu"}}};
    if (component.kind == "dram") return {{{"standby", 0.5, kBackground}}, {{"read", 0.5e-3, "dram.read"}}};
    if (component.kind == "hdd") return {.states = {{"idle", 1.0, kBackground}}, .regulated = false};
    return regulator_figures(0.5);
  });
  EXPECT_NEAR(anew.total_j, behind * 2 + 2e-3, 1e-15);
  EXPECT_THROW(EnergyLedger(kMillisecond, true, nullptr, 0), std::invalid_argument);
}

TEST(EnergyLedger, ARestingComponentIsNotBusy) {
  EnergyLedger ledger;
  EnergyMeter& link = ledger.add(
      "link", "link",
      PowerFigures{.states = {{"quiet", 1, kBackground}, {"moving", 2, "link"}, {"asleep", 0, kBackground, true}}});
  link.busy(1, 0, 10);
  link.busy(2, 20, 90);
  EXPECT_EQ(ledger.busy_until(), 10U);
}

}  // namespace
}  // namespace flashloom::energy_ledger_test
