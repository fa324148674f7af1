// Cache commands, suspension and status polling on one die, worked by hand.
//
// Figures of all tests: command cycles of a read or a program 175 ns, one cycle 25 ns; tR 50 us, tPROG 600 us, tBERS
// 3 ms; a page 4096 ns on the bus, so t_in = 4271 ns with its command.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::overlap_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kIn = 4'271'000;
constexpr Picoseconds kProgram = 600 * kMicrosecond;

NandConfig one_die() {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.blocks = 4;
  config.pages = 8;
  config.cache_busy_time = 0;
  return config;
}

NandConfig suspending() {
  NandConfig config = one_die();
  config.program_suspend = config.erase_suspend = true;
  return config;
}

class Overlap : public testing::Test {
 protected:
  void make(const NandConfig& config) { bench = std::make_unique<ChannelBench>("channel", config, 4096); }

  /// Sends the commands two at a time, as a flash controller does, and runs until all are complete.
  std::vector<Picoseconds> run_two_at_a_time(const std::vector<OnfiCommand*>& commands) {
    std::size_t next = 0;
    const auto send = [&] {
      if (next < commands.size()) bench->send(*commands[next++]);
    };
    bench->on_complete = [&](OnfiCommand&) { send(); };
    bench->call_at(0, [&] {
      send();
      send();
    });
    run_until(100 * kMillisecond);
    std::vector<Picoseconds> ends;
    for (const auto& [at, command] : bench->completions) ends.push_back(at);
    return ends;
  }
  /// Commands for the first `count` pages of block 0.
  std::vector<OnfiCommand*> pages(FlashOperation operation, std::uint32_t count) {
    std::vector<OnfiCommand*> commands;
    for (std::uint32_t page = 0; page < count; ++page) {
      commands.push_back(&bench->make(operation, 0, 0, page));
      if (operation == Read) bench->media.apply(bench->make(Program, 0, 0, page));
    }
    return commands;
  }
  /// Sends a program of block 0 at 0 and a read of block 1 at `at`.
  std::pair<OnfiCommand&, OnfiCommand&> program_and_read(Picoseconds at) {
    bench->media.apply(bench->make(Program, 0, 1, 0));
    OnfiCommand& program = bench->make(Program, 0, 0, 0);
    OnfiCommand& read = bench->make(Read, 0, 1, 0);
    bench->send_at(0, program);
    bench->send_at(at, read);
    return {program, read};
  }
  /// The time that a die's energy meter books for an operation.
  Picoseconds residency(const std::string& state) {
    bench->channel.settle(kernel_now());
    bench->ledger.finish(kernel_now());
    for (const ComponentEnergy& component : bench->ledger.report().components)
      for (const ComponentEnergy::State& each : component.states)
        if (component.kind == "nand" && each.name == state) return each.residency;
    return 0;
  }
  void expect_clean() {
    EXPECT_EQ(bench->checker.errors(), std::vector<std::string>{});
    EXPECT_EQ(bench->checker.open(), 0U);
  }

  std::unique_ptr<ChannelBench> bench;
};

using Times = std::vector<Picoseconds>;

TEST_F(Overlap, CacheProgramIsBoundByTheArray) {
  NandConfig config = one_die();
  config.cache_program = true;
  make(config);
  EXPECT_EQ(run_two_at_a_time(pages(Program, 4)),
            (Times{kIn + kProgram, kIn + 2 * kProgram, kIn + 3 * kProgram, kIn + 4 * kProgram}));
  expect_clean();
  EXPECT_EQ(residency("program"), 4 * kProgram);
}

TEST_F(Overlap, CacheProgramIsBoundByTheBus) {
  NandConfig config = one_die();
  config.cache_program = true;
  config.program_time = {2 * kMicrosecond};
  make(config);
  // The controller hears of page n 2 us after its data are in. Only then does it send page n + 2, whose data follow
  // those of page n + 1.
  EXPECT_EQ(run_two_at_a_time(pages(Program, 4)), (Times{kIn + 2 * kMicrosecond, 2 * kIn + 2 * kMicrosecond,
                                                         3 * kIn + 2 * kMicrosecond, 4 * kIn + 2 * kMicrosecond}));
  expect_clean();
}

