// nand.page_register: when a read finds its page still in the die's register, and what it then costs.
#include <gtest/gtest.h>

#include "tests/controllers/flash/mix_laws.hpp"
#include "tests/controllers/flash/power_watch.hpp"

namespace flashloom::page_register_test {
namespace {

using enum FlashOperation;

// Command cycles of a read take 175 ns, tR 50 us, tCCS 500 ns, a page 4096 ns on the bus: 54.271 us, or 4.771 us.
constexpr Picoseconds kSense = 54'271'000;
constexpr Picoseconds kHeld = 4'771'000;

NandConfig device() {
  NandConfig config;
  config.channels = 1;
  config.ways = 1;
  config.planes = 2;
  config.blocks = 4;
  config.pages = 8;
  config.page_register = true;
  return config;
}

/// Its first pages are programmed.
struct Filled {
  explicit Filled(const NandConfig& config, const PowerCap& cap = {})
      : bench(config, 4096, {"fifo", {}}, "flash", cap) {
    for (std::uint32_t block = 0; block < 4; ++block)
      for (std::uint32_t page = 0; page < 4; ++page) bench.media.apply(bench.make(Program, 0, block, page));
  }
  FlashBench bench;
};

/// Time from the end of the command before.
Picoseconds took(const OnfiCommand& command, const OnfiCommand& before) {
  return command.at.complete - before.at.complete;
}

TEST(PageRegister, APageThatWasReadLastTakesNoSense) {
  Filled filled(device());
  FlashBench& bench = filled.bench;
  const OnfiCommand& first = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& again = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& other = bench.submit(Read, 0, 1, 3);
  const OnfiCommand& before = bench.submit(Read, 0, 1, 2);
  OnfiCommand& retry = bench.make(Read, 0, 1, 2);
  retry.retry = 1;
  bench.flash.submit(retry);
  const OnfiCommand& retried = bench.submit(Read, 0, 1, 2);
  run_until(kMillisecond);
  const OnfiCommand& late = bench.submit(Read, 0, 1, 2);
  run_until(2 * kMillisecond);
  EXPECT_EQ(first.at.complete, kSense);
  EXPECT_EQ(took(again, first), kHeld);
  EXPECT_EQ(took(other, again), kSense);
  EXPECT_EQ(took(before, other), kSense);
  EXPECT_EQ(took(retry, before), kSense);
  EXPECT_EQ(took(retried, retry), kSense);
  EXPECT_EQ(late.at.complete, kMillisecond + kHeld);
  EXPECT_EQ(bench.flash.overlap_counts().register_reads, 2U);
  expect_clean(bench);
  bench.ledger.finish(2 * kMillisecond);
  EXPECT_NEAR(bench.ledger.report().operations.at("nand.read").joules, 5 * 50e-6 * 3.3 * 25e-3, 1e-9);
}

TEST(PageRegister, AnyOtherWorkOfTheDieEmptiesIt) {
  Filled filled(device());
  FlashBench& bench = filled.bench;
  for (const FlashOperation operation : {Program, Erase}) {
    bench.submit(Read, 0, 1, 2);
    const OnfiCommand& work = bench.submit(operation, 0, operation == Program ? 0 : 2, operation == Program ? 4 : 0);
    const OnfiCommand& after = bench.submit(Read, 0, 1, 2);
    run_until(kernel_now() + 10 * kMillisecond);
    EXPECT_EQ(took(after, work), kSense) << to_string(operation);
  }
  bench.flash.power_cut(kernel_now());
  const Picoseconds on = kernel_now();
  const OnfiCommand& after = bench.submit(Read, 0, 1, 2);
  run_until(on + kMillisecond);
  EXPECT_EQ(after.at.complete, on + kSense);
  expect_clean(bench);
}

// Without the key an idle die keeps no page, but a read that has waited for one of its page takes no sense.
void expect_waiting_reads_served(const PowerCap& cap) {
  NandConfig config = device();
  config.page_register = false;
  Filled filled(config, cap);
  FlashBench& bench = filled.bench;
  const OnfiCommand& first = bench.submit(Read, 0, 1, 2);
  run_until(kSense - kMicrosecond);  // it is on the bus
  const OnfiCommand& again = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& other = bench.submit(Read, 0, 1, 3);
  const OnfiCommand& before = bench.submit(Read, 0, 1, 2);
  run_until(kMillisecond);
  const OnfiCommand& late = bench.submit(Read, 0, 1, 2);
  run_until(2 * kMillisecond);
  EXPECT_EQ(first.at.complete, kSense);
  EXPECT_EQ(took(again, first), kHeld);
  EXPECT_EQ(took(other, again), kSense);
  EXPECT_EQ(took(before, other), kSense);
  EXPECT_EQ(late.at.complete, kMillisecond + kSense);
  expect_clean(bench);
}

TEST(PageRegister, WithoutTheKeyServesReadsThatWaitedForTheirPage) { expect_waiting_reads_served({}); }
TEST(PageRegister, TheSameUnderACapOnDies) { expect_waiting_reads_served({.dies = 1}); }

// A cache read of the page that the die is reading would sense it again: the read waits, and those of the next page
// follow as cache reads.
TEST(PageRegister, NoCacheReadOfThePageBeingRead) {
  NandConfig config = device();
  config.page_register = false;
  config.cache_read = true;
  Filled filled(config);
  FlashBench& bench = filled.bench;
  const OnfiCommand& first = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& again = bench.submit(Read, 0, 1, 2);
  const OnfiCommand& other = bench.submit(Read, 0, 1, 3);
  const OnfiCommand& last = bench.submit(Read, 0, 1, 3);
  run_until(kMillisecond);
  EXPECT_EQ(took(again, first), kHeld + 3 * kMicrosecond + 175 * kNanosecond);  // gives way to the cache command
  EXPECT_EQ(took(last, other), kHeld);
  EXPECT_EQ(bench.flash.overlap_counts().cached_reads, 1U);
  EXPECT_EQ(bench.flash.overlap_counts().register_reads, 2U);
  expect_clean(bench);
}

// Under a cap of one array at a time, or of power, a read from the register asks for no more than it takes.
void expect_no_more_asked(const PowerCap& cap) {
  Filled filled(device(), cap);
  const OnfiCommand& first = filled.bench.submit(Read, 0, 1, 2);
  for (int i = 0; i != 20; ++i) filled.bench.submit(Read, 0, 1, 2);
  run_until(kMillisecond);
  EXPECT_EQ(first.at.complete, kSense);
  EXPECT_EQ(filled.bench.commands.back().at.complete, kSense + 20 * kHeld);
  expect_clean(filled.bench);
}

TEST(PageRegister, UnderACapOnDies) { expect_no_more_asked({.dies = 1}); }
TEST(PageRegister, UnderACapOnPower) { expect_no_more_asked({.watts = 0.1, .window = kMillisecond}); }

}  // namespace
}  // namespace flashloom::page_register_test
