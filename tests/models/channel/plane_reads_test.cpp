// Reads of single planes of one die, worked by hand; and the law that planes read as so many dies do.
//
// Figures as in overlap_test.cpp: command cycles of a read 175 ns, tR 50 us, a page 4096 ns on the bus. Block b is in
// plane b modulo planes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/models/channel/channel_bench.hpp"

namespace flashloom::plane_reads_test {
namespace {

using enum FlashOperation;

NandConfig one_die(std::uint32_t planes, std::uint32_t groups) {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.planes = planes;
  config.independent_planes = groups;
  config.blocks = 4;
  config.pages = 12;
  return config;
}

class PlaneReads : public testing::Test {
 protected:
  void make(const NandConfig& config) {
    bench = std::make_unique<ChannelBench>("channel", config, 4096);
    for (std::uint32_t block = 0; block < 2 * config.planes; ++block)
      for (std::uint32_t page = 0; page < 4; ++page) bench->media.apply(bench->make(Program, 0, block, page));
  }
  /// Reads of these blocks and pages, all sent at `at`.
  std::vector<OnfiCommand*> read_at(Picoseconds at, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pages) {
    std::vector<OnfiCommand*> reads;
    for (const auto& [block, page] : pages) {
      reads.push_back(&bench->make(Read, 0, block, page));
      bench->send_at(at, *reads.back());
    }
    return reads;
  }
  /// The reading time of each meter of the die, by name.
  std::map<std::string, Picoseconds> reading() {
    bench->channel.settle(kernel_now());
    bench->ledger.finish(kernel_now());
    std::map<std::string, Picoseconds> times;
    for (const ComponentEnergy& component : bench->ledger.report().components)
      for (const ComponentEnergy::State& each : component.states)
        if (component.kind == "nand" && each.name == "read") times[component.name] = each.residency;
    return times;
  }
  void expect_clean() {
    EXPECT_EQ(bench->checker.errors(), std::vector<std::string>{});
    EXPECT_EQ(bench->checker.open(), 0U);
  }

