// Phases of multi-plane and copyback commands on one channel, worked by hand, for one, two and four ways.
//
// Figures of all tests: command cycles of a read or a program page 175 ns, of an erase 125 ns a plane; tR 50 us, tPROG
// 600 us, tBERS 3 ms; a page 4096 ns on the bus. A multi-plane read of two pages: 2 x 175 ns of command cycles, then
// for each page 175 ns to select its plane and 4096 ns of data.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::command_groups_test {
namespace {

using enum FlashOperation;

NandConfig two_planes(std::uint32_t ways, bool together) {
  NandConfig config;
  config.channels = 1;
  config.ways = ways;
  config.planes = 2;
  config.blocks = 4;
  config.pages = 4;
  config.multi_plane_program = together;
  config.multi_plane_read = true;
  config.copyback = true;
  return config;
}

/// Records every phase that the observer of a channel is told, as "die phase@ns".
class Record final : public OnfiObserver {
 public:
  void on_phase(const OnfiCommand& command, OnfiPhase phase, Picoseconds at) override {
    constexpr const char* kNames[] = {"begin", "grant", "array", "stands", "runs", "ready", "data", "end"};
    lines.push_back(std::to_string(command.address.die.value()) + " " + kNames[static_cast<std::size_t>(phase)] + "@" +
                    std::to_string(at / 1000));
  }
  std::vector<std::string> lines;
};

using Lines = std::vector<std::string>;

class CommandGroups : public testing::Test {
 protected:
  // With planes together, pages 2r and 2r + 1 of an erase unit are row r of planes 0 and 1.
  OnfiCommand& read_both(ChannelBench& bench, std::uint32_t die, std::uint32_t block, std::uint32_t row) {
    OnfiCommand& first = bench.make(Read, die, block, 2 * row);
    first.together = &bench.make(Read, die, block, 2 * row + 1);
    return first;
  }
  /// The group that copies program unit `from` to `to`, planes together.
  OnfiCommand& copy(ChannelBench& bench, std::uint32_t die, std::uint32_t from_block, std::uint32_t from_row,
                    std::uint32_t to_block, std::uint32_t to_row) {
    OnfiCommand& program = bench.make(Program, die, to_block, 2 * to_row);
    program.bytes = 0;
    OnfiCommand& first = read_both(bench, die, from_block, from_row);
    first.bytes = first.together->bytes = 0;
    first.oob = program.oob;
    first.together->oob = program.oob + 1;
    first.then = &program;
    return first;
  }
  void fill(ChannelBench& bench, std::uint32_t die, std::uint32_t block, std::uint32_t rows) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      OnfiCommand& program = bench.make(Program, die, block, 2 * row);
      program.oob[0] = 100 + 2 * row;
      program.oob[1] = 101 + 2 * row;
      bench.media.apply(program);
    }
  }
  void expect_clean(const ChannelBench& bench) {
    EXPECT_EQ(bench.checker.errors(), std::vector<std::string>{});
    EXPECT_EQ(bench.checker.open(), 0U);
  }
};