TEST_F(Overlap, CacheProgramPaysForItsRegister) {
  NandConfig config = one_die();
  config.cache_program = true;
  config.cache_busy_time = 3 * kMicrosecond;
  make(config);
  EXPECT_EQ(run_two_at_a_time(pages(Program, 3)),
            (Times{kIn + kProgram, kIn + 2 * kProgram + 3 * kMicrosecond, kIn + 3 * kProgram + 6 * kMicrosecond}));
  expect_clean();
}

TEST_F(Overlap, CacheReadsOverlapTheirData) {
  NandConfig config = one_die();
  config.cache_read = true;
  config.cache_busy_time = 3 * kMicrosecond;
  make(config);
  // Page 1: command until 175, tR until 50175. 31h for page 2 until 50350; data of page 1 from 53350 to 57446, while
  // the array reads until 103350. 31h for page 3 until 103525; data of page 2 from 106525 to 110621. The array is done
  // with page 3 at 156525; 3Fh until 156550; data from 159550 to 163646.
  EXPECT_EQ(run_two_at_a_time(pages(Read, 3)), (Times{57'446'000, 110'621'000, 163'646'000}));
  expect_clean();
  EXPECT_EQ(residency("read"), 150 * kMicrosecond);
}

TEST_F(Overlap, CacheReadsAreBoundByASlowBus) {
  NandConfig config = one_die();
  config.cache_read = true;
  config.transfer_rate = 40'000'000;  // a page takes 102.4 us, tR 50 us
  make(config);
  const std::vector<Picoseconds> ends = run_two_at_a_time(pages(Read, 5));
  for (std::size_t i = 2; i + 1 < ends.size(); ++i)
    EXPECT_EQ(ends[i] - ends[i - 1], 102'400'000U + 175'000U) << i;  // data, and the next page's 31h
  expect_clean();
}

TEST_F(Overlap, AReadSuspendsAProgram) {
  make(suspending());
  const auto [program, read] = program_and_read(200 * kMicrosecond);
  bench->on_complete = [&](OnfiCommand& done) {
    if (&done == &read) bench->send(program);  // the controller resumes it
  };
  run_until(10 * kMillisecond);
  // The suspend command ends at 200025, the array stands at 220025; read command until 220200, tR until 270200, data
  // until 274296. The program resumes at 274321 for the remaining 604271 - 200025 = 404246 and 5000.
  ASSERT_EQ(bench->completions.size(), 2U);
  EXPECT_EQ(bench->completions[0], std::pair(Picoseconds{274'296'000}, &read));
  EXPECT_EQ(bench->completions[1], std::pair(Picoseconds{683'567'000}, &program));
  EXPECT_EQ(program.at.suspended, 274'321'000U - 220'025'000U);
  EXPECT_EQ(bench->media.page(program.address).status, FlashStatus::Good);
  expect_clean();
  EXPECT_EQ(residency("program"), kProgram + 20 * kMicrosecond + 5 * kMicrosecond);
}

TEST_F(Overlap, AnEraseGivesWayToTwoReadsInTurn) {
  make(suspending());
  bench->media.apply(bench->make(Program, 0, 1, 0));
  OnfiCommand& erase = bench->make(Erase, 0, 0, 0);
  OnfiCommand& first = bench->make(Read, 0, 1, 0);
  OnfiCommand& second = bench->make(Read, 0, 1, 0);
  bench->send_at(0, erase);
  bench->send_at(kMillisecond, first);
  bench->on_complete = [&](OnfiCommand& done) {
    if (&done == &first) bench->send(second);
    if (&done == &second) bench->send(erase);
  };
  run_until(10 * kMillisecond);
  // The array stands at 1100.025 us; each read takes 54.271 us; the erase resumes at 1208.592 us, for 3000.125 -
  // 1000.025 and 50 us.
  EXPECT_EQ(first.at.complete, 1'154'296'000U);
  EXPECT_EQ(second.at.complete, 1'208'567'000U);
  EXPECT_EQ(erase.at.complete, 1'208'592'000U + 2'000'100'000U + 50'000'000U);
  expect_clean();
}

TEST_F(Overlap, ASuspensionWaitsForItsInterval) {
  make(suspending());
  bench->media.apply(bench->make(Program, 0, 1, 0));
  OnfiCommand& program = bench->make(Program, 0, 0, 0);
  std::vector<OnfiCommand*> reads = {&bench->make(Read, 0, 1, 0), &bench->make(Read, 0, 1, 0)};
  bench->call_at(0, [&] {
    bench->send(program);
    bench->send(*reads[0]);  // before the program has the bus
  });
  bench->on_complete = [&](OnfiCommand& done) {
    if (&done != reads[0]) return;
    bench->send(program);
    bench->send(*reads[1]);  // before the program goes on
  };
  run_until(350 * kMicrosecond);
  // The suspend command ends 100.025 us after array_begin, and again 100.025 us after the resumption.
  EXPECT_EQ(reads[0]->at.granted, kIn + 100 * kMicrosecond + 25'000 + 20 * kMicrosecond);
  const Picoseconds resumed = reads[0]->at.complete + 25'000;
  EXPECT_EQ(reads[1]->at.granted, resumed + 100 * kMicrosecond + 25'000 + 20 * kMicrosecond);
}

TEST_F(Overlap, AnOperationThatIsNearlyDoneIsLetFinish) {
  make(suspending());
  const auto [program, read] = program_and_read(590 * kMicrosecond);
  run_until(10 * kMillisecond);
  EXPECT_EQ(program.at.complete, kIn + kProgram);
  EXPECT_EQ(program.at.suspended, 0U);
  EXPECT_EQ(read.at.granted, kIn + kProgram);
  expect_clean();
}

TEST_F(Overlap, WhatIsSuspendedCannotBeRead) {
  make(suspending());
  OnfiCommand& program = bench->make(Program, 0, 0, 0);
  OnfiCommand& read = bench->make(Read, 0, 0, 0);
  bench->send_at(0, program);
  bench->send_at(200 * kMicrosecond, read);
  EXPECT_THROW(run_until(10 * kMillisecond), sc_core::sc_report);  // of the kernel, with the FirmwareViolation's text
}

TEST_F(Overlap, APowerCutTearsWhatIsSuspended) {
  make(suspending());
  const auto [program, read] = program_and_read(200 * kMicrosecond);
  run_until(250 * kMicrosecond);
  bench->channel.power_cut(kernel_now());
  bench->dies[0].power_cut(kernel_now());
  EXPECT_EQ(bench->media.page(program.address).status, FlashStatus::Torn);
  run_until(10 * kMillisecond);
  EXPECT_TRUE(bench->completions.empty());
}

TEST_F(Overlap, ADieRefusesASecondCommandThatItCannotOverlap) {
  make(suspending());
  OnfiCommand& first = bench->make(Program, 0, 0, 0);
  OnfiCommand& second = bench->make(Program, 0, 0, 1);
  bench->send_at(0, first);
  bench->call_at(kMicrosecond, [&] { EXPECT_THROW(bench->send(second), std::logic_error); });
  run_until(kMillisecond);
}

TEST_F(Overlap, PollingFindsTheArrayReadyAtTheNextStatusRead) {
  NandConfig config = one_die();
  config.ready_detection = "polling";
  make(config);
  bench->media.apply(bench->make(Program, 0, 1, 0));
  OnfiCommand& read = bench->make(Read, 0, 1, 0);
  bench->send_at(0, read);
  run_until(kMillisecond);
  // A status read takes 25 + 80 + 1 ns. They begin at 10175, 20281, ..., 50599 ns; tR ends at 50175.
  EXPECT_EQ(read.at.array_end, 50'175'000U);
  EXPECT_EQ(read.at.data_begin, 50'705'000U);
  EXPECT_EQ(read.at.complete, 54'801'000U);
  EXPECT_EQ(bench->channel.bus_time(kernel_now()).command, 175'000U + 5 * 106'000U);
  expect_clean();
}

}  // namespace
}  // namespace flashloom::overlap_test