  std::unique_ptr<ChannelBench> bench;
};

TEST_F(PlaneReads, TwoPlanesReadDifferentPagesAtATime) {
  make(one_die(2, 2));
  const auto reads = read_at(0, {{0, 0}, {1, 3}});
  run_until(kMillisecond);
  EXPECT_EQ(reads[1]->at.granted, 175'000U);
  EXPECT_EQ(reads[1]->at.array_begin, 350'000U);
  EXPECT_EQ(reads[1]->at.array_end, 50'350'000U);
  EXPECT_EQ(reads[1]->at.data_begin, 54'271'000U);  // the bus sends the other plane's page until then
  using Completions = decltype(bench->completions);
  EXPECT_EQ(bench->completions, (Completions{{54'271'000, reads[0]}, {58'367'000, reads[1]}}));
  expect_clean();
  EXPECT_EQ(reading(),
            (std::map<std::string, Picoseconds>{{"channel_die0", 50'000'000}, {"channel_die0.planes1", 50'000'000}}));
}

TEST_F(PlaneReads, FourPlanesReadPagesOfDifferentTypes) {
  NandConfig config = one_die(4, 4);
  config.read_time = {45 * kMicrosecond, 45 * kMicrosecond, 57 * kMicrosecond};
  make(config);
  // Page 2 is an upper page. Commands end at 175, 350, 525, 700 ns; planes are ready at 57175, 45350, 45525, 45700 ns.
  // The bus sends the second page from 45350 to 49446, the third to 53542, the fourth to 57638, and the first to 61734.
  const auto reads = read_at(0, {{0, 2}, {1, 0}, {2, 1}, {3, 3}});
  run_until(kMillisecond);
  using Completions = decltype(bench->completions);
  EXPECT_EQ(
      bench->completions,
      (Completions{{49'446'000, reads[1]}, {53'542'000, reads[2]}, {57'638'000, reads[3]}, {61'734'000, reads[0]}}));
  EXPECT_EQ(bench->channel.bus_time(kernel_now()).command, 4 * 175'000U);
  EXPECT_EQ(bench->channel.bus_time(kernel_now()).data, 4 * 4'096'000U);
  expect_clean();
  const Picoseconds others = 45 * kMicrosecond;
  EXPECT_EQ(reading(), (std::map<std::string, Picoseconds>{{"channel_die0", 57 * kMicrosecond},
                                                           {"channel_die0.planes1", others},
                                                           {"channel_die0.planes2", others},
                                                           {"channel_die0.planes3", others}}));
}

class PlaneGroups : public PlaneReads, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(PlaneGroups, ReadOnePageAtATime) {
  make(one_die(4, 2));  // planes 0 and 1 are a group
  read_at(0, {{0, 0}, {GetParam(), 1}});
  if (GetParam() == 2)
    run_until(kMillisecond);
  else
    EXPECT_THROW(run_until(kMillisecond), sc_core::sc_report);  // of the kernel
}

INSTANTIATE_TEST_SUITE_P(Block, PlaneGroups, testing::Values(0, 1, 2, 4));

TEST_F(PlaneReads, AProgramTakesTheWholeDie) {
  make(one_die(2, 2));
  read_at(0, {{0, 0}});
  OnfiCommand& program = bench->make(Program, 0, 7, 0);
  bench->call_at(kMicrosecond, [&] { EXPECT_THROW(bench->send(program), std::logic_error); });
  run_until(kMillisecond);
}

TEST_F(PlaneReads, ASuspensionServesAllPlanes) {
  NandConfig config = one_die(2, 2);
  config.program_suspend = true;
  make(config);
  OnfiCommand& program = bench->make(Program, 0, 4, 0);
  bench->send_at(0, program);
  const auto reads = read_at(200 * kMicrosecond, {{0, 0}, {1, 3}});
  std::size_t done = 0;
  bench->on_complete = [&](OnfiCommand& command) {
    if (command.operation == Read && ++done == 2) bench->send(program);  // the controller resumes it
  };
  run_until(10 * kMillisecond);
  // The suspend command ends at 200025, the array stands at 220025; read commands until 220200 and 220375, tR until
  // 270200 and 270375, data until 274296 and 278392. The program resumes at 278417 for the remaining 604271 - 200025 =
  // 404246 and 5000.
  using Completions = decltype(bench->completions);
  EXPECT_EQ(bench->completions,
            (Completions{{274'296'000, reads[0]}, {278'392'000, reads[1]}, {687'663'000, &program}}));
  EXPECT_EQ(program.at.resumed, 278'417'000U);
  expect_clean();
}

TEST_F(PlaneReads, APlaneReadJoinsWhileTheArrayComesToAStand) {
  NandConfig config = one_die(4, 4);
  config.program_suspend = true;
  make(config);
  OnfiCommand& program = bench->make(Program, 0, 8, 0);
  bench->send_at(0, program);
  const auto first = read_at(200 * kMicrosecond, {{0, 0}});
  const auto second = read_at(210 * kMicrosecond, {{1, 0}});
  const auto third = read_at(230 * kMicrosecond, {{2, 0}});
  run_until(500 * kMicrosecond);
  EXPECT_EQ(first[0]->at.granted, 220'025'000U);
  EXPECT_EQ(second[0]->at.granted, 220'200'000U);
  EXPECT_EQ(third[0]->at.granted, 230'000'000U);
}

TEST_F(PlaneReads, ReadsBesideOneThatInterruptsBeginBehindWhatIsLetFinish) {
  NandConfig config = one_die(2, 2);
  config.program_suspend = true;
  make(config);
  OnfiCommand& program = bench->make(Program, 0, 4, 0);
  bench->send_at(0, program);
  const auto reads = read_at(590 * kMicrosecond, {{0, 0}, {1, 3}});
  run_until(10 * kMillisecond);
  EXPECT_EQ(program.at.complete, 604'271'000U);
  EXPECT_EQ(reads[0]->at.granted, 604'271'000U);
  EXPECT_EQ(reads[1]->at.granted, 604'446'000U);
  expect_clean();
}

TEST_F(PlaneReads, EachPlaneIsPolled) {
  NandConfig config = one_die(2, 2);
  config.ready_detection = "polling";
  make(config);
  const auto reads = read_at(0, {{0, 0}, {1, 3}});
  run_until(kMillisecond);
  // Status reads take 106 ns: the first plane's begin at 10175, 20281, ..., 50599 ns, as in overlap_test.cpp, the other
  // plane's at 10350 and so on to 50774. The bus sends data of the first plane from 50705 to 54801: the other plane's
  // last status read waits until then, and its data go from 54907.
  EXPECT_EQ(reads[0]->at.complete, 54'801'000U);
  EXPECT_EQ(reads[1]->at.data_begin, 54'907'000U);
  EXPECT_EQ(reads[1]->at.complete, 59'003'000U);
  expect_clean();
}

/// Makes reads on a drive of dies or planes (`planes`): each die or plane reads one page at a time, after a pause.
void drive(ChannelBench& bench, bool planes, const std::vector<std::vector<Picoseconds>>& pauses,
           std::vector<std::vector<const OnfiCommand*>>& reads) {
  reads.resize(pauses.size());
  std::map<const OnfiCommand*, std::size_t> unit_of;
  const auto next = [&](std::size_t unit) {
    const std::size_t number = reads[unit].size();
    if (number == pauses[unit].size()) return;
    const auto page = static_cast<std::uint32_t>((unit + number) % 3);
    OnfiCommand& read = planes ? bench.make(Read, 0, static_cast<std::uint32_t>(unit), page)
                               : bench.make(Read, static_cast<std::uint32_t>(unit), 0, page);
    reads[unit].push_back(&read);
    unit_of[&read] = unit;
    const Picoseconds at = kernel_now() + pauses[unit][number];
    if (at == kernel_now())
      bench.send(read);
    else
      bench.send_at(at, read);
  };
  bench.on_complete = [&](OnfiCommand& done) { next(unit_of.at(&done)); };
  bench.call_at(kernel_now(), [&] {
    for (std::size_t unit = 0; unit < pauses.size(); ++unit) next(unit);
  });
  run_until(kernel_now() + 100 * kMillisecond);
  bench.on_complete = {};
}

/// A die of four planes and four dies that are alike otherwise, with polling and with R/B#.
struct Pairs {
  Pairs() {
    for (int i = 0; i < 4; ++i) {
      NandConfig config = one_die(4, 4);
      config.read_time = {20 * kMicrosecond, 30 * kMicrosecond, 45 * kMicrosecond};
      config.transfer_rate = i < 2 ? 1'000'000'000 : 200'000'000;  // the slow bus is the bottleneck
      if (i % 2 == 1) config.ready_detection = "polling";
      ChannelBench& planes = benches.emplace_back("planes" + std::to_string(i), config, 4096);
      config.planes = config.independent_planes = 1;
      config.dies = 4;
      ChannelBench& dies = benches.emplace_back("dies" + std::to_string(i), config, 4096);
      for (std::uint32_t unit = 0; unit < 4; ++unit)
        for (std::uint32_t page = 0; page < 3; ++page) {
          planes.media.apply(planes.make(Program, 0, unit, page));
          dies.media.apply(dies.make(Program, unit, 0, page));
        }
    }
  }
  std::deque<ChannelBench> benches;
};

RC_GTEST_PROP(PlaneReadsLaw, PlanesReadAsSoManyDies, ()) {
  static Pairs pairs;
  const auto number = static_cast<std::size_t>(*rc::gen::inRange(0, 4));
  std::vector<std::vector<Picoseconds>> pauses(4);
  for (auto& each : pauses)
    each = *rc::gen::container<std::vector<Picoseconds>>(
        rc::gen::element<Picoseconds>(0, 0, 0, 100'000, 3 * kMicrosecond, 21 * kMicrosecond, 70 * kMicrosecond));
  std::vector<std::vector<const OnfiCommand*>> on_planes, on_dies;
  Picoseconds begin = kernel_now();
  drive(pairs.benches[2 * number], true, pauses, on_planes);
  const Picoseconds shift = kernel_now() - begin;
  drive(pairs.benches[2 * number + 1], false, pauses, on_dies);
  for (std::size_t unit = 0; unit < pauses.size(); ++unit) {
    RC_ASSERT(on_planes[unit].size() == pauses[unit].size() && on_dies[unit].size() == pauses[unit].size());
    for (std::size_t i = 0; i < pauses[unit].size(); ++i) {
      const FlashInstants& a = on_planes[unit][i]->at;
      const FlashInstants& b = on_dies[unit][i]->at;
      RC_ASSERT(a.granted + shift == b.granted && a.loaded + shift == b.loaded && a.array_end + shift == b.array_end);
      RC_ASSERT(a.data_begin + shift == b.data_begin && a.complete + shift == b.complete);
    }
  }
  RC_ASSERT(pairs.benches[2 * number].checker.errors().empty());
}

}  // namespace
}  // namespace flashloom::plane_reads_test
