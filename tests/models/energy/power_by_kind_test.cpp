#include "models/energy/power_by_kind.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <vector>

#include "models/energy/energy_ledger.hpp"

namespace flashloom::power_by_kind_test {
namespace {

using Watts = std::vector<double>;

// 4 W in [0.5 us, 2.25 us), and 1 uJ at 3 us.
PowerTrace trace_of(const TraceWindow& window) {
  PowerTrace trace(window);
  trace.add_change(500 * kNanosecond, 4, 0);
  trace.add_change(2250 * kNanosecond, -4, 0);
  trace.add_change(3 * kMicrosecond, 0, 1e-6 * 1e12);
  return trace;
}

TEST(PowerTrace, StepsOfAnyWidth) {
  EXPECT_EQ(trace_of({}).series(4 * kMicrosecond).watts, (Watts{2, 4, 1, 1}));
  EXPECT_EQ(trace_of({.step = 2 * kMicrosecond}).series(4 * kMicrosecond).watts, (Watts{3, 1}));
  EXPECT_EQ(trace_of({.step = 2 * kMicrosecond}).series(4 * kMicrosecond).joules(), 8e-6);
}

TEST(PowerTrace, AWindowBeginsAndEndsAnywhere) {
  const TraceWindow window{.from = 1 * kMicrosecond, .to = 3 * kMicrosecond};
  EXPECT_EQ(trace_of(window).series(kMillisecond).watts, (Watts{4, 1}));
  EXPECT_EQ(trace_of(window).series(2 * kMicrosecond).watts, Watts{4}) << "the run ended before the window";
  EXPECT_TRUE(trace_of(window).series(1 * kMicrosecond).watts.empty());
  // 4 W in three quarters of the last step.
  const TraceWindow within{.from = 1500 * kNanosecond, .to = 2500 * kNanosecond, .step = kMicrosecond};
  EXPECT_EQ(trace_of(within).series(kMillisecond).watts, Watts{3});
  // Power that goes on when the window ends is counted up to the end.
  const TraceWindow cut{.from = 0, .to = 2 * kMicrosecond, .step = 800 * kNanosecond};
  EXPECT_EQ(trace_of(cut).series(kMillisecond).watts, (Watts{1.5, 4, 4}));
}

TEST(PowerTrace, NoSliverAtTheEnd) {
  const PowerSeries series = trace_of({}).series(3 * kMicrosecond + 10 * kNanosecond);
  ASSERT_EQ(series.watts.size(), 3U);
  EXPECT_DOUBLE_EQ(series.watts[2], 2 / 1.01) << "1 uJ of the power, 1 uJ of the instant";
}

TEST(PowerTrace, ALimitBoundsTheSteps) {
  const TraceWindow window{.from = 1 * kMicrosecond, .limit = 2};
  EXPECT_EQ(window.end(), 3 * kMicrosecond);
  EXPECT_EQ(trace_of(window).series(kSecond).watts, (Watts{4, 1}));
  EXPECT_EQ((TraceWindow{.from = kNever - 5}.end()), kNever);
  EXPECT_EQ((TraceWindow{.from = 0, .to = 2 * kMicrosecond, .limit = 2}.end()), 2 * kMicrosecond);
}

// A die and a DRAM without power from 6 us to 8 us, worked by hand in bins of 2 us.
TEST(PowerByKind, WorkedByHand) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", {{"idle", 0.5, kBackground}, {"read", 2.5, "nand.read"}});
  ledger.record_kinds(TraceWindow{.step = 2 * kMicrosecond});
  EnergyMeter& dram = ledger.add("dram", "dram", {{"standby", 0.25, kBackground}}, {{"read", 1e-9, "dram.read"}});
  ledger.add("die1", "nand", {{"idle", 0.5, kBackground}});
  die.busy(1, 1 * kMicrosecond, 9 * kMicrosecond);
  dram.count(0, 4000, 2 * kMicrosecond, 4 * kMicrosecond);  // 2 W
  ledger.power_off(6 * kMicrosecond, 8 * kMicrosecond);
  ledger.finish(10 * kMicrosecond);
  const PowerByKind power = ledger.power_trace();
  EXPECT_EQ(power.kinds, (std::vector<std::string>{"nand", "dram"}));
  ASSERT_EQ(power.watts.size(), 2U);
  EXPECT_EQ(power.watts[0], (Watts{2, 3, 3, 0, 1}));
  EXPECT_EQ(power.watts[1], (Watts{0.25, 2.25, 0.25, 0, 0.25}));
  EXPECT_EQ(power.total, (Watts{2.25, 5.25, 3.25, 0, 1.25}));
  EXPECT_THROW(ledger.power_by_kind(), std::logic_error);