TEST_F(CommandGroups, MultiPlaneReadOfOneWay) {
  ChannelBench bench("channel", two_planes(1, true), 4096);
  Record record;
  bench.channel.attach(record);
  fill(bench, 0, 0, 2);
  OnfiCommand& first = read_both(bench, 0, 0, 1);
  bench.send_at(0, first);
  run_until(kMillisecond);
  // Command cycles until 350 ns, the array until 50,350 ns; then 175 + 4096 ns for each page.
  EXPECT_EQ(record.lines, (Lines{"0 begin@0", "0 grant@0", "0 array@350", "0 ready@50350", "0 data@50350",
                                 "0 end@54621", "0 data@54621", "0 end@58892"}));
  EXPECT_EQ(first.oob[0], 102U);
  EXPECT_EQ(first.together->oob[0], 103U);
  EXPECT_EQ(bench.completions.size(), 2U);
  EXPECT_EQ(bench.channel.wakes(), 2U);
  EXPECT_EQ(bench.channel.bus_time(kMillisecond).command, 4U * 175'000);
  EXPECT_EQ(bench.channel.bus_time(kMillisecond).data, 2U * 4'096'000);
  expect_clean(bench);
}

TEST_F(CommandGroups, MultiPlaneReadsOfTwoWays) {
  ChannelBench bench("channel", two_planes(2, true), 4096);
  Record record;
  bench.channel.attach(record);
  bench.send_at(0, read_both(bench, 0, 0, 0));
  bench.send_at(0, read_both(bench, 1, 0, 0));
  run_until(kMillisecond);
  // Die 0 is ready at 50,350 and sends both its pages before die 1, which has been ready since 50,700.
  EXPECT_EQ(record.lines, (Lines{"0 begin@0", "1 begin@0", "0 grant@0", "0 array@350", "1 grant@350", "1 array@700",
                                 "0 ready@50350", "0 data@50350", "1 ready@50700", "0 end@54621", "0 data@54621",
                                 "0 end@58892", "1 data@58892", "1 end@63163", "1 data@63163", "1 end@67434"}));
  expect_clean(bench);
}

TEST_F(CommandGroups, MultiPlaneReadsOfFourWaysFillTheBus) {
  ChannelBench bench("channel", two_planes(4, true), 4096);
  std::vector<OnfiCommand*> reads;
  for (std::uint32_t die = 0; die < 4; ++die) {
    reads.push_back(&read_both(bench, die, 0, 0));
    bench.send_at(0, *reads.back());
  }
  run_until(kMillisecond);
  // The bus sends 8 data-outs of 4271 ns without a pause after the first array.
  for (std::uint32_t die = 0; die < 4; ++die) {
    EXPECT_EQ(reads[die]->at.granted, die * 350'000U);
    EXPECT_EQ(reads[die]->at.complete, 50'350'000U + (2 * die + 1) * 4'271'000U);
    EXPECT_EQ(reads[die]->together->at.complete, 50'350'000U + (2 * die + 2) * 4'271'000U);
  }
  expect_clean(bench);
}

TEST_F(CommandGroups, ACommandMayPassBetweenThePagesOfAGroup) {
  ChannelBench bench("channel", two_planes(2, true), 4096);
  OnfiCommand& group = read_both(bench, 0, 0, 0);
  OnfiCommand& erase = bench.make(Erase, 1, 1, 0);
  bench.send_at(0, group);
  bench.send_at(51 * kMicrosecond, erase);
  run_until(4 * kMillisecond);
  // The erase (2 x 125 ns for two planes) goes between the two data-outs.
  EXPECT_EQ(group.at.complete, 54'621'000U);
  EXPECT_EQ(erase.at.granted, 54'621'000U);
  EXPECT_EQ(group.together->at.data_begin, 54'871'000U);
  EXPECT_EQ(group.together->at.complete, 59'142'000U);
  expect_clean(bench);
}

class MultiPlaneWays : public CommandGroups, public testing::WithParamInterface<std::uint32_t> {};

// Each program takes 2 x (175 + 4096) ns on the bus, one after the other; arrays work side by side. Erases: 2 x 125 ns.
TEST_P(MultiPlaneWays, ProgramThenErase) {
  const std::uint32_t ways = GetParam();
  ChannelBench bench("channel", two_planes(ways, true), 4096);
  std::vector<OnfiCommand*> programs, erases;
  for (std::uint32_t die = 0; die < ways; ++die) {
    programs.push_back(&bench.make(Program, die, 0, 0));
    bench.send_at(0, *programs.back());
  }
  run_until(2 * kMillisecond);
  for (std::uint32_t die = 0; die < ways; ++die)
    EXPECT_EQ(programs[die]->at.complete, (die + 1) * 8'542'000U + 600'000'000U);
  for (std::uint32_t die = 0; die < ways; ++die) {
    erases.push_back(&bench.make(Erase, die, 0, 0));
    bench.send(*erases.back());
  }
  run_until(6 * kMillisecond);
  for (std::uint32_t die = 0; die < ways; ++die)
    EXPECT_EQ(erases[die]->at.complete, 2 * kMillisecond + (die + 1) * 250'000U + 3'000'000'000U);
  expect_clean(bench);
}

// Copybacks with planes together take 2 x 175 ns, tR, 2 x 175 ns, tPROG; the second half's cycles never wait, since the
// array times keep the dies apart.
TEST_P(MultiPlaneWays, Copyback) {
  const std::uint32_t ways = GetParam();
  ChannelBench bench("channel", two_planes(ways, true), 4096);
  std::vector<OnfiCommand*> copies;
  for (std::uint32_t die = 0; die < ways; ++die) {
    fill(bench, die, 0, 1);
    copies.push_back(&copy(bench, die, 0, 0, 1, 0));
    bench.send_at(0, *copies.back());
  }
  bench.on_complete = [&](OnfiCommand& done) {
    for (OnfiCommand* first : copies)
      if (&done == first->together) bench.send(*first->then);
  };
  run_until(2 * kMillisecond);
  for (std::uint32_t die = 0; die < ways; ++die) {
    const OnfiCommand& program = *copies[die]->then;
    EXPECT_EQ(copies[die]->at.complete, (die + 1) * 350'000U + 50'000'000U);
    EXPECT_EQ(copies[die]->together->at.complete, copies[die]->at.complete);
    EXPECT_EQ(program.at.complete, copies[die]->at.complete + 350'000U + 600'000'000U);
    EXPECT_EQ(bench.media.oob({Die{die}, Block{1}, Page{0}}, 0), 100U);
    EXPECT_EQ(bench.media.oob({Die{die}, Block{1}, Page{1}}, 0), 101U);
  }
  EXPECT_EQ(bench.channel.bus_time(kernel_now()).data, 0U);
  expect_clean(bench);
}

INSTANTIATE_TEST_SUITE_P(Ways, MultiPlaneWays, testing::Values(1U, 2U, 4U));

// Single planes: page 1 of block 1 (plane 1) goes to block 3 (plane 1).
TEST_F(CommandGroups, CopybackOfOneWay) {
  ChannelBench bench("channel", two_planes(1, false), 4096);
  Record record;
  bench.channel.attach(record);
  for (std::uint32_t page = 0; page < 2; ++page) {
    OnfiCommand& program = bench.make(Program, 0, 1, page);
    program.oob[0] = 7 + page;
    bench.media.apply(program);
  }
  OnfiCommand& program = bench.make(Program, 0, 3, 0);
  program.bytes = 0;
  OnfiCommand& read = bench.make(Read, 0, 1, 1);
  read.bytes = 0;
  read.oob = program.oob;
  read.then = &program;
  bench.on_complete = [&](OnfiCommand& done) {
    if (&done == &read) bench.send(program);
  };
  bench.send_at(0, read);
  run_until(kMillisecond);
  // 175 ns of command cycles and tR; 175 ns and tPROG: no data on the bus.
  EXPECT_EQ(record.lines, (Lines{"0 begin@0", "0 grant@0", "0 array@175", "0 ready@50175", "0 end@50175",
                                 "0 begin@50175", "0 grant@50175", "0 array@50350", "0 ready@650350", "0 end@650350"}));
  EXPECT_EQ(bench.media.oob({Die{0}, Block{3}, Page{0}}, 0), 8U);
  EXPECT_EQ(bench.channel.bus_time(kMillisecond).data, 0U);
  expect_clean(bench);
}

TEST_F(CommandGroups, NothingComesBetweenACopybacksReadAndItsProgram) {
  ChannelBench bench("channel", two_planes(1, true), 4096);
  fill(bench, 0, 0, 1);
  OnfiCommand& group = copy(bench, 0, 0, 0, 1, 0);
  bench.send_at(0, group);
  run_until(kMillisecond);
  EXPECT_THROW(
      {
        bench.send(bench.make(Read, 0, 0, 0));
        run_until(2 * kMillisecond);
      },
      sc_core::sc_report);
}

TEST_F(CommandGroups, RulesOfTheDie) {
  const NandConfig config = two_planes(1, true);
  const NandGeometry geometry(config, 4096);
  NandMedia media(geometry, true, 0);
  ChannelBench bench("channel", config, 4096, false);
  const auto message = [&media](const OnfiCommand& command) -> std::string {
    try {
      media.check(command);
    } catch (const FirmwareViolation& violation) {
      return violation.what();
    }
    return "";
  };
  const auto expect_rule = [&](const OnfiCommand& command, const char* rule) {
    EXPECT_NE(message(command).find(rule), std::string::npos) << "\"" << message(command) << "\" and not " << rule;
  };
  OnfiCommand& good = copy(bench, 0, 0, 0, 1, 0);
  EXPECT_EQ(message(good), "");
  good.together->address.page = Page{3};
  expect_rule(good, "one row");
  good.together->address.page = Page{0};
  expect_rule(good, "different planes");
  good.together->address.page = Page{1};
  good.together->oob = good.oob;
  expect_rule(good, "programs what it read");
  good.together->oob = good.oob + 1;
  good.together->bytes = 4096;
  expect_rule(good, "moves no data");
  good.together->bytes = 0;
  good.together = nullptr;
  expect_rule(good, "what its program unit holds");

  NandConfig plain = config;
  plain.multi_plane_read = plain.copyback = false;
  NandMedia without(NandGeometry(plain, 4096), true, 0);
  EXPECT_THROW(without.check(read_both(bench, 0, 0, 0)), FirmwareViolation);
  OnfiCommand& program = bench.make(Program, 0, 1, 0);
  OnfiCommand& alone = bench.make(Read, 0, 0, 0);
  alone.then = &program;
  EXPECT_THROW(without.check(alone), FirmwareViolation);
}

}  // namespace
}  // namespace flashloom::command_groups_test
