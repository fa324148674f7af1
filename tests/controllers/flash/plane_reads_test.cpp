// Dies whose plane groups read independently, under a flash controller: which command passes which, to the tick;
// throughput in closed form; and the laws of any mix of commands.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "tests/controllers/flash/mix_laws.hpp"

namespace flashloom::plane_reads_test {
namespace {

using enum FlashOperation;

// Command cycles of a read take 175 ns, tR 50 us, a page 4096 ns on the bus; a program's data are in after 4271 ns,
// tPROG is 600 us. Block b is in plane b modulo planes.
NandConfig one_die(std::uint32_t planes) {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.planes = planes;
  config.independent_planes = planes;
  config.blocks = 4;
  config.pages = 8;
  return config;
}

void fill(FlashBench& bench, std::uint32_t dies, std::uint32_t first, std::uint32_t blocks, std::uint32_t pages) {
  for (std::uint32_t die = 0; die < dies; ++die)
    for (std::uint32_t block = first; block < first + blocks; ++block)
      for (std::uint32_t page = 0; page < pages; ++page) bench.media.apply(bench.make(Program, die, block, page));
}

TEST(FlashControllerPlanes, AProgramWhoseTurnItIsWaitsForAllPlanesAndNothingPassesIt) {
  FlashBench bench(one_die(2), 4096, {"fifo", {}});
  fill(bench, 1, 0, 4, 4);
  const OnfiCommand& first = bench.submit(Read, 0, 0, 0);
  const OnfiCommand& second = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& program = bench.submit(Program, 0, 6, 0);
  const OnfiCommand& third = bench.submit(Read, 0, 2, 0);
  run_until(10 * kMillisecond);
  EXPECT_EQ(first.at.complete, 54'271'000U);
  EXPECT_EQ(second.at.complete, 58'367'000U);
  EXPECT_EQ(program.at.granted, 58'367'000U);
  EXPECT_EQ(program.at.complete, 662'638'000U);
  EXPECT_EQ(third.at.complete, 662'638'000U + 54'271'000U);
  EXPECT_EQ(bench.flash.overlap_counts().plane_reads, 1U);
  expect_clean(bench);
  // The arrays are busy from 175 to 50350 ns, the union of two reads; beside that the bus moves 175 ns before it and
  // until 58367 ns after it.
  const DieActivity activity = bench.flash.activity(Die{0}, kernel_now());
  EXPECT_EQ(activity.read, 50'175'000U + 50'000'000U);
  EXPECT_EQ(activity.transfer, 175'000U + (58'367'000U - 50'350'000U) + 4'271'000U + 175'000U + 4'096'000U);
  EXPECT_EQ(activity.program, 600'000'000U);
}

TEST(FlashControllerPlanes, ReadsOfAPlaneKeepTheirOrderAndThoseOfOthersPass) {
  FlashBench bench(one_die(4), 4096, {"read_first", {}});
  fill(bench, 1, 0, 8, 4);
  // Reads of planes 0, 0, 0, 2: the last one does not wait for the two before it.
  const std::array<const OnfiCommand*, 4> reads = {&bench.submit(Read, 0, 0, 0), &bench.submit(Read, 0, 4, 0),
                                                   &bench.submit(Read, 0, 0, 1), &bench.submit(Read, 0, 2, 0)};
  const OnfiCommand& program = bench.submit(Program, 0, 12, 0);
  run_until(10 * kMillisecond);
  EXPECT_EQ(bench.completed,
            (std::vector<OnfiCommand*>{const_cast<OnfiCommand*>(reads[0]), const_cast<OnfiCommand*>(reads[3]),
                                       const_cast<OnfiCommand*>(reads[1]), const_cast<OnfiCommand*>(reads[2]),
                                       const_cast<OnfiCommand*>(&program)}));
  EXPECT_EQ(reads[3]->at.granted, 175'000U);
  EXPECT_EQ(reads[1]->at.granted, 54'271'000U);  // on the bus, commands go before data
  EXPECT_EQ(reads[3]->at.complete, 54'271'000U + 175'000U + 4'096'000U);
  EXPECT_EQ(program.at.granted, reads[2]->at.complete);
  expect_clean(bench);
}

TEST(FlashControllerPlanes, AReadOfSeveralPlanesIsNotPassedForEver) {
  NandConfig config = one_die(2);
  config.multi_plane_read = true;
  FlashBench bench(config, 4096, {"read_first", {}});
  fill(bench, 1, 0, 4, 4);
  bench.submit(Read, 0, 0, 0);
  OnfiCommand& both = bench.make(Read, 0, 2, 1);
  OnfiCommand& other = bench.make(Read, 0, 3, 1);
  both.together = &other;
  bench.flash.submit(both);
  const OnfiCommand& later = bench.submit(Read, 0, 1, 0);  // its plane is idle, but the read of two planes comes first
  run_until(kMillisecond);
  EXPECT_EQ(both.at.granted, 54'271'000U);
  EXPECT_EQ(later.at.granted, other.at.complete);
  EXPECT_EQ(bench.flash.counters().read_together, 1U);
  expect_clean(bench);
}

TEST(FlashControllerPlanes, SuspensionServesAllPlanes) {
  NandConfig config = one_die(4);
  config.program_suspend = true;
  FlashBench bench(config, 4096, {"read_first", {}});
  fill(bench, 1, 0, 4, 4);
  const OnfiCommand& program = bench.submit(Program, 0, 8, 0);
  run_until(200 * kMicrosecond);
  std::vector<const OnfiCommand*> reads;
  for (std::uint32_t plane = 0; plane < 4; ++plane) reads.push_back(&bench.submit(Read, 0, plane, plane));
  run_until(10 * kMillisecond);
  // The program is suspended at 220025 ns; read commands end at 220200, 220375, ... ns, data at 274296 ns and every
  // 4096 ns after.
  for (std::uint32_t plane = 0; plane < 4; ++plane) {
    EXPECT_EQ(reads[plane]->at.loaded, 220'200'000U + plane * 175'000U);
    EXPECT_EQ(reads[plane]->at.complete, 274'296'000U + plane * 4'096'000U);
  }
  EXPECT_EQ(program.at.resumed, reads[3]->at.complete + 25'000U);
  EXPECT_EQ(program.at.complete, program.at.resumed + 404'246'000U + 5'000'000U);
  EXPECT_EQ(bench.flash.overlap_counts().suspended_programs, 1U);
  EXPECT_EQ(bench.flash.overlap_counts().interrupting_reads, 4U);
  EXPECT_EQ(bench.flash.overlap_counts().plane_reads, 3U);
  expect_clean(bench);
  EXPECT_EQ(bench.flash.activity(Die{0}, kernel_now()).program, 625 * kMicrosecond);  // 20 to suspend, 5 to resume
}

// Throughput is min(bus, planes x dies x page / (command + tR + data)).
TEST(FlashControllerPlanes, ThroughputIsThatOfAllPlanesOrOfTheBus) {
  struct Case {
    std::uint32_t groups;
    std::uint32_t dies;
    Picoseconds read_time;
  };
  const std::vector<Case> cases = {{1, 1, 50 * kMicrosecond},
                                   {2, 1, 50 * kMicrosecond},
                                   {4, 1, 50 * kMicrosecond},
                                   {4, 2, 50 * kMicrosecond},
                                   {4, 2, 20 * kMicrosecond}};
  std::deque<FlashBench> benches;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    NandConfig config = one_die(4);
    config.independent_planes = cases[i].groups;
    config.dies = cases[i].dies;
    config.read_time = {cases[i].read_time};
    FlashBench& bench =
        benches.emplace_back(config, 4096, PolicyChoice{"read_first", {}}, ("flash" + std::to_string(i)).c_str());
    fill(bench, cases[i].dies, 0, 4, 4);
  }
  constexpr std::uint32_t kReads = 4000;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (std::uint32_t n = 0; n < kReads; ++n) benches[i].submit(Read, n % cases[i].dies, n / cases[i].dies % 4, n % 3);
  run_until(kSecond);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Picoseconds bus = 175'000 + 4'096'000;
    const Picoseconds each = std::max(bus, (bus + cases[i].read_time) / (cases[i].groups * cases[i].dies));
    const auto expected = static_cast<double>(kReads * each);
    EXPECT_EQ(benches[i].completed.size(), kReads);
    EXPECT_NEAR(static_cast<double>(benches[i].completed.back()->at.complete) / expected, 1, 0.01) << i;
    expect_clean(benches[i]);
  }
}

/// A drive of each kind, built once before simulated time starts.
struct AllKinds {
  AllKinds() {
    for (const char* const arbitration : {"fifo", "read_first", "out_of_order", "fair"})
      for (int kind = 0; kind < 6; ++kind) {
        NandConfig config = one_die(kind % 2 == 0 ? 4 : 2);
        if (kind == 4) config.independent_planes = 2;
        config.ways = 2;
        config.multi_plane_read = kind != 3;
        config.copyback = true;
        config.program_suspend = kind >= 2;
        config.erase_suspend = kind == 2 || kind == 5;
        config.cache_program = kind == 4 || kind == 5;
        config.suspend_interval = kind == 2 ? 0 : 100 * kMicrosecond;
        config.suspend_limit = 1 + static_cast<std::uint32_t>(kind) % 3;
        if (kind == 1 || kind == 5) config.ready_detection = "polling";
        if (kind == 0 || kind == 5) config.transfer_rate = 100'000'000;
        if (kind == 3) config.way_switch_time = 3 * kMicrosecond;
        config.read_time = {45 * kMicrosecond, 60 * kMicrosecond};
        const std::string name = arbitration + std::to_string(kind);
        FlashBench& bench = benches.emplace_back(config, 4096, PolicyChoice{arbitration, {}}, name.c_str(), PowerCap{},
                                                 kind == 3 ? kMillisecond : 0);
        if (kind == 3) bench.flash.throttle(0.5);
        fill(bench, 2, 0, config.planes, 4);
      }
    next.resize(benches.size());
  }

  std::deque<FlashBench> benches;
  std::vector<std::array<std::uint32_t, 2>> next;  // steps of a die's second row of blocks: erase, four programs, ...
};

RC_GTEST_PROP(FlashControllerPlanes, AnyMixKeepsTheProtocolAndLosesNothing, ()) {
  static AllKinds kinds;
  auto& [benches, next] = kinds;
  const auto number = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(benches.size())));
  FlashBench& bench = benches[number];
  const std::uint32_t planes = bench.config.planes;
  const auto below = [](std::uint32_t n) { return static_cast<std::uint32_t>(*rc::gen::inRange<std::uint32_t>(0, n)); };
  bench.completed.clear();
  std::vector<OnfiCommand*> sent;
  const int count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto pause = *rc::gen::element<Picoseconds>(0, 0, 0, 10 * kMicrosecond, 150 * kMicrosecond);
    if (pause != 0) run_until(kernel_now() + pause);
    const std::uint32_t die = below(2);
    const std::uint32_t kind = below(8);
    OnfiCommand* command = nullptr;
    if (kind < 6) {
      const std::uint32_t plane = below(planes);
      command = &bench.make(Read, die, plane, below(4));
      sent.push_back(command);
      if (kind == 0 && bench.config.multi_plane_read) {
        command->together =
            &bench.make(Read, die, (plane + 1 + below(planes - 1)) % planes, command->address.page.value());
        sent.push_back(command->together);
      }
    } else {
      const std::uint32_t step = next[number][die]++;
      const std::uint32_t block = planes + step / 5 % planes;
      command = step % 5 == 0 ? &bench.make(Erase, die, block, 0) : &bench.make(Program, die, block, step % 5 - 1);
      sent.push_back(command);
      if (kind == 7 && step % 5 != 0) {  // as a copyback
        command->bytes = 0;
        OnfiCommand& read = bench.make(Read, die, block % planes, step % 5 - 1);
        read.bytes = 0;
        read.oob = command->oob;
        read.then = command;
        sent.push_back(&read);
        command = &read;
      }
    }
    bench.flash.submit(*command);
  }
  run_until(kernel_now() + kSecond);
  assert_lossless(bench, sent);
}

}  // namespace
}  // namespace flashloom::plane_reads_test
