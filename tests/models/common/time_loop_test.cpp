#include "models/common/time_loop.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/processes.hpp"

namespace flashloom::time_loop_test {
namespace {

// A process that wakes itself every 10 ps and logs the model's time and the kernel's.
struct Ticker {
  std::vector<std::pair<Picoseconds, Picoseconds>> log;
  std::size_t ticks;
  LoopProcess process{[this] {
    log.emplace_back(kernel_now(), sc_core::sc_time_stamp().value());
    if (log.size() < ticks) process.notify_at(kernel_now() + 10);
  }};
  explicit Ticker(std::size_t n) : ticks(n) { process.notify_at(10); }
};

using Times = std::vector<std::pair<Picoseconds, Picoseconds>>;

TEST(TimeLoop, KeepsToTheKernelsTimeUnlessItMayRunAhead) {
  Ticker ticker(5);
  sc_core::sc_start(kernel_time(35));
  EXPECT_EQ(ticker.log, (Times{{10, 10}, {20, 20}, {30, 30}}));
  TimeLoop::instance().run();
  EXPECT_EQ(ticker.log, (Times{{10, 10}, {20, 20}, {30, 30}, {40, 40}, {50, 40}}));
  EXPECT_EQ(kernel_now(), 50U);
  EXPECT_EQ(TimeLoop::instance().cycles(), 5U);
}

TEST(TimeLoop, RunsForSoLongAndNotWhatIsDueThen) {
  Ticker ticker(1000);
  TimeLoop::instance().run_for(100);
  EXPECT_EQ(ticker.log.size(), 9U);
  EXPECT_EQ(kernel_now(), 100U);
  EXPECT_EQ(sc_core::sc_time_stamp().value(), 100U);
  TimeLoop::instance().run_for(5);
  EXPECT_EQ(ticker.log.size(), 10U);
  EXPECT_EQ(kernel_now(), 105U);
  TimeLoop::instance().run_for(5);
  EXPECT_EQ(ticker.log.size(), 10U) << "due at 110";
}

TEST(TimeLoop, APauseLetsTheDeltaCycleEnd) {
  std::vector<std::string> log;
  std::unique_ptr<LoopProcess> second;
  LoopProcess first([&] {
    log.push_back("first");
    TimeLoop::pause();
    second->notify_at(kernel_now());
  });
  second = std::make_unique<LoopProcess>([&] { log.push_back("second"); });
  LoopProcess also([&] { log.push_back("also"); });
  first.notify_at(10);
  also.notify_at(10);
  TimeLoop::instance().run();
  EXPECT_EQ(log, (std::vector<std::string>{"first", "also"}));
  EXPECT_EQ(kernel_now(), 10U);
  TimeLoop::instance().run();
  EXPECT_EQ(log.back(), "second");
  EXPECT_EQ(kernel_now(), 10U);
}

// With another process in the model, so without running ahead.
TEST(TimeLoop, OthersHaveTheirTurnsBetween) {
  std::vector<Picoseconds> log;
  Ticker ticker(4);
  KernelMethod other("other", [&] { log.push_back(kernel_now() + ticker.log.size()); });
  other.event.notify(kernel_time(25));
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log, (std::vector<Picoseconds>{27}));
  EXPECT_EQ(ticker.log.size(), 4U);
}

TEST(TimeLoop, AProcessMayGoWhileItIsNotified) {
  auto going = std::make_unique<LoopProcess>([] { FAIL() << "it is no more"; });
  auto later = std::make_unique<LoopProcess>([] { FAIL() << "it is no more"; });
  LoopProcess first([&] { going.reset(); });
  first.notify_at(10);
  going->notify_at(10);
  later->notify_at(20);
  later.reset();
  TimeLoop::instance().run();
  EXPECT_EQ(kernel_now(), 10U);
}

// More processes than the queue has room for at first; each moves its time once, which leaves stale entries in the
// queue.
TEST(TimeLoop, ManyAreWokenInTheOrderOfTheirTimes) {
  constexpr std::size_t kMany = 300;
  std::vector<Picoseconds> woken;
  std::vector<std::unique_ptr<LoopProcess>> processes;
  for (std::size_t i = 0; i < kMany; ++i) {
    processes.push_back(std::make_unique<LoopProcess>([&woken] { woken.push_back(kernel_now()); }));
    const Picoseconds at = 1 + i * 7919 % kMany;
    processes.back()->notify_at(at + kMany);
    processes.back()->notify_at(at);
  }
  TimeLoop::instance().run();
  ASSERT_EQ(woken.size(), kMany);
  for (std::size_t i = 0; i < kMany; ++i) EXPECT_EQ(woken[i], i + 1);
}

}  // namespace
}  // namespace flashloom::time_loop_test
