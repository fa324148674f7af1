#include "sc_main/program/pictures/vcd_recorder.hpp"

#include <gtest/gtest.h>

#include "tests/models/channel/channel_bench.hpp"
#include "tests/support/vcd_reader.hpp"

namespace flashloom::vcd_recorder_test {
namespace {

using Changes = VcdReader::Changes;
constexpr TimeWindow kAlways{};
constexpr std::uint64_t kLarge = 1 << 20;

// Default figures: command cycles 175 ns (erase 125), tR 50 us, tPROG 600 us, tBERS 3 ms, a page of 4096 bytes 4096 ns
// on the bus. The file's times are ps.
NandConfig one_channel() {
  NandConfig config;
  config.channels = 1;
  config.ways = 2;
  config.blocks = 4;
  config.pages = 4;
  return config;
}

class VcdRecorderTest : public testing::Test {
 protected:
  explicit VcdRecorderTest() { bench.channel.attach(recorder); }
  VcdReader recorded(Picoseconds end) {
    run_until(end);
    bench.channel.settle(end);
    return VcdReader(recorder.text(end));
  }
  static Changes of(const VcdReader& file, const std::string& signal) {
    return file.signals.at("flashloom.channel0." + signal);
  }

  ChannelBench bench{"channel", one_channel(), 4096};
  VcdRecorder recorder{bench.geometry, bench.timing, kLarge, kAlways, {}};
};

TEST_F(VcdRecorderTest, Read) {
  bench.send_at(1'000'000, bench.make(FlashOperation::Read, 1, 2, 3));
  const VcdReader file = recorded(100'000'000);
  EXPECT_EQ(file.timescale, "1ps");
  EXPECT_EQ(file.end, 100'000'000U);
  // 1 us + 175 ns; + 50 us; + 4096 ns.
  EXPECT_EQ(
      of(file, "bus"),
      (Changes{{0, "idle"}, {1'000'000, "cmd"}, {1'175'000, "idle"}, {51'175'000, "data_out"}, {55'271'000, "idle"}}));
  EXPECT_EQ(of(file, "owner"),
            (Changes{{0, "z"}, {1'000'000, "1"}, {1'175'000, "z"}, {51'175'000, "1"}, {55'271'000, "z"}}));
  EXPECT_EQ(of(file, "die1.rb_n"), (Changes{{0, "1"}, {1'175'000, "0"}, {51'175'000, "1"}}));
  EXPECT_EQ(of(file, "die1.command"), (Changes{{0, "idle"}, {1'000'000, "read"}, {55'271'000, "idle"}}));
  EXPECT_EQ(of(file, "die1.block"), (Changes{{0, "x"}, {1'000'000, "2"}}));
  EXPECT_EQ(of(file, "die1.page"), (Changes{{0, "x"}, {1'000'000, "3"}}));
  EXPECT_EQ(of(file, "die0.command"), (Changes{{0, "idle"}}));
}

TEST_F(VcdRecorderTest, Program) {
  bench.send_at(1'000'000, bench.make(FlashOperation::Program, 0, 1, 0));
  const VcdReader file = recorded(700'000'000);
  // 1 us + 175 ns; + 4096 ns; + 600 us.
  EXPECT_EQ(of(file, "bus"), (Changes{{0, "idle"}, {1'000'000, "cmd"}, {1'175'000, "data_in"}, {5'271'000, "idle"}}));
  EXPECT_EQ(of(file, "owner"), (Changes{{0, "z"}, {1'000'000, "0"}, {5'271'000, "z"}}));
  EXPECT_EQ(of(file, "die0.rb_n"), (Changes{{0, "1"}, {5'271'000, "0"}, {605'271'000, "1"}}));
  EXPECT_EQ(of(file, "die0.command"), (Changes{{0, "idle"}, {1'000'000, "program"}, {605'271'000, "idle"}}));
}

TEST_F(VcdRecorderTest, Erase) {
  bench.send_at(1'000'000, bench.make(FlashOperation::Erase, 0, 3, 0));
  const VcdReader file = recorded(4'000'000'000);
  // 1 us + 125 ns; + 3 ms.
  EXPECT_EQ(of(file, "bus"), (Changes{{0, "idle"}, {1'000'000, "cmd"}, {1'125'000, "idle"}}));
  EXPECT_EQ(of(file, "die0.rb_n"), (Changes{{0, "1"}, {1'125'000, "0"}, {3'001'125'000, "1"}}));
  EXPECT_EQ(of(file, "die0.command"), (Changes{{0, "idle"}, {1'000'000, "erase"}, {3'001'125'000, "idle"}}));
  EXPECT_EQ(of(file, "die0.block"), (Changes{{0, "x"}, {1'000'000, "3"}}));
}

TEST_F(VcdRecorderTest, TwoReadsInterleave) {
  bench.send_at(1'000'000, bench.make(FlashOperation::Read, 0, 0, 0));
  bench.call_at(1'000'000, [this] { bench.send(bench.make(FlashOperation::Read, 1, 1, 1)); });
  const VcdReader file = recorded(100'000'000);
  // Commands 1.000 - 1.175 - 1.350 us; ready at 51.175 and 51.350 us; data 51.175 - 55.271 - 59.367 us: the bus does
  // not pause between the two.
  EXPECT_EQ(
      of(file, "bus"),
      (Changes{{0, "idle"}, {1'000'000, "cmd"}, {1'350'000, "idle"}, {51'175'000, "data_out"}, {59'367'000, "idle"}}));
  EXPECT_EQ(of(file, "owner"), (Changes{{0, "z"},
                                        {1'000'000, "0"},
                                        {1'175'000, "1"},
                                        {1'350'000, "z"},
                                        {51'175'000, "0"},
                                        {55'271'000, "1"},
                                        {59'367'000, "z"}}));
  EXPECT_EQ(of(file, "die0.rb_n"), (Changes{{0, "1"}, {1'175'000, "0"}, {51'175'000, "1"}}));
  EXPECT_EQ(of(file, "die1.rb_n"), (Changes{{0, "1"}, {1'350'000, "0"}, {51'350'000, "1"}}));
  EXPECT_EQ(of(file, "die1.command"), (Changes{{0, "idle"}, {1'175'000, "read"}, {59'367'000, "idle"}}));
}

TEST_F(VcdRecorderTest, WindowBeginsWithTheValuesThatAreThen) {
  VcdRecorder part(bench.geometry, bench.timing, kLarge, {20'000'000, 52'000'000}, {});
  bench.channel.attach(part);
  bench.send_at(1'000'000, bench.make(FlashOperation::Read, 0, 2, 3));
  recorded(100'000'000);
  const VcdReader file(part.text(100'000'000));
  EXPECT_EQ(of(file, "die0.rb_n"), (Changes{{20'000'000, "0"}, {51'175'000, "1"}}));
  EXPECT_EQ(of(file, "die0.command"), (Changes{{20'000'000, "read"}}));
  EXPECT_EQ(of(file, "bus"), (Changes{{20'000'000, "idle"}, {51'175'000, "data_out"}}));
  EXPECT_EQ(file.end, 52'000'000U);
  EXPECT_EQ(part.cut_off(), kNever);
}

TEST_F(VcdRecorderTest, LimitEndsTheFileProperly) {
  VcdRecorder small(bench.geometry, bench.timing, 900, kAlways, {});
  bench.channel.attach(small);
  bench.send_at(1'000'000, bench.make(FlashOperation::Read, 0, 0, 0));
  const VcdReader whole = recorded(100'000'000);
  const std::string text = small.text(100'000'000);
  const VcdReader file(text);
  EXPECT_LE(text.size(), 900U);
  EXPECT_EQ(small.cut_off(), file.end);
  EXPECT_LT(file.end, 55'271'000U);
  // The limited file is the beginning of the whole one.
  for (const auto& [name, changes] : file.signals) {
    const Changes& all = whole.signals.at(name);
    ASSERT_LE(changes.size(), all.size());
    EXPECT_TRUE(std::equal(changes.begin(), changes.end(), all.begin())) << name;
  }
}

// The first command after the cut begins at the instant at which power is back.
TEST_F(VcdRecorderTest, PowerOff) {
  VcdRecorder cut(bench.geometry, bench.timing, kLarge, kAlways, {2'000'000, 5'000'000});
  bench.channel.attach(cut);
  bench.send_at(1'000'000, bench.make(FlashOperation::Erase, 0, 0, 0));
  run_until(2'000'000);
  bench.channel.power_cut(2'000'000);
  for (NandDie& die : bench.dies) die.power_cut(2'000'000);
  bench.send_at(5'000'000, bench.make(FlashOperation::Erase, 0, 0, 0));
  run_until(9'000'000);
  bench.channel.settle(9'000'000);
  const VcdReader file(cut.text(9'000'000));
  EXPECT_EQ(of(file, "die0.rb_n"),
            (Changes{{0, "1"}, {1'125'000, "0"}, {2'000'000, "x"}, {5'000'000, "1"}, {5'125'000, "0"}}));
  EXPECT_EQ(of(file, "die0.command"),
            (Changes{{0, "idle"}, {1'000'000, "erase"}, {2'000'000, "x"}, {5'000'000, "erase"}}));
  EXPECT_EQ(of(file, "bus"), (Changes{{0, "idle"},
                                      {1'000'000, "cmd"},
                                      {1'125'000, "idle"},
                                      {2'000'000, "x"},
                                      {5'000'000, "cmd"},
                                      {5'125'000, "idle"}}));
}

}  // namespace
}  // namespace flashloom::vcd_recorder_test
