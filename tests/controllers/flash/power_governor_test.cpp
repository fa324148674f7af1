#include "controllers/flash/power_governor.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/controllers/flash/flash_bench.hpp"
#include "tests/controllers/flash/power_watch.hpp"

namespace flashloom::power_governor_test {
namespace {

using enum FlashOperation;

NandConfig device(std::uint32_t channels, std::uint32_t ways) {
  NandConfig config;
  config.channels = channels;
  config.ways = ways;
  config.blocks = 8;
  config.pages = 16;
  return config;
}

/// A device under a power cap, with a PowerWatch on every channel.
struct Capped {
  Capped(const NandConfig& config, const PowerCap& power_cap, const std::string& name,
         const PolicyChoice& arbitration = {"read_first", {}})
      : cap(power_cap), bench(config, 4096, arbitration, name.c_str(), cap), watch(config) {
    for (std::uint32_t channel = 0; channel < config.channels; ++channel) bench.flash.attach(Channel{channel}, watch);
  }
  /// The device kept to the cap and to the bus protocol.
  void expect_kept() {
    bench.flash.settle(kernel_now());
    EXPECT_EQ(bench.protocol_errors(), std::vector<std::string>{});
    if (cap.dies != 0) {
      EXPECT_LE(watch.most_at_once(), static_cast<int>(cap.dies));
    }
    if (cap.watts != 0) {
      const double watched = watch.most_watts(cap.window, bench.geometry.dies);
      EXPECT_LE(watched, cap.watts * (1 + 1e-12));
      const double reported = bench.flash.most_watts(kernel_now());
      EXPECT_LE(reported, cap.watts);
      EXPECT_GE(reported, watched * (1 - 1e-9));
      // The watch does not see operations that are still under way, and the governor rounds up.
      EXPECT_NEAR(reported, watched, 0.02 * cap.watts);
    }
  }

