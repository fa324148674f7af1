// Dies with cache commands and suspension under a flash controller.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "tests/controllers/flash/mix_laws.hpp"

namespace flashloom::overlap_test {
namespace {

using enum FlashOperation;

NandConfig two_dies() {
  NandConfig config;
  config.channels = 1;
  config.ways = 2;
  config.blocks = 4;
  config.pages = 64;
  return config;
}

TEST(FlashControllerOverlap, CacheProgramLiftsTheBoundOfADie) {
  // A page takes t_in + tPROG without cache program and max(t_in, tPROG) with it.
  NandConfig config = two_dies();
  config.ways = 1;
  config.cache_busy_time = 0;
  FlashBench plain(config, 4096, {"read_first", {}}, "plain");
  config.cache_program = true;
  FlashBench cached(config, 4096, {"read_first", {}}, "cached");
  for (FlashBench* const bench : {&plain, &cached})
    for (std::uint32_t page = 0; page < 32; ++page) bench->submit(Program, 0, 0, page);
  run_until(100 * kMillisecond);
  const Picoseconds in = plain.timing.command_time(Program) + plain.timing.data_time(4096);
  const Picoseconds array = 600 * kMicrosecond;
  ASSERT_EQ(plain.completed.size(), 32U);
  ASSERT_EQ(cached.completed.size(), 32U);
  EXPECT_EQ(plain.completed.back()->at.complete, 32 * (in + array));
  EXPECT_EQ(cached.completed.back()->at.complete, in + 32 * array);
  EXPECT_EQ(plain.flash.overlap_counts().cached_programs, 0U);
  EXPECT_EQ(cached.flash.overlap_counts().cached_programs, 31U);
  expect_clean(plain);
  expect_clean(cached);
}

TEST(FlashControllerOverlap, AReadSuspendsOnlyWhereItsArbitrationSaysSo) {
  struct Case {
    PolicyChoice arbitration;
    Origin origin;  // of the program
    bool suspends;
  };
  const Case cases[] = {{{"fifo", {}}, Origin::Gc, false},
                        {{"read_first", {}}, Origin::Host, true},
                        {{"out_of_order", {}}, Origin::Gc, true}};
  NandConfig config = two_dies();
  config.program_suspend = true;
  std::deque<FlashBench> benches;
  std::vector<OnfiCommand*> programs, reads;
  for (const Case& each : cases) {
    FlashBench& bench = benches.emplace_back(config, 4096, each.arbitration, each.arbitration.name.c_str());
    bench.media.apply(bench.make(Program, 0, 1, 0));
    programs.push_back(&bench.make(Program, 0, 0, 0));
    programs.back()->origin = each.origin;
    bench.flash.submit(*programs.back());
  }
  run_until(300 * kMicrosecond);
  for (FlashBench& bench : benches) reads.push_back(&bench.submit(Read, 0, 1, 0));
  run_until(10 * kMillisecond);
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    ASSERT_EQ(benches[i].completed.size(), 2U);
    EXPECT_EQ(benches[i].completed.front() == reads[i], cases[i].suspends) << cases[i].arbitration.name;
    EXPECT_EQ(benches[i].flash.overlap_counts().suspended_programs, cases[i].suspends ? 1U : 0U);
    EXPECT_EQ(benches[i].flash.overlap_counts().standing, programs[i]->at.suspended);
    expect_clean(benches[i]);
  }
}

TEST(FlashControllerOverlap, SuspensionsKeepToTheirLimits) {
  NandConfig config = two_dies();
  config.ways = 1;
  config.erase_suspend = true;
  config.suspend_limit = 3;
  config.suspend_hold = 200 * kMicrosecond;
  FlashBench bench(config, 4096, {"read_first", ParameterValues({{"bound", std::int64_t{1'000'000}}})});
  for (std::uint32_t page = 0; page < 4; ++page) bench.media.apply(bench.make(Program, 0, 1, page));
  const OnfiCommand& erase = bench.submit(Erase, 0, 0, 0);
  // Two reads are always in flight until the erase is done.
  std::uint32_t before = 0;
  bench.on_complete = [&](OnfiCommand& done) {
    if (done.operation != Read || erase.at.complete < kernel_now()) return;
    ++before;
    bench.submit(Read, 0, 1, before % 4);
  };
  bench.submit(Read, 0, 1, 0);
  bench.submit(Read, 0, 1, 1);
  run_until(20 * kMillisecond);
  // Each suspension serves reads of 54.271 us for 200 us: four reads, of which the fourth begins before the 200 us end.
  EXPECT_EQ(bench.flash.overlap_counts().suspended_erases, 3U);
  EXPECT_EQ(bench.flash.overlap_counts().interrupting_reads, 12U);
  EXPECT_EQ(before, 12U);
  EXPECT_EQ(erase.at.array_end - erase.at.array_begin - erase.at.suspended,
            3 * kMillisecond + 3 * (config.erase_suspend_time + config.erase_resume_time));
  expect_clean(bench);
}

/// A drive of each kind, built once before simulated time starts.
struct AllKinds {
  AllKinds() {
    for (const char* const arbitration : {"fifo", "read_first", "out_of_order"})
      for (int kind = 0; kind < 8; ++kind) {
        NandConfig config = two_dies();
        config.pages = 4;
        config.cache_read = kind != 1 && kind != 2;
        config.cache_program = kind != 1 && kind != 3;
        config.program_suspend = kind != 4;
        config.erase_suspend = kind != 4 && kind != 5;
        config.cache_busy_time = kind % 2 == 0 ? 0 : 3 * kMicrosecond;
        if (kind == 6 || kind == 1) config.ready_detection = "polling";
        config.suspend_interval = kind == 2 || kind == 7 ? 0 : 100 * kMicrosecond;
        config.suspend_limit = 1 + static_cast<std::uint32_t>(kind) % 3;
        if (kind == 0 || kind == 7) config.transfer_rate = 40'000'000;
        if (kind == 3) config.program_time = {20 * kMicrosecond};
        if (kind == 1 || kind == 2 || kind == 7) config.way_switch_time = 3 * kMicrosecond;
        if (kind == 2 || kind == 5) config.channel_switch_time = 40 * kMicrosecond;
        const std::string name = arbitration + std::to_string(kind);
        FlashBench& bench = benches.emplace_back(config, 4096, PolicyChoice{arbitration, {}}, name.c_str());
        for (std::uint32_t die = 0; die < 2; ++die)
          for (std::uint32_t page = 0; page < 4; ++page) bench.media.apply(bench.make(Program, die, 3, page));
      }
    next.resize(benches.size());
  }