  const PowerByKind coarse = power.coarser(2);  // three bins become one, and the last bin takes the rest
  EXPECT_EQ(coarse.bins.count, 2U);
  EXPECT_EQ(coarse.begin_of(1), 6 * kMicrosecond);
  EXPECT_EQ(coarse.watts[0], (Watts{8.0 / 3, 0.5}));
  EXPECT_EQ(power.coarser(5).total, power.total);
}

TEST(PowerByKind, OnlyFromTheBegin) {
  EnergyLedger ledger;
  EnergyMeter& die = ledger.add("die0", "nand", {{"idle", 0.5, kBackground}, {"read", 2.5, "nand.read"}});
  EXPECT_THROW(ledger.power_trace(), std::logic_error);
  die.busy(1, 0, 10);
  EXPECT_THROW(ledger.record_kinds(), std::logic_error);
}

TEST(PowerByKind, SwitchedOffThereIsNone) {
  EnergyLedger ledger(kMillisecond, false);
  ledger.add("die0", "nand", {{"idle", 0.5, kBackground}});
  ledger.record_kinds();
  ledger.finish(kMillisecond);
  EXPECT_TRUE(ledger.power_by_kind().kinds.empty());
}

// Random meters of three kinds with reservations ahead, counted operations, a cut, and an end within a reservation: in
// each bin the kinds add up to the device's power, and over all bins to the ledger's energy.
RC_GTEST_PROP(PowerByKind, StacksAddToTheDevice, ()) {
  EnergyLedger ledger, without;
  const Picoseconds end = *rc::gen::inRange<Picoseconds>(1, 100 * kMicrosecond);
  const Picoseconds cut = *rc::gen::inRange<Picoseconds>(0, end);
  const Picoseconds back = *rc::gen::inRange<Picoseconds>(cut, end + 1);
  ledger.record_kinds();
  ledger.record_kinds(TraceWindow{.step = *rc::gen::inRange<Picoseconds>(kNanosecond * 100, 5 * kMicrosecond)});
  const auto meters = *rc::gen::inRange(1, 7);
  for (int m = 0; m < meters; ++m) {
    const std::string kind = m % 3 == 0 ? "nand" : m % 3 == 1 ? "dram" : "link";
    const std::vector<PowerState> states = {{"idle", *rc::gen::inRange(0, 1000) * 1e-3, kBackground},
                                            {"busy", *rc::gen::inRange(0, 5000) * 1e-3, "row"}};
    const std::vector<PowerOperation> operations = {{"op", *rc::gen::inRange(0, 1000) * 1e-10, "row"}};
    EnergyMeter* both[] = {&ledger.add(std::to_string(m), kind, states, operations),
                           &without.add(std::to_string(m), kind, states, operations)};
    Picoseconds at = 0;
    bool off = false;
    for (auto events = *rc::gen::inRange(0, 20); events != 0; --events) {
      at += *rc::gen::inRange<Picoseconds>(0, 8 * kMicrosecond);
      const Picoseconds length = *rc::gen::inRange<Picoseconds>(0, 8 * kMicrosecond);
      const auto n = *rc::gen::inRange<std::uint64_t>(0, 1000);
      const bool now_off = !off && at + length > cut;
      for (EnergyMeter* meter : both) {
        meter->busy(1, at, at + length);
        meter->count(0, n, at, at + length);
        if (now_off) meter->off(cut, back);
      }
      at = now_off ? std::max(at, back) : at + length;
      off |= now_off;
    }
  }
  ledger.finish(end);
  without.finish(end);
  const EnergyReport report = ledger.report(), other = without.report();
  RC_ASSERT(report.total_j == other.total_j);
  RC_ASSERT(report.peak_w == other.peak_w);
  RC_ASSERT(report.power.watts == other.power.watts);
  const PowerByKind power = ledger.power_by_kind();
  RC_ASSERT(power.total == report.power.watts);
  for (std::size_t i = 0; i < power.bins.count; ++i) {
    double sum = 0;
    for (const Watts& kind : power.watts) sum += kind[i];
    RC_ASSERT(std::abs(sum - power.total[i]) <= 1e-9 * power.total[i] + 1e-12);
  }
  const PowerByKind trace = ledger.power_trace(), few = trace.coarser(7);
  RC_ASSERT(few.bins.count <= 7U);
  for (const PowerByKind* finer : {&trace, &few}) {
    double joules = 0;
    for (std::size_t i = 0; i < finer->bins.count; ++i)
      joules += finer->total[i] * static_cast<double>(finer->bins.width_of(i)) * 1e-12;
    RC_ASSERT(std::abs(joules - report.total_j) <= 1e-9 * report.total_j + 1e-16);
  }
}

}  // namespace
}  // namespace flashloom::power_by_kind_test