  PowerCap cap;
  FlashBench bench;
  PowerWatch watch;
};

// Command cycles take 175 ns, tR 50 us. The second array begins as the first one ends; its command cycles run before
// that.
TEST(PowerGovernor, TheNextArrayBeginsAsTheLastEnds) {
  Capped capped(device(2, 1), {.dies = 1}, "flash");
  const OnfiCommand& first = capped.bench.submit(Read, 0, 0, 0);
  const OnfiCommand& second = capped.bench.submit(Read, 1, 0, 0);
  const OnfiCommand& third = capped.bench.submit(Program, 0, 0, 0);
  run_until(10 * kMillisecond);
  EXPECT_EQ(first.at.array_end, 50'175'000U);
  EXPECT_EQ(second.at.granted, 50'000'000U);
  EXPECT_EQ(second.at.array_begin, first.at.array_end);
  EXPECT_EQ(second.at.power_wait, 50'000'000U);
  EXPECT_EQ(first.at.power_wait, 0U);
  // The program first waits for its die, which sends data until 54.271 us, then for power: 100.175 - 4.271 of bus -
  // 54.271.
  EXPECT_EQ(third.at.array_begin, second.at.array_end);
  EXPECT_EQ(third.at.power_wait, 41'633'000U);
  EXPECT_EQ(capped.bench.flash.queue_wait(Program).power, 41'633'000U);
  capped.expect_kept();
}

// 400 mW over 100 us, of which others may book three quarters: six pieces of 300 mW, each 16.333 us, back to back. A
// program draws 82.467 mW above the standby of two dies, 66 uW. One begins at once, whatever is booked. The window that
// ends at 100 us holds 98 us of the others and 95.729 us of it, and may hold 32.727 us of a second one; later windows hold
// less.
TEST(PowerGovernor, ArraysWaitForPowerThatOthersHaveBooked) {
  Capped capped(device(2, 1), {.shared = 0.4, .window = 100 * kMicrosecond}, "flash");
  PowerBudget& budget = *capped.bench.flash.budget();
  EXPECT_EQ(budget.longest_piece(300'000), 16'666'666U);
  const Picoseconds piece = 16'333'333;
  for (Picoseconds i = 0; i != 6; ++i) EXPECT_EQ(budget.book(i * piece, 300'000, piece), i * piece);
  const OnfiCommand& first = capped.bench.submit(Program, 0, 0, 0);
  const OnfiCommand& second = capped.bench.submit(Program, 1, 0, 0);
  run_until(kMillisecond);
  EXPECT_EQ(first.at.array_begin, 4'271'000U);
  EXPECT_NEAR(static_cast<double>(second.at.array_begin), 67'273'000.0, 3000.0);
  capped.expect_kept();
}

// However much others book ahead, an operation of the arrays fits into every window.
TEST(PowerGovernor, OthersLeaveTheArraysAnOperation) {
  Capped capped(device(1, 1), {.shared = 0.12, .window = 100 * kMicrosecond}, "flash");
  PowerBudget& budget = *capped.bench.flash.budget();
  const Picoseconds piece = budget.longest_piece(100'000);
  Picoseconds booked = 0;
  while (booked < kMillisecond) booked = budget.book(booked, 100'000, piece) + piece;
  const OnfiCommand& program = capped.bench.submit(Program, 0, 0, 0);
  run_until(2 * kMillisecond);
  EXPECT_EQ(program.at.array_begin, 4'271'000U);
  capped.expect_kept();
}

// A read draws 3.3 V x 25 mA less the 33 uW of a die's standby; the cap has room for one and a half reads over tR.
TEST(PowerGovernor, EnergyLeavesTheWindowBeforeMoreIsDrawn) {
  const NandConfig config = device(2, 1);
  const double standby = 2 * 33e-6, read = 82.5e-3 - 33e-6;
  Capped capped(config, {.watts = standby + 1.5 * read, .window = 50 * kMicrosecond}, "flash");
  const OnfiCommand& first = capped.bench.submit(Read, 0, 0, 0);
  const OnfiCommand& second = capped.bench.submit(Read, 1, 0, 0);
  run_until(kMillisecond);
  // At 50.175 us the window holds all of the first read, whose energy then leaves as fast as that of the second comes.
  // Half of the second read may be drawn before.
  EXPECT_NEAR(static_cast<double>(second.at.array_begin), static_cast<double>(first.at.array_begin) + 25e6, 1e4);
  capped.expect_kept();
  EXPECT_GT(capped.watch.most_watts(capped.cap.window, 2), capped.cap.watts * 0.999);
}

/// Keeps `depth` random operations in flight: programs in page order, erases of full blocks.
class RandomLoad {
 public:
  RandomLoad(Capped& capped, std::uint32_t seed, std::uint32_t depth)
      : capped_(capped), random_(seed), next_page_(capped.bench.geometry.dies) {
    capped_.bench.on_complete = [this](OnfiCommand&) { next(); };
    for (std::uint32_t i = 0; i < depth; ++i) next();
  }

 private:
  void next() {
    const std::uint32_t die = random_() % capped_.bench.geometry.dies;
    const Origin origins[] = {Origin::Host, Origin::Gc, Origin::Map};
    OnfiCommand* command = nullptr;
    if (random_() % 3 != 0) {
      const std::uint32_t planes = capped_.bench.config.independent_planes;
      command = &capped_.bench.make(Read, die, planes == 1 ? 1 : 2 + random_() % planes, random_() % 16);
      command->origin = origins[random_() % 3];
      command->units = 1;
    } else if (next_page_[die] == 16) {
      next_page_[die] = 0;
      command = &capped_.bench.make(Erase, die, 0, 0);
    } else {
      command = &capped_.bench.make(Program, die, 0, next_page_[die]++);
    }
    capped_.bench.flash.submit(*command);
  }

  Capped& capped_;
  std::mt19937 random_;  // its sequence is fixed by the C++ standard
  std::vector<std::uint32_t> next_page_;
};

TEST(PowerGovernor, TheCapIsNeverExceeded) {
  NandConfig slow_bus = device(2, 4);
  slow_bus.transfer_rate = 50'000'000;  // data take longer than arrays: commands wait for the bus with power granted
  NandConfig quick = device(4, 2);
  quick.read_time = {3 * kMicrosecond, 7 * kMicrosecond};
  quick.read_current = 0.1;
  quick.erase_time = 200 * kMicrosecond;
  std::vector<std::unique_ptr<Capped>> all;
  std::vector<std::unique_ptr<RandomLoad>> loads;
  NandConfig bits = quick;
  bits.energy_model = "bits";
  bits.idle_power = 0.01;
  bits.program_time_spread = 0.3;
  bits.read_energy = {3e-9, 5e-9};
  for (const NandConfig& config : {device(4, 4), slow_bus, quick, bits}) {
    const std::uint32_t dies = config.channels * config.ways;
    std::vector<PowerCap> caps;
    for (const std::uint32_t n : {1U, 2U, dies / 2, dies}) caps.push_back({.dies = n});
    for (const Picoseconds window : {20 * kMicrosecond, 300 * kMicrosecond, 5 * kMillisecond}) {
      const double least = PowerGovernor::least_watts(config, dies, window);
      for (const double share : {1.0, 1.37, 2.5}) caps.push_back({.watts = least * share, .window = window});
      caps.push_back({.dies = 3, .watts = least * 1.5, .window = window});
    }
    for (const PowerCap& cap : caps)
      for (const char* const arbitration : {"fifo", "out_of_order"})
        all.push_back(
            std::make_unique<Capped>(config, cap, "flash" + std::to_string(all.size()), PolicyChoice{arbitration, {}}));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    loads.push_back(std::make_unique<RandomLoad>(*all[i], static_cast<std::uint32_t>(i), i % 2 == 0 ? 40 : 9));
  run_until(60 * kMillisecond);
  std::size_t operations = 0;
  for (const auto& capped : all) {
    capped->expect_kept();
    EXPECT_GT(capped->watch.operations(), 20U);  // no command is stuck
    operations += capped->watch.operations();
  }
  std::printf("%zu devices, %zu operations\n", all.size(), operations);
}

// Dies that overlap commands: data of one move while the array works for another, which may be suspended meanwhile.
TEST(PowerGovernor, TheCapIsNeverExceededByCommandsThatOverlap) {
  NandConfig cached = device(2, 3);
  cached.cache_read = cached.cache_program = true;
  cached.transfer_rate = 100'000'000;
  NandConfig suspended = device(2, 3);
  suspended.program_suspend = suspended.erase_suspend = true;
  suspended.suspend_interval = 20 * kMicrosecond;
  suspended.erase_current = 0.05;
  NandConfig both = cached;
  both.program_suspend = both.erase_suspend = true;
  both.ready_detection = "polling";
  both.program_resume_time = 40 * kMicrosecond;
  both.suspend_interval = 10 * kMicrosecond;
  NandConfig planes = device(2, 2);
  planes.planes = planes.independent_planes = 2;
  planes.program_suspend = planes.erase_suspend = true;
  std::vector<std::unique_ptr<Capped>> all;
  std::vector<std::unique_ptr<RandomLoad>> loads;
  for (const NandConfig& config : {cached, suspended, both, planes}) {
    const std::uint32_t dies = config.channels * config.ways;
    std::vector<PowerCap> caps;
    for (const std::uint32_t n : {1U, 2U, dies}) caps.push_back({.dies = n});
    for (const Picoseconds window : {20 * kMicrosecond, 300 * kMicrosecond, 5 * kMillisecond}) {
      const double least = PowerGovernor::least_watts(config, dies, window);
      for (const double share : {1.0, 1.37, 2.5}) caps.push_back({.watts = least * share, .window = window});
      caps.push_back({.dies = 2, .watts = least * 1.5, .window = window});
    }
    for (const PowerCap& cap : caps)
      for (const char* const arbitration : {"read_first", "out_of_order"})
        all.push_back(
            std::make_unique<Capped>(config, cap, "flash" + std::to_string(all.size()), PolicyChoice{arbitration, {}}));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    loads.push_back(std::make_unique<RandomLoad>(*all[i], static_cast<std::uint32_t>(i), i % 2 == 0 ? 40 : 9));
  run_until(60 * kMillisecond);
  OverlapCounts counts;
  for (const auto& capped : all) {
    capped->expect_kept();
    EXPECT_GT(capped->watch.operations(), 20U);  // no command is stuck
    counts += capped->bench.flash.overlap_counts();
  }
  EXPECT_GT(counts.cached_reads, 1000U);
  EXPECT_GT(counts.cached_programs, 100U);
  EXPECT_GT(counts.suspended_programs, 100U);
  EXPECT_GT(counts.suspended_erases, 100U);
  EXPECT_GT(counts.plane_reads, 100U);
}

// A suspended program gives its power to the read that suspended it, then to a read of another die; only then does the
// program resume with what is left of it.
TEST(PowerGovernor, WhatStandsGivesItsPowerBack) {
  NandConfig config = device(2, 1);
  config.program_suspend = true;
  Capped capped(config, {.dies = 1}, "flash");
  const OnfiCommand& program = capped.bench.submit(Program, 0, 0, 0);
  run_until(300 * kMicrosecond);
  const OnfiCommand& read = capped.bench.submit(Read, 0, 1, 0);
  const OnfiCommand& other = capped.bench.submit(Read, 1, 1, 0);
  run_until(10 * kMillisecond);
  EXPECT_EQ(capped.bench.flash.overlap_counts().suspended_programs, 1U);
  EXPECT_LT(read.at.array_end, program.at.resumed);
  // The other read's command cycles run before the first read's array ends.
  EXPECT_EQ(other.at.array_begin, read.at.array_end);
  EXPECT_GE(program.at.resumed, other.at.array_end);
  EXPECT_EQ(program.at.array_end - program.at.array_begin - program.at.suspended,
            600 * kMicrosecond + config.program_suspend_time + config.program_resume_time);
  capped.expect_kept();
}

// Under a cap of one array a cached page takes what it takes without a cap: the next page's data-in runs beside the
// array.
TEST(PowerGovernor, CacheProgramsOfADieShareItsPlace) {
  NandConfig config = device(1, 1);
  config.cache_program = true;
  config.cache_busy_time = 0;
  Capped capped(config, {.dies = 1}, "flash");
  for (std::uint32_t page = 0; page < 16; ++page) capped.bench.submit(Program, 0, 0, page);
  run_until(20 * kMillisecond);
  const Picoseconds in = capped.bench.timing.command_time(Program) + capped.bench.timing.data_time(4096);
  ASSERT_EQ(capped.bench.completed.size(), 16U);
  EXPECT_EQ(capped.bench.completed.back()->at.complete, in + 16 * 600 * kMicrosecond);
  capped.expect_kept();
}

// Energy arithmetic: a cap that keeps n arrays busy allows n / tR reads or n / tPROG programs a second.
TEST(PowerGovernor, ThroughputIsWhatTheCapAllows) {
  struct Case {
    FlashOperation operation;
    double busy;  // mean number of busy arrays
    std::unique_ptr<Capped> capped;
    std::vector<std::uint32_t> pages = std::vector<std::uint32_t>(16);
    std::uint64_t completed = 0;
  };
  constexpr Picoseconds kWarmUp = 20 * kMillisecond, kEnd = 120 * kMillisecond;
  NandConfig config = device(4, 4);
  config.blocks = 4;
  config.pages = 256;
  std::vector<std::unique_ptr<Case>> cases;
  for (const FlashOperation operation : {Read, Program})
    for (const double share : {0.5, 0.25})
      for (const Picoseconds window : {Picoseconds{0}, 200 * kMicrosecond, kMillisecond, 10 * kMillisecond}) {
        PowerCap cap;
        if (window == 0)
          cap.dies = static_cast<std::uint32_t>(16 * share);
        else
          cap = {.watts = 16 * 33e-6 + 16 * share * (82.5e-3 - 33e-6), .window = window};
        auto& one = *cases.emplace_back(std::make_unique<Case>());
        one.operation = operation;
        one.busy = 16 * share;
        one.capped = std::make_unique<Capped>(config, cap, "flash" + std::to_string(cases.size()));
        one.capped->bench.on_complete = [&one](OnfiCommand& done) {
          if (kernel_now() > kWarmUp && kernel_now() <= kEnd) ++one.completed;
          const std::uint32_t page = one.pages[done.address.die.value()]++;
          done.address.block = Block{page / 256 % 4};
          done.address.page = Page{page % 256};
          one.capped->bench.flash.submit(done);
        };
      }
  for (const auto& one : cases)
    for (std::uint32_t depth = 0; depth < 2; ++depth)
      for (std::uint32_t die = 0; die < 16; ++die) one->capped->bench.submit(one->operation, die, 0, one->pages[die]++);
  run_until(kEnd);
  for (const auto& one : cases) {
    const double array = one->operation == Read ? 50e-6 : 600e-6;
    const double measured = static_cast<double>(one->completed) / (static_cast<double>(kEnd - kWarmUp) * 1e-12);
    const double expected = one->busy / array;
    std::printf("%s, %.0f arrays, window %.1f ms: %.0f/s, energy allows %.0f: %+.2f %%\n",
                one->operation == Read ? "reads" : "programs", one->busy,
                static_cast<double>(one->capped->cap.window) * 1e-9, measured, expected,
                100 * (measured / expected - 1));
    EXPECT_NEAR(measured / expected, 1.0, 0.02);
    one->capped->expect_kept();
  }
}

TEST(PowerGovernor, DiesShareThePowerFairly) {
  Capped capped(device(4, 2), {.dies = 1}, "flash");
  std::vector<std::uint32_t> done(8);
  OnfiCommand* program = nullptr;
  std::size_t before_program = 0;
  capped.bench.on_complete = [&](OnfiCommand& command) {
    if (command.operation == Program) {
      before_program = capped.bench.completed.size();
      return;
    }
    ++done[command.address.die.value()];
    capped.bench.flash.submit(command);
  };
  for (int depth = 0; depth < 2; ++depth)
    for (std::uint32_t die = 1; die < 8; ++die) capped.bench.submit(Read, die, 0, 0);
  run_until(10 * kMillisecond);
  const auto [least, most] = std::minmax_element(done.begin() + 1, done.end());
  EXPECT_LE(*most - *least, 1U);
  // Reads go first, but pass a program of another die no more often than there are dies (and one may have been chosen).
  const std::size_t submitted = capped.bench.completed.size();
  program = &capped.bench.make(Program, 0, 0, 0);
  capped.bench.flash.submit(*program);
  run_until(30 * kMillisecond);
  EXPECT_EQ(program->status, FlashStatus::Good);
  ASSERT_NE(before_program, 0U);
  EXPECT_LE(before_program - submitted, 2U * 8 + 1);
  capped.expect_kept();
}

TEST(PowerGovernor, APowerCutForgetsWhoWaits) {
  Capped capped(device(2, 2), {.dies = 1, .watts = 0.2, .window = kMillisecond}, "flash");
  for (std::uint32_t die = 0; die < 4; ++die) capped.bench.submit(Program, die, 0, 0);
  run_until(100 * kMicrosecond);
  capped.bench.flash.power_cut(kernel_now());
  for (OnfiProtocolChecker& checker : capped.bench.checkers) checker.reset();
  run_until(5 * kMillisecond);
  EXPECT_TRUE(capped.bench.completed.empty());
  const OnfiCommand& read = capped.bench.submit(Read, 3, 1, 0);
  run_until(6 * kMillisecond);
  EXPECT_EQ(read.at.complete, 5 * kMillisecond + 54'271'000U);
}

// Energy by bits: a read of a 4 KiB page at 1 nJ/B takes 4.096 uJ, in 50 us 81.92 mW; a program at 10 nJ/B in 600 us
// 68.27 mW; an erase of 16 pages at 0.1 nJ/B in 3 ms 2.18 mW. Over a window of 600 us a program draws 68.27 mW, too,
// and a read 6.83.
TEST(PowerGovernor, TheLeastCapByBits) {
  NandConfig config = device(1, 2);
  config.energy_model = "bits";
  config.idle_power = 0.01;
  config.read_energy = {1e-9};
  config.program_energy = {10e-9};
  config.erase_energy = 0.1e-9;
  EXPECT_NEAR(PowerGovernor::least_watts(config, 2, 50 * kMicrosecond), 0.02 + 81.92e-3, 2e-6);
  EXPECT_NEAR(PowerGovernor::least_watts(config, 2, 600 * kMicrosecond), 0.02 + 68.267e-3, 2e-6);
  EXPECT_NEAR(PowerGovernor::least_watts(config, 2, 6 * kMillisecond), 0.02 + 6.8267e-3, 2e-6);
  config.program_time_spread = 0.5;  // the shortest program takes 300 us
  EXPECT_NEAR(PowerGovernor::least_watts(config, 2, 300 * kMicrosecond), 0.02 + 136.535e-3, 2e-6);
}

TEST(PowerGovernor, ACapBelowOneOperationIsAnError) {
  const NandConfig config = device(1, 2);
  const NandGeometry geometry(config, 4096);
  const NandTiming timing(config, geometry);
  NandMedia media(geometry, true, 0);
  const double least = PowerGovernor::least_watts(config, 2, kMillisecond);
  EXPECT_NEAR(least, 82.5e-3 + 33e-6, 2e-6);  // an erase, and the other die's standby
  EXPECT_NEAR(PowerGovernor::least_watts(config, 2, 6 * kMillisecond), 41.25e-3 + 50e-6, 4e-6);
  EXPECT_THROW(TimedFlash("low", config, timing, media, {"fifo", {}}, nullptr, 0,
                          {.watts = least * 0.99, .window = kMillisecond}),
               std::invalid_argument);
}

}  // namespace
}  // namespace flashloom::power_governor_test
