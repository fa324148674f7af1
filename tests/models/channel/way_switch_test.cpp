// Way switches, worked by hand. Figures: command cycles of a read or a program 175 ns, of an erase 125 ns; tR 50 us,
// tPROG 600 us; a page 4096 ns on the bus; a switch 1 us.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::way_switch_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kSwitch = kMicrosecond;

NandConfig switching(std::uint32_t ways, std::uint32_t dies = 1) {
  NandConfig config;
  config.channels = 1;
  config.ways = ways;
  config.dies = dies;
  config.blocks = 4;
  config.pages = 4;
  config.way_switch_time = kSwitch;
  return config;
}

void expect_clean(const ChannelBench& bench) {
  EXPECT_EQ(bench.checker.errors(), std::vector<std::string>{});
  EXPECT_EQ(bench.checker.open(), 0U);
}

// A single way is always selected: the closed forms hold as they stand.
TEST(WaySwitch, OneWayNeverSwitches) {
  ChannelBench bench("channel", switching(1), 4096);
  OnfiCommand& write = bench.make(Program, 0, 0, 0);
  OnfiCommand& read = bench.make(Read, 0, 0, 0);
  bench.send_at(0, write);
  bench.send_at(kMillisecond, read);
  run_until(2 * kMillisecond);
  EXPECT_EQ(write.at.complete, bench.timing.unloaded_program());
  EXPECT_EQ(read.at.complete, kMillisecond + bench.timing.unloaded_read(4096));
  expect_clean(bench);
}

