#include "models/common/timer_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace flashloom::timer_queue_test {
namespace {

struct Call final : Timer {
  explicit Call(std::function<void()> f) : what(std::move(f)) {}
  void on_timer() override { what(); }
  std::function<void()> what;
};

TEST(TimerQueue, RunsInOrderOfTimeThenSchedule) {
  TimerQueue queue("timers");
  std::vector<std::pair<Picoseconds, int>> log;
  auto note = [&log](int id) { return Call([&log, id] { log.emplace_back(kernel_now(), id); }); };
  Call a = note(1), b = note(2), c = note(3), d = note(4);
  queue.schedule(a, 3000);
  queue.schedule(b, 1000);
  queue.schedule(c, 3000);
  queue.schedule(d, 3000);
  queue.schedule(b, 3000);
  EXPECT_EQ(queue.next(), 1000U);
  sc_core::sc_start(kernel_time(2999));
  EXPECT_EQ(log.size(), 1U);
  sc_core::sc_start(kernel_time(2));  // sc_start() stops before what is due at its end time
  using Log = std::vector<std::pair<Picoseconds, int>>;
  EXPECT_EQ(log, (Log{{1000, 2}, {3000, 1}, {3000, 3}, {3000, 4}, {3000, 2}}));
  EXPECT_EQ(queue.wakes(), 2U);
  EXPECT_EQ(queue.next(), kNever);
}

TEST(TimerQueue, ATimerMaySchedule) {
  TimerQueue queue("timers");
  std::vector<std::string> log;
  Call now_again([&] { log.push_back("now " + std::to_string(kernel_now())); });
  Call later([&] { log.push_back("later " + std::to_string(kernel_now())); });
  Call first([&] {
    log.push_back("first " + std::to_string(kernel_now()));
    queue.schedule(later, kernel_now() + 5);
    queue.schedule(now_again, kernel_now());
  });
  Call second([&] { log.push_back("second " + std::to_string(kernel_now())); });
  queue.schedule(first, 10);
  queue.schedule(second, 10);
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log, (std::vector<std::string>{"first 10", "second 10", "now 10", "later 15"}));
  EXPECT_EQ(queue.wakes(), 2U);
}

TEST(TimerQueue, EarlierTimeMovesTheWakeAndNowIsNextDelta) {
  TimerQueue queue("timers");
  std::vector<Picoseconds> log;
  Call note([&] { log.push_back(kernel_now()); });
  queue.schedule(note, 5000);
  queue.schedule(note, 0);
  sc_core::sc_start(kernel_time(100));
  queue.schedule(note, 200);
  queue.schedule(note, 100);
  sc_core::sc_start(kernel_time(10'000));
  EXPECT_EQ(log, (std::vector<Picoseconds>{0, 100, 200, 5000}));
}

TEST(TimerQueue, CancelAll) {
  TimerQueue queue("timers");
  std::vector<Picoseconds> log;
  Call note([&] { log.push_back(kernel_now()); });
  Call cut([&] {
    queue.cancel_all();
    queue.schedule(note, 70);
  });
  queue.schedule(note, 10);
  queue.schedule(cut, 20);
  queue.schedule(note, 20);
  queue.schedule(note, 30);
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log, (std::vector<Picoseconds>{10, 70}));
  queue.schedule(note, 200);
  queue.cancel_all();
  EXPECT_EQ(queue.size(), 0U);
  sc_core::sc_start(kernel_time(1000));
  EXPECT_EQ(log.size(), 2U);
}

TEST(TimerQueue, ManyRandomTimersEqualASort) {
  TimerQueue queue("timers");
  std::mt19937_64 random(7);
  std::vector<std::pair<Picoseconds, int>> log;
  std::vector<std::pair<Picoseconds, int>> expected;
  std::vector<Call> calls;
  constexpr int kCount = 5000;
  calls.reserve(kCount);
  for (int i = 0; i < kCount; ++i) {
    calls.emplace_back([&log, i] { log.emplace_back(kernel_now(), i); });
    expected.emplace_back(random() % 1000, i);
    queue.schedule(calls.back(), expected.back().first);
  }
  std::sort(expected.begin(), expected.end());
  sc_core::sc_start(kernel_time(2000));
  EXPECT_EQ(log, expected);
  EXPECT_LE(queue.wakes(), 1000U);
}

// Timers that schedule themselves again: most behind nearly all others, some before, many for the same instant. Each
// time the earliest timer of a list must be called, of equal times the one scheduled first.
TEST(TimerQueue, TimersThatComeAgainEqualTheFirstOfAList) {
  TimerQueue queue("timers");
  std::mt19937_64 random(11);
  std::vector<std::tuple<Picoseconds, int, std::size_t>> waiting;  // time, number of the call to schedule(), timer
  int scheduled = 0;
  std::vector<Call> timers;
  const auto schedule = [&](std::size_t timer) {
    const Picoseconds ahead = random() % 4 == 0 ? random() % 1000 : 900 + random() % 8;
    waiting.emplace_back(kernel_now() + ahead, scheduled++, timer);
    queue.schedule(timers[timer], kernel_now() + ahead);
  };
  int right = 0;
  for (std::size_t timer = 0; timer < 200; ++timer)
    timers.emplace_back([&, timer] {
      const auto first = std::min_element(waiting.begin(), waiting.end());
      if (std::get<0>(*first) == kernel_now() && std::get<2>(*first) == timer) ++right;
      waiting.erase(first);
      if (scheduled < 20'000) schedule(timer);
    });
  for (std::size_t timer = 0; timer < timers.size(); ++timer) schedule(timer);
  sc_core::sc_start(kernel_time(1'000'000));
  EXPECT_EQ(scheduled, 20'000);
  EXPECT_EQ(right, scheduled);
  EXPECT_EQ(queue.size(), 0U);
}

TEST(TimerQueue, APastTimeIsFatal) {
  TimerQueue queue("timers");
  Call nothing([] {});
  sc_core::sc_start(kernel_time(100));
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  EXPECT_THROW(queue.schedule(nothing, 99), sc_core::sc_report);
}

TEST(TimerQueue, AnotherResolutionIsFatal) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_NS);
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
  EXPECT_THROW(TimerQueue("timers"), sc_core::sc_report);
}

}  // namespace
}  // namespace flashloom::timer_queue_test