  std::deque<FlashBench> benches;
  std::vector<std::array<std::uint32_t, 2>> next;  // steps of a die's blocks 0 to 2: erase, four programs, and so on
};

RC_GTEST_PROP(FlashControllerOverlap, AnyMixKeepsTheProtocolAndLosesNothing, ()) {
  static AllKinds kinds;
  auto& [benches, next] = kinds;
  const auto number = static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(benches.size())));
  FlashBench& bench = benches[number];
  bench.completed.clear();
  std::vector<OnfiCommand*> sent;
  const int count = *rc::gen::inRange(1, 60);
  for (int i = 0; i < count; ++i) {
    const auto pause = *rc::gen::element<Picoseconds>(0, 0, 10 * kMicrosecond, 150 * kMicrosecond);
    if (pause != 0) run_until(kernel_now() + pause);
    const auto die = static_cast<std::uint32_t>(*rc::gen::inRange(0, 2));
    OnfiCommand* command = nullptr;
    if (*rc::gen::inRange(0, 3) != 2) {
      command = &bench.make(Read, die, 3, static_cast<std::uint32_t>(*rc::gen::inRange(0, 4)));
    } else {
      const std::uint32_t step = next[number][die]++;
      command = step % 5 == 0 ? &bench.make(Erase, die, step / 5 % 3, 0)
                              : &bench.make(Program, die, step / 5 % 3, step % 5 - 1);
    }
    sent.push_back(command);
    bench.flash.submit(*command);
  }
  run_until(kernel_now() + kSecond);
  assert_lossless(bench, sent);
}

}  // namespace
}  // namespace flashloom::overlap_test
