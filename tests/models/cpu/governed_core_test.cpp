// Operating points, governor and sleep of a core, by hand. Times in microseconds: a thousand cycles at 1 GHz are one.
#include "models/cpu/governed_core.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "models/common/timer_queue.hpp"
#include "models/cpu/arm_cores.hpp"

namespace flashloom::governed_core_test {
namespace {

constexpr Picoseconds kUs = kMicrosecond;

CpuConfig three_points() {
  CpuConfig config;
  config.cores = 1;
  config.points = {{.clock = 250'000'000, .voltage = 0, .active_power = 0.02, .idle_power = 0.004},
                   {.clock = 500'000'000, .voltage = 0, .active_power = 0.06, .idle_power = 0.006},
                   {.clock = 1'000'000'000, .voltage = 0, .active_power = 0.2, .idle_power = 0.01}};
  config.sampling_interval = 100 * kUs;
  config.transition_latency = 5 * kUs;
  config.up_threshold = 0.8;
  config.down_threshold = 0.2;
  config.cycles = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  return config;
}

/// A core and its energy ledger, which reads the core's states when it is closed.
struct Bench {
  explicit Bench(const CpuConfig& c)
      : config(c),
        points(operating_points(config)),
        meter(ledger.add("core", "cpu", GovernedCore::power_figures(config, points))),
        core(config, points, meter, report) {
    ledger.before_finish([this](Picoseconds end) { core.close(end); });
    ledger.before_power_off([this](Picoseconds from, Picoseconds to) { core.power_off(from, to); });
  }
  /// Closes the ledger; returns the residencies of the states in ns.
  std::vector<Picoseconds> close(Picoseconds end) {
    ledger.finish(end);
    std::vector<Picoseconds> residencies;
    Picoseconds sum = 0;
    const EnergyReport books = ledger.report();
    for (const ComponentEnergy::State& state : books.components.at(0).states) {
      residencies.push_back(state.residency / kNanosecond);
      sum += state.residency;
    }
    EXPECT_EQ(sum, end);
    return residencies;
  }
  CpuConfig config;
  std::vector<OperatingPoint> points;
  EnergyLedger ledger;
  EnergyMeter& meter;
  ServiceReport report;
  GovernedCore core;
};

using Residencies = std::vector<Picoseconds>;

TEST(GovernedCore, AFixedPointIsAClock) {
  CpuConfig config = three_points();
  config.point = 1;
  Bench bench(config);
  EXPECT_EQ(bench.core.reserve(0, 1000, 0), 2 * kUs);
  EXPECT_EQ(bench.core.reserve(1 * kUs, 500, 0), 3 * kUs);
  EXPECT_EQ(bench.core.reserve(500 * kUs, 1000, 0), 502 * kUs);  // no samples: the operating point stays
  EXPECT_EQ(bench.core.transitions(), 0U);
  // p0 idle, busy, p1 idle, busy, p2 idle, busy, sleep, off
  EXPECT_EQ(bench.close(1000 * kUs), (Residencies{0, 0, 995'000, 5'000, 0, 0, 0, 0}));
  EXPECT_NEAR(bench.ledger.report().total_j, 0.006 * 995e-6 + 0.06 * 5e-6, 1e-15);
}

TEST(GovernedCore, ABusySampleTakesTheFastestPoint) {
  CpuConfig config = three_points();
  config.ondemand = true;
  Bench bench(config);
  // At 250 MHz 20,000 cycles are 80 us: exactly the upper threshold of the first sample.
  EXPECT_EQ(bench.core.reserve(0, 20'000, 0), 80 * kUs);
  // The sample ends at 100, and the clock changes until 105; then 1,000 cycles at 1 GHz.
  EXPECT_EQ(bench.core.reserve(101 * kUs, 1'000, 0), 106 * kUs);
  EXPECT_EQ(bench.core.transitions(), 1U);
  // In the sample from 100 to 200 the core was busy for 1 us: one step down at 200, another at 300; work of 310 begins
  // at once.
  EXPECT_EQ(bench.core.reserve(310 * kUs, 1'000, 0), 314 * kUs);
  EXPECT_EQ(bench.core.transitions(), 3U);
  EXPECT_EQ(bench.core.point(), 0U);
  EXPECT_EQ(bench.close(400 * kUs),
            (Residencies{20'000 + 10'000 + 86'000, 84'000, 100'000, 0, 5'000 + 94'000, 1'000, 0, 0}));
}

TEST(GovernedCore, LoadBelowTheThresholdStays) {
  CpuConfig config = three_points();
  config.ondemand = true;
  Bench bench(config);
  EXPECT_EQ(bench.core.reserve(0, 19'999, 0), 79'996 * kNanosecond);  // below 80 us
  EXPECT_EQ(bench.core.reserve(150 * kUs, 1'000, 0), 154 * kUs);
  EXPECT_EQ(bench.core.transitions(), 0U);
}

TEST(GovernedCore, WorkUnderWayIsNotChanged) {
  CpuConfig config = three_points();
  config.ondemand = true;
  Bench bench(config);
  // Busy from 0 on. The piece under way at 100 ends at 120; then the clock changes until 125.
  EXPECT_EQ(bench.core.reserve(0, 30'000, 0), 120 * kUs);
  EXPECT_EQ(bench.core.reserve(0, 5'000, 0), 130 * kUs);
  EXPECT_EQ(bench.core.point(), 2U);
  // In the sample from 100 to 200 the core was busy for 20 + 5 us, between the thresholds.
  EXPECT_EQ(bench.core.reserve(250 * kUs, 1'000, 0), 251 * kUs);
  EXPECT_EQ(bench.core.transitions(), 1U);
}

TEST(GovernedCore, LongIdleTimeEndsAtTheSlowestPoint) {
  CpuConfig config = three_points();
  config.ondemand = true;
  config.point = 2;
  Bench bench(config);
  EXPECT_EQ(bench.core.reserve(0, 1'000, 0), 1 * kUs);
  EXPECT_EQ(bench.core.reserve(3'600 * kSecond, 1'000, 0), 3'600 * kSecond + 4 * kUs);
  EXPECT_EQ(bench.core.transitions(), 2U);  // at 100 and 200 us
  const Residencies residencies = bench.close(3'601 * kSecond);
  EXPECT_EQ(residencies.at(4), 99'000U);
  EXPECT_EQ(residencies.at(2), 100'000U);
  EXPECT_EQ(residencies.at(1), 4'000U);
}

TEST(GovernedCore, SleepSavesPowerAndCostsTime) {
  CpuConfig config;
  config.active_power = 0.2;
  config.idle_power = 0.01;
  config.sleep_time = 50 * kUs;
  config.sleep_power = 0.001;
  config.wake_latency = 8 * kUs;
  Bench bench(config);
  EXPECT_EQ(bench.core.reserve(50 * kUs, 1'000, 0), 51 * kUs);    // idle for exactly the sleep time: not asleep yet
  EXPECT_EQ(bench.core.reserve(201 * kUs, 1'000, 0), 210 * kUs);  // asleep since 101; awake at 209
  EXPECT_EQ(bench.core.reserve(205 * kUs, 1'000, 0), 211 * kUs);
  EXPECT_EQ(bench.core.sleeps(), 1U);
  // The core sleeps again from 261 on.
  EXPECT_EQ(bench.close(1000 * kUs), (Residencies{50'000 + 50'000 + 8'000 + 50'000, 3'000, 100'000 + 739'000, 0}));
  EXPECT_NEAR(bench.ledger.report().total_j, 0.01 * 158e-6 + 0.2 * 3e-6 + 0.001 * 839e-6, 1e-15);
  EXPECT_NEAR(bench.ledger.report().background_j, 0.01 * 158e-6 + 0.001 * 839e-6, 1e-15);
}

TEST(GovernedCore, PendingWorkIsToldTheTruthWhenItHasCome) {
  CpuConfig config = three_points();
  Bench bench(config);
  GovernedCore::Job later, soon;
  later.arrival = 10 * kUs;
  later.duration = 1'000;
  EXPECT_EQ(bench.core.announce(later, 0), 11 * kUs);  // the prediction takes the fastest point
  soon.arrival = 9 * kUs;
  soon.duration = 1'000;
  EXPECT_EQ(bench.core.announce(soon, 0), 10 * kUs);
  EXPECT_FALSE(bench.core.finished(soon, 10 * kUs));
  EXPECT_EQ(soon.end, 13 * kUs);  // 250 MHz
  EXPECT_FALSE(bench.core.finished(later, 11 * kUs));
  EXPECT_EQ(later.end, 17 * kUs);
  EXPECT_TRUE(bench.core.finished(soon, 13 * kUs));
  EXPECT_TRUE(bench.core.finished(later, 17 * kUs));
}

TEST(GovernedCore, ThePowerIsOff) {
  CpuConfig config = three_points();
  config.point = 2;
  config.sleep_time = 50 * kUs;
  config.sleep_power = 0.001;
  Bench bench(config);
  EXPECT_EQ(bench.core.reserve(0, 10'000, 0), 10 * kUs);
  bench.ledger.power_off(100 * kUs, 300 * kUs);  // the device enters a low-power state; the core has slept since 60
  EXPECT_EQ(bench.core.reserve(320 * kUs, 10'000, 0), 330 * kUs);
  bench.core.drop_all(325 * kUs);
  bench.meter.truncate(325 * kUs);
  bench.ledger.power_off(325 * kUs, 400 * kUs);  // a power cut
  EXPECT_EQ(bench.core.reserve(400 * kUs, 1'000, 0), 401 * kUs);
  EXPECT_EQ(bench.core.busy_time(), 16 * kUs);
  EXPECT_EQ(bench.close(500 * kUs),
            (Residencies{0, 0, 0, 0, 50'000 + 20'000 + 50'000, 16'000, 40'000 + 49'000, 200'000 + 75'000}));
}

TEST(GovernedCore, ResidenciesAddToTheTimeWhateverHappens) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    CpuConfig config = three_points();
    config.ondemand = true;
    config.sleep_time = 30 * kUs;
    config.wake_latency = 3 * kUs;
    Bench bench(config);
    std::mt19937_64 random(seed);
    Picoseconds now = 0;
    Picoseconds end = 0;
    for (int i = 0; i < 5'000; ++i) {
      now += random() % (i % 1000 < 500 ? 8 * kUs : 150 * kUs);
      const Picoseconds done = bench.core.reserve(now, 1 + random() % 4'000, 0);
      ASSERT_GE(done, std::max(now, end));
      end = done;
      if (i % 997 == 0 && end < now + kUs) {
        bench.core.drop_all(now);
        bench.meter.truncate(now);
        bench.ledger.power_off(now, now + 70 * kUs);
        now += 70 * kUs;
        end = now;
      }
    }
    EXPECT_GT(bench.core.transitions(), 10U);
    EXPECT_GT(bench.core.sleeps(), 10U);
    bench.close(end + 10 * kUs);  // close() checks that the residencies add up
  }
}

TEST(GovernedCore, PowersFollowClockAndVoltage) {
  CpuConfig config;
  config.clock = 1'000'000'000;
  config.voltage = 1.0;
  config.active_power = 0.2;
  config.idle_power = 0.01;
  config.points = {{.clock = 500'000'000, .voltage = 0.8}, {.clock = 1'000'000'000, .voltage = 1.0}};
  for (OperatingPoint& point : config.points) point.active_power = point.idle_power = 0;
  const std::vector<OperatingPoint> points = operating_points(config);
  EXPECT_NEAR(points[0].active_power, 0.2 * 0.5 * 0.64, 1e-12);
  EXPECT_NEAR(points[0].idle_power, 0.01 * 0.64, 1e-12);
  EXPECT_NEAR(points[1].active_power, 0.2, 1e-12);
  config.point = 2;
  EnergyLedger ledger;
  EXPECT_THROW(ArmCores("cpu", config, ledger), std::invalid_argument);
}

TEST(ArmCores, GovernedCoresCountCycles) {
  CpuConfig config = three_points();
  config.point = 1;
  EnergyLedger ledger;
  ArmCores cores("cpu", config, ledger);
  EXPECT_EQ(cores.duration(FirmwareStep::MapLookup, 3), 3'000U);
  EXPECT_EQ(cores.reserve(FirmwareStep::MapLookup, 3), 6 * kUs);
  EXPECT_DOUBLE_EQ(cores.utilization(0, 12 * kUs), 0.5);
  EXPECT_TRUE(cores.governed());
  ledger.finish(12 * kUs);
  EXPECT_EQ(ledger.report().components.at(0).states.at(3).name, "p1_busy");
  EXPECT_EQ(ledger.report().components.at(0).states.at(3).residency, 6 * kUs);
}

TEST(ArmCores, StepsAreSpreadInTurn) {
  CpuConfig config;
  config.cores = 3;
  config.clock = 1'000'000'000;
  config.cycles = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  config.host_cores = {0, 2};
  config.ftl_cores = {1};
  config.flash_core = 1;
  EnergyLedger ledger;
  ArmCores cores("cpu", config, ledger);
  EXPECT_EQ(cores.reserve(FirmwareStep::CommandParse), 1 * kUs);  // core 0
  EXPECT_EQ(cores.reserve(FirmwareStep::BufferLookup), 1 * kUs);  // core 2
  EXPECT_EQ(cores.reserve(FirmwareStep::CommandParse), 2 * kUs);
  EXPECT_EQ(cores.reserve(FirmwareStep::MapLookup), 1 * kUs);
  EXPECT_EQ(cores.reserve(FirmwareStep::FlashIssue), 2 * kUs);
  ArmCores::Job job;
  EXPECT_EQ(cores.announce(job, FirmwareStep::CommandComplete, 1, 0), 2 * kUs);
  EXPECT_EQ(job.server, 2U);
  sc_core::sc_start(kernel_time(2 * kUs));
  EXPECT_TRUE(cores.finished(job));
  EXPECT_DOUBLE_EQ(cores.utilization(0, 2 * kUs), 1.0);
  EXPECT_DOUBLE_EQ(cores.utilization(1, 2 * kUs), 1.0);
  EXPECT_DOUBLE_EQ(cores.utilization(2, 2 * kUs), 1.0);
}

TEST(ArmCores, AffinityGoesByTheKey) {
  CpuConfig config;
  config.cores = 4;
  config.clock = 1'000'000'000;
  config.cycles = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000};
  config.flash_cores = {1, 3};
  config.spread = "affinity";
  EnergyLedger ledger;
  ArmCores cores("cpu", config, ledger);
  EXPECT_EQ(cores.reserve(FirmwareStep::FlashIssue, 1, 4), 1 * kUs);  // core 1
  EXPECT_EQ(cores.reserve(FirmwareStep::FlashIssue, 1, 6), 2 * kUs);
  EXPECT_EQ(cores.reserve(FirmwareStep::FlashComplete, 1, 7), 1 * kUs);  // core 3
  EXPECT_EQ(cores.reserve(FirmwareStep::CommandParse, 1, 7), 1 * kUs);   // its only core
  EXPECT_DOUBLE_EQ(cores.utilization(1, 2 * kUs), 1.0);
  EXPECT_DOUBLE_EQ(cores.utilization(3, 2 * kUs), 0.5);
  config.flash_cores = {4};
  EnergyLedger other;
  EXPECT_THROW(ArmCores("more", config, other), std::invalid_argument);
}

// Steps of 9 and 1 us by turns: in turn, one core gets all the long ones, 54 us of work. By hand, cores that are done
// at (9, 0), (9, 1), (9, 10), (10, 10), (19, 10), ... end together at 30 us.
TEST(ArmCores, LeastLoadedLeavesNoCoreIdleBesideAQueue) {
  for (const bool governed : {false, true}) {
    for (const Picoseconds arrival : {0 * kUs, 5 * kUs}) {
      CpuConfig config;
      config.cores = 2;
      config.clock = 1'000'000'000;
      config.cycles = {9000, 1000};
      config.host_cores = {0, 1};
      if (governed) config.sleep_time = kSecond;
      const auto servers = [&](const char* spread) {
        config.spread = spread;
        EnergyLedger ledger;
        ArmCores cores(sc_core::sc_gen_unique_name("cpu"), config, ledger);
        std::array<ArmCores::Job, 12> jobs;
        std::vector<std::uint32_t> found;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
          const FirmwareStep step = i % 2 == 0 ? FirmwareStep::CommandParse : FirmwareStep::CommandComplete;
          cores.announce(jobs[i], step, 1, arrival);
          found.push_back(jobs[i].server);
        }
        return found;
      };
      EXPECT_EQ(servers("round_robin"), (std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
      EXPECT_EQ(servers("least_loaded"), (std::vector<std::uint32_t>{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
    }
  }
}

}  // namespace
}  // namespace flashloom::governed_core_test
