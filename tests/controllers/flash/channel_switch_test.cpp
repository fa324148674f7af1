// Channel switches, worked by hand. Figures: command cycles of a read or a program 175 ns; tR 50 us, tPROG 600 us; a
// page 4096 ns on the bus; 10 us between starts on different channels.
#include "controllers/flash/channel_switch.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/block/latency_breakdown.hpp"
#include "tests/controllers/flash/flash_bench.hpp"

namespace flashloom::channel_switch_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kSwitch = 10 * kMicrosecond;

NandConfig switching(std::uint32_t channels, std::uint32_t ways) {
  NandConfig config;
  config.channels = channels;
  config.ways = ways;
  config.blocks = 8;
  config.pages = 16;
  config.channel_switch_time = kSwitch;
  return config;
}

// The staircase: four programs on four channels begin 10 us apart, and end so.
TEST(ChannelSwitch, ChannelsStartOneAfterTheOther) {
  FlashBench bench(switching(4, 1));
  std::vector<const OnfiCommand*> writes;
  for (std::uint32_t die = 0; die < 4; ++die) writes.push_back(&bench.submit(Program, die, 0, 0));
  EXPECT_EQ(bench.flash.pending(), 4U);
  for (std::uint32_t die = 0; die < 4; ++die) EXPECT_EQ(bench.flash.queued(Die{die}), 1U);
  run_until(kMillisecond);
  for (std::uint32_t die = 0; die < 4; ++die) {
    EXPECT_EQ(writes[die]->at.queued, 0U);
    EXPECT_EQ(writes[die]->at.switch_wait, die * kSwitch);
    EXPECT_EQ(writes[die]->at.granted, die * kSwitch);
    EXPECT_EQ(writes[die]->at.complete, die * kSwitch + bench.timing.unloaded_program());
  }
  EXPECT_EQ(bench.flash.pending(), 0U);
  EXPECT_EQ(bench.flash.queue_wait(Program).total, 6 * kSwitch);  // 0 + 10 + 20 + 30 us
}

// Ways of one channel follow each other at once; so do starts that lie apart anyway.
TEST(ChannelSwitch, OnlyOtherChannelsWait) {
  FlashBench bench(switching(2, 2));  // dies 0 and 2 on channel 0, die 1 on channel 1
  const OnfiCommand& a = bench.submit(Program, 0, 0, 0);
  const OnfiCommand& b = bench.submit(Program, 2, 0, 0);
  run_until(kSwitch);
  const OnfiCommand& c = bench.submit(Program, 1, 0, 0);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.granted, 0U);
  EXPECT_EQ(b.at.granted, 4'271'000U);
  EXPECT_EQ(b.at.switch_wait, 0U);
  EXPECT_EQ(c.at.granted, kSwitch);
  EXPECT_EQ(c.at.switch_wait, 0U);
}

// Commands keep their order: one for the channel that is turned to waits behind one for another.
TEST(ChannelSwitch, NobodyPasses) {
  FlashBench bench(switching(2, 2));
  bench.submit(Program, 0, 0, 0);
  const OnfiCommand& b = bench.submit(Program, 1, 0, 0);
  const OnfiCommand& c = bench.submit(Program, 2, 0, 0);
  run_until(kMillisecond);
  EXPECT_EQ(b.at.granted, kSwitch);
  EXPECT_EQ(c.at.granted, 2 * kSwitch);
}

// A read that waits 10 us for its turn: all of its latency is accounted for.
TEST(ChannelSwitch, TheWaitIsPartOfTheLatency) {
  FlashBench bench(switching(2, 1));
  bench.submit(Program, 0, 0, 0);
  const OnfiCommand& read = bench.submit(Read, 1, 0, 0);
  LatencyBreakdown breakdown;
  breakdown.begin(kernel_now());
  run_until(kMillisecond);
  breakdown.attribute(read.at);
  EXPECT_EQ(breakdown.of(LatencyPart::DieWait), kSwitch);
  EXPECT_EQ(breakdown.sum(), kSwitch + bench.timing.unloaded_read(4096));
}

// One array at a time: the second program is issued so that its array begins when the first one's ends, and has waited
// for power alone since its turn came.
TEST(ChannelSwitch, WaitsForPowerAreCountedApart) {
  FlashBench bench(switching(2, 1), 4096, {"read_first", {}}, "flash", {.dies = 1});
  const OnfiCommand& a = bench.submit(Program, 0, 0, 0);
  const OnfiCommand& b = bench.submit(Program, 1, 0, 0);
  run_until(2 * kMillisecond);
  EXPECT_EQ(b.at.switch_wait, kSwitch);
  EXPECT_EQ(b.at.array_begin, a.at.array_end);
  EXPECT_EQ(b.at.power_wait, b.at.issued - kSwitch);
}

TEST(ChannelSwitch, PowerCutForgetsWhatWaits) {
  FlashBench bench(switching(4, 1));
  for (std::uint32_t die = 0; die < 4; ++die) bench.submit(Program, die, 0, 0);
  run_until(15 * kMicrosecond);  // two have been handed over
  EXPECT_EQ(bench.flash.pending(), 4U);
  bench.flash.power_cut(kernel_now());
  for (OnfiProtocolChecker& checker : bench.checkers) checker.reset();
  EXPECT_EQ(bench.flash.pending(), 0U);
  for (std::uint32_t die = 0; die < 4; ++die) EXPECT_EQ(bench.flash.queued(Die{die}), 0U);
  const OnfiCommand& after = bench.submit(Erase, 3, 1, 0);  // no channel was turned to yet
  run_until(10 * kMillisecond);
  EXPECT_EQ(bench.completed.size(), 1U);
  EXPECT_EQ(after.at.granted, 15 * kMicrosecond);
}

TEST(ChannelSwitch, TakesTime) { EXPECT_THROW(ChannelSwitch("switch", 0, 1), std::invalid_argument); }

}  // namespace
}  // namespace flashloom::channel_switch_test