// Way 0 has the bus from 0 to 175 ns; after a switch way 1 has it from 1175 to 1350. Data of way 0 are ready at 50175;
// the bus switches until 51175 and sends them until 55271; it switches again and sends data of way 1 from 56271 to
// 60367.
TEST(WaySwitch, TwoReadsOnTwoWays) {
  ChannelBench bench("channel", switching(2), 4096);
  OnfiCommand& a = bench.make(Read, 0, 0, 0);
  OnfiCommand& b = bench.make(Read, 1, 0, 0);
  bench.send_at(0, a);
  bench.send_at(0, b);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.granted, 0U);
  EXPECT_EQ(b.at.granted, 1'175'000U);
  EXPECT_EQ(b.at.array_begin, 1'350'000U);
  EXPECT_EQ(a.at.data_begin, 51'175'000U);
  EXPECT_EQ(a.at.complete, 55'271'000U);
  EXPECT_EQ(b.at.data_begin, 56'271'000U);
  EXPECT_EQ(b.at.complete, 60'367'000U);
  // The three switches count as command time, not as data time, and draw no energy.
  EXPECT_EQ(bench.channel.bus_time(kMillisecond).command, 3 * kSwitch + 2 * 175'000);
  EXPECT_EQ(bench.channel.bus_time(kMillisecond).data, 2U * 4'096'000);
  bench.ledger.finish(kMillisecond);
  EXPECT_EQ(bench.ledger.report().components.back().name, "channel");
  EXPECT_EQ(bench.ledger.report().components.back().states[1].residency, 2U * (175'000 + 4'096'000));
  expect_clean(bench);
}

// Programs on two ways, back to back: the second one's data-in is 1 us later than without switches.
TEST(WaySwitch, TwoProgramsOnTwoWays) {
  ChannelBench bench("channel", switching(2), 4096);
  OnfiCommand& a = bench.make(Program, 0, 0, 0);
  OnfiCommand& b = bench.make(Program, 1, 0, 0);
  bench.send_at(0, a);
  bench.send_at(0, b);
  run_until(kMillisecond);
  EXPECT_EQ(a.at.complete, 604'271'000U);
  EXPECT_EQ(b.at.granted, 5'271'000U);
  EXPECT_EQ(b.at.loaded, 9'542'000U);
  EXPECT_EQ(b.at.complete, 609'542'000U);
  expect_clean(bench);
}

// Dies of one way share its chip enable: positions 0 and 2 of two ways are way 0.
TEST(WaySwitch, DiesOfAWayAreOneWay) {
  ChannelBench bench("channel", switching(2, 2), 4096);
  OnfiCommand& a = bench.make(Program, 0, 0, 0);
  OnfiCommand& b = bench.make(Program, 2, 0, 0);
  OnfiCommand& c = bench.make(Program, 3, 0, 0);
  for (OnfiCommand* each : {&a, &b, &c}) bench.send_at(0, *each);
  run_until(kMillisecond);
  EXPECT_EQ(b.at.granted, 4'271'000U);
  EXPECT_EQ(c.at.granted, 2 * 4'271'000U + kSwitch);
  expect_clean(bench);
}

// The bus switches to way 1 from 4271 ns on. In the middle of that the times add up, and the grant lies in the future.
TEST(WaySwitch, CountsUpToAnyInstant) {
  ChannelBench bench("channel", switching(2), 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  OnfiCommand& b = bench.make(Program, 1, 0, 0);
  bench.send_at(0, b);
  bench.call_at(4'771'000, [&] {
    const BusTime time = bench.channel.bus_time(4'771'000);
    EXPECT_EQ(time.command, 175'000U + 500'000);
    EXPECT_EQ(time.data, 4'096'000U);
    EXPECT_EQ(b.at.granted, 5'271'000U);
  });
  bench.call_at(5'321'000, [&] { EXPECT_EQ(bench.channel.bus_time(5'321'000).command, 175'000U + kSwitch + 50'000); });
  run_until(kMillisecond);
  expect_clean(bench);
}

// Power fails during a switch: the program never begins, and the next command finds its way selected.
TEST(WaySwitch, PowerCutWhileItTurns) {
  ChannelBench bench("channel", switching(2), 4096);
  bench.send_at(0, bench.make(Program, 0, 0, 0));
  bench.send_at(0, bench.make(Program, 1, 0, 0));
  OnfiCommand& after = bench.make(Erase, 1, 1, 0);
  bench.call_at(4'771'000, [&] {
    bench.channel.power_cut(4'771'000);
    for (NandDie& die : bench.dies) die.power_cut(4'771'000);
    bench.checker.reset();
    bench.send(after);
  });
  run_until(4 * kMillisecond);
  EXPECT_EQ(after.at.granted, 4'771'000U);
  EXPECT_EQ(after.at.complete, 4'771'000U + bench.timing.unloaded_erase());
  EXPECT_EQ(bench.completions.size(), 1U);
  // 175 ns of the first program and half a microsecond of the cut switch; then 125 ns of the erase.
  EXPECT_EQ(bench.channel.bus_time(4 * kMillisecond).command, 175'000U + 500'000 + 125'000);
}

// The read of way 0 comes at 300 us, when way 1 had the bus last: the bus switches for the suspend command, which ends
// at 301.025 us, so that the array stands at 321.025; then way 0 stays selected.
TEST(WaySwitch, SuspensionTurnsTheBus) {
  NandConfig config = switching(2);
  config.program_suspend = true;
  ChannelBench bench("channel", config, 4096);
  OnfiCommand& program = bench.make(Program, 0, 0, 0);
  OnfiCommand& other = bench.make(Program, 1, 0, 0);
  OnfiCommand& read = bench.make(Read, 0, 1, 0);
  bench.send_at(0, program);  // its array works from 4.271 us
  bench.send_at(0, other);    // bus from 5.271 to 9.542 us
  bench.send_at(300 * kMicrosecond, read);
  bench.on_complete = [&](OnfiCommand& done) {
    if (&done == &read) bench.send(program);
  };
  run_until(2 * kMillisecond);
  EXPECT_EQ(read.at.granted, 321'025'000U);
  EXPECT_EQ(read.at.complete, 321'025'000U + bench.timing.unloaded_read(4096));  // its way stays selected
  // The program stands from 321.025 us to the end of the resume command; 604.271 - 301.025 us and 5 us remain.
  EXPECT_EQ(program.at.suspended, bench.timing.unloaded_read(4096) + 25'000);
  EXPECT_EQ(program.at.complete, read.at.complete + 25'000 + (604'271'000 - 301'025'000) + 5'000'000);
  expect_clean(bench);
}

}  // namespace
}  // namespace flashloom::way_switch_test
