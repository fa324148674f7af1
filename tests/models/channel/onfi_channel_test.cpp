#include "models/channel/onfi_channel.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::onfi_channel_test {
namespace {

// Default figures: command cycles 175 ns (erase 125), tR 50 us, tPROG 600 us, tBERS 3 ms, a page 4096 ns on the bus.
NandConfig one_channel(std::uint32_t dies) {
  NandConfig config;
  config.channels = 1;
  config.ways = dies;
  config.blocks = 4;
  config.pages = 4;
  return config;
}

struct Phases {
  Picoseconds granted, array_begin, array_end, data_begin, complete;
  friend bool operator==(const Phases&, const Phases&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Phases& p) {
    return out << p.granted << ' ' << p.array_begin << ' ' << p.array_end << ' ' << p.data_begin << ' ' << p.complete;
  }
};
Phases phases(const OnfiCommand& c) {
  return {c.at.granted, c.at.array_begin, c.at.array_end, c.at.data_begin, c.at.complete};
}

void expect_clean(const ChannelBench& bench) {
  EXPECT_EQ(bench.checker.errors(), std::vector<std::string>{});
  EXPECT_EQ(bench.checker.open(), 0U);
}

TEST(OnfiChannel, UnloadedLatenciesToTheTick) {
  ChannelBench bench("channel", one_channel(1), 4096);
  const Picoseconds expected[] = {54'271'000, 604'271'000, 3'000'125'000};
  const FlashOperation operations[] = {FlashOperation::Read, FlashOperation::Program, FlashOperation::Erase};
  Picoseconds begin = 0;
  for (int i = 0; i < 3; ++i) {
    OnfiCommand& command = bench.make(operations[i], 0, 0, 0);
    const std::size_t before = bench.completions.size();
    bench.send_at(begin, command);
    const Picoseconds end = begin + expected[i];
    // Busy at t - 1, ready at t.
    bench.call_at(end - 1, [&bench, before, &command] {
      EXPECT_EQ(bench.completions.size(), before);
      OnfiCommand& second = bench.make(FlashOperation::Read, 0, 1, 0);
      EXPECT_THROW(bench.send(second), std::logic_error);
      (void)command;
    });
    run_until(end + 1);
    ASSERT_EQ(bench.completions.size(), before + 1);
    EXPECT_EQ(bench.completions.back().first, end);
    EXPECT_EQ(command.at.complete, end);
    begin = end + 1000;
  }
  EXPECT_EQ(bench.channel.wakes(), 3U);  // one per completion
  EXPECT_EQ(bench.timing.unloaded_read(4096), expected[0]);
  EXPECT_EQ(bench.timing.unloaded_program(), expected[1]);
  EXPECT_EQ(bench.timing.unloaded_erase(), expected[2]);
  EXPECT_EQ(bench.checker.commands(), 3U);
  expect_clean(bench);
}

TEST(OnfiChannel, TwoReadsInterleave) {
  ChannelBench bench("channel", one_channel(2), 4096);
  OnfiCommand& a = bench.make(FlashOperation::Read, 0, 0, 0);
  OnfiCommand& b = bench.make(FlashOperation::Read, 1, 0, 0);
  bench.send_at(0, a);
  bench.send_at(0, b);
  run_until(kMillisecond);
  EXPECT_EQ(phases(a), (Phases{0, 175'000, 50'175'000, 50'175'000, 54'271'000}));
  EXPECT_EQ(phases(b), (Phases{175'000, 350'000, 50'350'000, 54'271'000, 58'367'000}));
  EXPECT_EQ(bench.channel.wakes(), 2U);
  expect_clean(bench);
}

TEST(OnfiChannel, ASimultaneousReadGoesBeforeAProgram) {
  ChannelBench bench("channel", one_channel(2), 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 0, 0, 0);
  OnfiCommand& read = bench.make(FlashOperation::Read, 1, 0, 0);
  bench.send_at(0, write);
  bench.send_at(0, read);
  run_until(kMillisecond);
  EXPECT_EQ(phases(read), (Phases{0, 175'000, 50'175'000, 50'175'000, 54'271'000}));
  EXPECT_EQ(phases(write), (Phases{175'000, 4'446'000, 604'446'000, 604'446'000, 604'446'000}));
  expect_clean(bench);
}

TEST(OnfiChannel, AProgramUnderWayIsNotBrokenOff) {
  ChannelBench bench("channel", one_channel(2), 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 0, 0, 0);
  OnfiCommand& read = bench.make(FlashOperation::Read, 1, 0, 0);
  bench.send_at(0, write);
  bench.send_at(1, read);
  run_until(kMillisecond);
  EXPECT_EQ(phases(write), (Phases{0, 4'271'000, 604'271'000, 604'271'000, 604'271'000}));
  EXPECT_EQ(phases(read), (Phases{4'271'000, 4'446'000, 54'446'000, 54'446'000, 58'542'000}));
  expect_clean(bench);
}

TEST(OnfiChannel, DataOutBeforeDataInAndCommandsBeforeBoth) {
  ChannelBench bench("channel", one_channel(4), 4096);
  OnfiCommand& a = bench.make(FlashOperation::Read, 0, 0, 0);
  OnfiCommand& b = bench.make(FlashOperation::Read, 1, 0, 0);
  OnfiCommand& write = bench.make(FlashOperation::Program, 2, 0, 0);
  OnfiCommand& erase = bench.make(FlashOperation::Erase, 3, 1, 0);
  bench.send_at(0, a);
  bench.send_at(0, b);
  bench.send_at(51 * kMicrosecond, write);  // a's data are on the bus until 54.271 us, b is ready
  bench.send_at(52 * kMicrosecond, erase);
  run_until(4 * kMillisecond);
  EXPECT_EQ(a.at.complete, 54'271'000U);
  EXPECT_EQ(phases(erase), (Phases{54'271'000, 54'396'000, 3'054'396'000, 3'054'396'000, 3'054'396'000}));
  EXPECT_EQ(b.at.data_begin, 54'396'000U);
  EXPECT_EQ(b.at.complete, 58'492'000U);
  EXPECT_EQ(write.at.granted, 58'492'000U);
  expect_clean(bench);
}

// The bus is free from 4271 ns on: one command comes a tick before that, another at the tick the bus is free again.
TEST(OnfiChannel, ABusIsFreeAtTheTickItIsFree) {
  ChannelBench bench("channel", one_channel(3), 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 0, 0, 0);
  OnfiCommand& before = bench.make(FlashOperation::Read, 1, 0, 0);
  OnfiCommand& late = bench.make(FlashOperation::Erase, 2, 0, 0);
  bench.send_at(0, write);
  bench.send_at(4'270'999, before);
  bench.send_at(4'446'000, late);  // the tick at which before's command cycles end
  run_until(kMillisecond);
  EXPECT_EQ(before.at.granted, 4'271'000U);
  EXPECT_EQ(late.at.granted, 4'446'000U);
}

TEST(OnfiChannel, ReadsMayPassAProgramEightTimes) {
  NandConfig config = one_channel(8);
  config.read_time = {kNanosecond};  // only the bus counts
  ChannelBench bench("channel", config, 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 7, 0, 0);
  for (std::uint32_t die = 0; die < 7; ++die) bench.send_at(0, bench.make(FlashOperation::Read, die, 0, 0));
  bench.send_at(2 * kMicrosecond, write);  // the first data-out is under way
  bench.on_complete = [&bench](OnfiCommand& done) {
    if (done.operation == FlashOperation::Read && kernel_now() < kMillisecond) bench.send(done);
  };
  run_until(2 * kMillisecond);
  // 7 commands until 1225 ns, a data-out until 5321 ns; then 8 times a command (to the die just served) and a data-out,
  // and the command that follows the last data-out.
  EXPECT_EQ(write.at.granted, 5'321'000U + 8 * (175'000 + 4'096'000) + 175'000);
  expect_clean(bench);
}

TEST(OnfiChannel, AReadWithoutDataCyclesCompletesWhenReady) {
  ChannelBench bench("channel", one_channel(1), 4096);
  OnfiCommand& read = bench.make(FlashOperation::Read, 0, 0, 0);
  read.bytes = 0;
  bench.send_at(0, read);
  run_until(kMillisecond);
  EXPECT_EQ(read.at.complete, 50'175'000U);
  expect_clean(bench);
}

TEST(OnfiChannel, OneShotProgramOverPlanes) {
  NandConfig config = one_channel(2);
  config.planes = 2;
  config.multi_plane_program = true;
  config.pages_per_program = 3;
  config.pages = 6;
  config.program_time = {400 * kMicrosecond, 800 * kMicrosecond, 2 * kMillisecond};
  ChannelBench bench("channel", config, 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 0, 0, 0);
  OnfiCommand& erase = bench.make(FlashOperation::Erase, 1, 0, 0);
  bench.send_at(0, write);
  bench.send_at(1, erase);
  run_until(10 * kMillisecond);
  // Six pages of 175 ns + 4096 ns, then the last tPROG; the erase has 125 ns of command cycles for each of two planes.
  EXPECT_EQ(phases(write), (Phases{0, 25'626'000, 2'025'626'000, 2'025'626'000, 2'025'626'000}));
  EXPECT_EQ(erase.at.granted, 25'626'000U);
  EXPECT_EQ(erase.at.complete, 25'876'000U + 3 * kMillisecond);
  EXPECT_EQ(bench.media.write_pointer(Die{0}, Block{0}), 6U);
  expect_clean(bench);
}

TEST(OnfiChannel, ContentAppearsAtTheCompletion) {
  ChannelBench bench("channel", one_channel(1), 4096);
  OnfiCommand& write = bench.make(FlashOperation::Program, 0, 0, 0);
  write.oob[0] = 77;
  bench.send_at(0, write);
  const FlashAddress address{Die{0}, Block{0}, Page{0}};
  run_until(604'271'000);
  EXPECT_EQ(bench.media.page(address).status, FlashStatus::Erased);
  run_until(604'271'001);
  EXPECT_EQ(bench.media.oob(address, 0), 77U);
}

TEST(OnfiChannel, AFirmwareViolationStopsTheRun) {
  ChannelBench bench("channel", one_channel(2), 4096);
  bench.send_at(0, bench.make(FlashOperation::Program, 1, 2, 0));
  bench.send_at(700 * kMicrosecond, bench.make(FlashOperation::Program, 1, 2, 0));
  sc_core::sc_report_handler::set_actions(sc_core::SC_ERROR, sc_core::SC_THROW);
  try {
    run_until(2 * kMillisecond);
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("program (host) of die 1, block 2, page 0"), std::string::npos) << what;
    EXPECT_NE(what.find("last: #0 program page 0"), std::string::npos) << what;
  }
}

TEST(OnfiChannel, BusTimeAndEnergyAtAnyInstant) {
  ChannelBench bench("channel", one_channel(2), 4096);
  bench.send_at(0, bench.make(FlashOperation::Read, 0, 0, 0));
  bench.send_at(kMicrosecond, bench.make(FlashOperation::Program, 1, 0, 0));
  run_until(100'000);
  EXPECT_EQ(bench.channel.bus_time(kernel_now()).command, 100'000U);
  run_until(2'000'000);  // since 1000 ns: 175 of command, 825 of data-in
  EXPECT_EQ(bench.channel.bus_time(kernel_now()).command, 350'000U);
  EXPECT_EQ(bench.channel.bus_time(kernel_now()).data, 825'000U);
  run_until(52'175'000);  // and 2000 of data-out
  EXPECT_EQ(bench.channel.bus_time(kernel_now()).data, 4'096'000U + 2'000'000);
  bench.channel.settle(kernel_now());
  bench.ledger.finish(kernel_now());
  const EnergyReport report = bench.ledger.report();
  // 3.3 V: bus 5 mA for 6446 ns, read 25 mA for 50 us, program 25 mA for 52.175 - 5.271 = 46.904 us.
  EXPECT_NEAR(report.operations.at("nand.transfer").joules, 106.359e-9, 1e-15);
  EXPECT_NEAR(report.operations.at("nand.read").joules, 4.125e-6, 1e-15);
  EXPECT_NEAR(report.operations.at("nand.program").joules, 3.86958e-6, 1e-15);
  // Standby 10 uA: die 0 for 2.175 us, die 1 for 5.271 us.
  EXPECT_NEAR(report.background_j, 33e-6 * 7.446e-6, 1e-18);
}

/// One die programs, one erases, one reads, one waits for the bus with its program.
struct CutScene {
  explicit CutScene(Picoseconds at) : bench("channel", one_channel(4), 4096) {
    OnfiCommand& first = bench.make(FlashOperation::Program, 1, 0, 0);
    bench.send_at(0, first);                                                    // until 604.271 us
    bench.send_at(kMillisecond, bench.make(FlashOperation::Program, 0, 0, 0));  // bus until 1004.271 us
    bench.send_at(kMillisecond, bench.make(FlashOperation::Erase, 1, 0, 0));    // before it: array from 1000.125
    bench.send_at(kMillisecond, bench.make(FlashOperation::Read, 2, 0, 0));     // array from 1000.300
    bench.send_at(1001 * kMicrosecond, bench.make(FlashOperation::Program, 3, 0, 0));
    bench.call_at(at, [this, at] {
      bench.channel.power_cut(at);
      for (NandDie& die : bench.dies) die.power_cut(at);
      bench.checker.reset();
    });
    run_until(at + 1);
    completed = bench.completions.size();
    run_until(at + 10 * kMillisecond);
    EXPECT_EQ(bench.completions.size(), completed);  // no late completions
  }
  FlashStatus status(std::uint32_t die) const { return bench.media.page({Die{die}, Block{0}, Page{0}}).status; }
  ChannelBench bench;
  std::size_t completed = 0;
};

TEST(OnfiChannel, PowerCutTearsWhatIsInTheArrays) {
  // Program of die 0: bus from 1000.300, array 1004.571 ... 1604.571 us; of die 3: bus until 1008.842 us.
  CutScene scene(1006 * kMicrosecond);
  EXPECT_EQ(scene.status(0), FlashStatus::Torn);
  EXPECT_TRUE(scene.bench.media.torn(Die{1}, Block{0}));
  EXPECT_EQ(scene.status(3), FlashStatus::Erased);  // still on the bus
  EXPECT_EQ(scene.completed, 1U);
  // Power returns: the channel and the dies are as new.
  OnfiCommand& read = scene.bench.make(FlashOperation::Read, 0, 0, 0);
  const Picoseconds now = kernel_now();
  scene.bench.send(read);
  run_until(now + kMillisecond);
  EXPECT_EQ(read.at.complete, now + 54'271'000);
  EXPECT_EQ(read.status, FlashStatus::Torn);
  expect_clean(scene.bench);
  EXPECT_EQ(scene.bench.channel.bus_time(1006 * kMicrosecond + 10 * kMillisecond).data,
            4'096'000U + 4'096'000 + (1'006'000'000 - 1'004'571'000 - 175'000));
}

TEST(OnfiChannel, PowerCutOneTickBeforeTheArrayBegins) {
  CutScene scene(1'004'570'999);
  EXPECT_EQ(scene.status(0), FlashStatus::Erased);
}
TEST(OnfiChannel, PowerCutAtTheTickTheArrayBegins) {
  CutScene scene(1'004'571'000);
  EXPECT_EQ(scene.status(0), FlashStatus::Torn);
}
TEST(OnfiChannel, PowerCutOneTickBeforeTheArrayEnds) {
  CutScene scene(1'604'570'999);
  EXPECT_EQ(scene.status(0), FlashStatus::Torn);
}
TEST(OnfiChannel, PowerCutAtTheTickTheArrayEnds) {
  CutScene scene(1'604'571'000);
  EXPECT_EQ(scene.status(0), FlashStatus::Good);
}

TEST(OnfiChannel, ForeignDiesAndPhasesAreRefused) {
  ChannelBench bench("channel", one_channel(2), 4096);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  OnfiCommand& read = bench.make(FlashOperation::Read, 0, 0, 0);
  run_until(1);
  tlm::tlm_phase phase = tlm::END_RESP;
  sc_core::sc_time delay;
  EXPECT_THROW(bench.dies[0].nb_transport_fw(read, phase, delay), std::logic_error);
  phase = tlm::BEGIN_REQ;
  EXPECT_THROW(bench.dies[1].nb_transport_fw(read, phase, delay), std::logic_error);
  EXPECT_THROW(bench.dies[0].b_transport(read, delay), sc_core::sc_report);
  bench.send(read);
  EXPECT_THROW(bench.channel.attach(bench.checker), std::logic_error);
}

}  // namespace
}  // namespace flashloom::onfi_channel_test
