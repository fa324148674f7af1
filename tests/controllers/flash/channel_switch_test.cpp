// Channel switches, worked by hand: command cycles of a read or a program take 175 ns, tR 50 us, tPROG 600 us, a page
// 4096 ns on the bus; starts on different channels lie 10 us apart.
#include "controllers/flash/channel_switch.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "models/block/latency_breakdown.hpp"
#include "models/nand/nand_config.hpp"
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

// Four programs on four channels begin 10 us apart, so they end 10 us apart.
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

// Commands for ways of one channel need no switch; starts on different channels that lie 10 us apart anyway do not
// wait.
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

// The switch serves commands in order: one for the channel it points to waits behind an older one for another channel.
TEST(ChannelSwitch, NobodyPasses) {
  FlashBench bench(switching(2, 2));
  bench.submit(Program, 0, 0, 0);
  const OnfiCommand& b = bench.submit(Program, 1, 0, 0);
  const OnfiCommand& c = bench.submit(Program, 2, 0, 0);
  run_until(kMillisecond);
  EXPECT_EQ(b.at.granted, kSwitch);
  EXPECT_EQ(c.at.granted, 2 * kSwitch);
}

// A read waits 10 us for the switch, and the breakdown books that wait too.
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

// The cap allows one array at a time. The second program is issued so that its array begins when the first one's ends;
// from the end of its switch wait on it waits for power only.
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
  run_until(15 * kMicrosecond);  // two programs have passed the switch
  EXPECT_EQ(bench.flash.pending(), 4U);
  bench.flash.power_cut(kernel_now());
  for (OnfiProtocolChecker& checker : bench.checkers) checker.reset();
  EXPECT_EQ(bench.flash.pending(), 0U);
  for (std::uint32_t die = 0; die < 4; ++die) EXPECT_EQ(bench.flash.queued(Die{die}), 0U);
  const OnfiCommand& after = bench.submit(Erase, 3, 1, 0);  // after a power cut the switch points to no channel
  run_until(10 * kMillisecond);
  EXPECT_EQ(bench.completed.size(), 1U);
  EXPECT_EQ(after.at.granted, 15 * kMicrosecond);
}

TEST(ChannelSwitch, TakesTime) { EXPECT_THROW(ChannelSwitch("switch", 0, 1), std::invalid_argument); }

}  // namespace
}  // namespace flashloom::channel_switch_test
