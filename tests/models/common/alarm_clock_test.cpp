#include "models/common/alarm_clock.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "models/common/timer_queue.hpp"

namespace flashloom::alarm_clock_test {
namespace {

using Log = std::vector<std::pair<Picoseconds, int>>;

struct Call final : Alarm {
  Call(AlarmClock& clock, std::function<void()> f) : what(std::move(f)), number(clock.add(*this)) {}
  void on_alarm() override { what(); }
  std::function<void()> what;
  std::uint32_t number;
};

TEST(AlarmClock, EqualTimesRunInTheOrderOfTheNumbers) {
  AlarmClock clock("clock");
  Log log;
  const auto note = [&log](int id) { return [&log, id] { log.emplace_back(kernel_now(), id); }; };
  Call a(clock, note(0)), b(clock, note(1)), c(clock, note(2));
  clock.set(c.number, 30);
  clock.set(a.number, 30);
  clock.set(b.number, 10);
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log, (Log{{10, 1}, {30, 0}, {30, 2}}));
}

TEST(AlarmClock, AnAlarmCanBeMovedBothWaysAndTakenBack) {
  AlarmClock clock("clock");
  Log log;
  const auto note = [&log](int id) { return [&log, id] { log.emplace_back(kernel_now(), id); }; };
  Call later(clock, note(0)), earlier(clock, note(1)), never(clock, note(2));
  clock.set(later.number, 10);
  clock.set(earlier.number, 50);
  clock.set(never.number, 5);
  clock.set(later.number, 40);
  clock.set(earlier.number, 20);
  clock.set(never.number, kNever);
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log, (Log{{20, 1}, {40, 0}}));
}

TEST(AlarmClock, AnAlarmSetForNowByAnotherRunsInTheSameWake) {
  AlarmClock clock("clock");
  Log log;
  std::uint64_t deltas = 0;
  Call first(clock, [&] {
    log.emplace_back(kernel_now(), 0);
    deltas = sc_core::sc_delta_count();
  });
  Call second(clock, [&] {
    if (!log.empty()) return void(log.emplace_back(kernel_now(), 2));
    log.emplace_back(kernel_now(), 1);
    clock.set(first.number, kernel_now());
    clock.set(second.number, kernel_now() + 7);
    deltas = sc_core::sc_delta_count();
  });
  clock.set(second.number, 10);
  sc_core::sc_start(kernel_time(11));
  const std::uint64_t at_ten = deltas;
  EXPECT_EQ(log, (Log{{10, 1}, {10, 0}}));
  EXPECT_EQ(at_ten, deltas);
  sc_core::sc_start(kernel_time(100));
  EXPECT_EQ(log.back(), (std::pair<Picoseconds, int>{17, 2}));
}

// Random moves, against a table of times that is searched for its minimum.
TEST(AlarmClock, RandomMovesAgreeWithATable) {
  AlarmClock clock("clock");
  std::mt19937 random(7);
  std::vector<Picoseconds> table(9, kNever);
  std::vector<std::unique_ptr<Call>> calls;
  std::uint64_t rung = 0;
  for (int i = 0; i < 9; ++i)
    calls.push_back(std::make_unique<Call>(clock, [&, i] {
      const Picoseconds now = kernel_now();
      ASSERT_EQ(table[static_cast<std::size_t>(i)], now);
      table[static_cast<std::size_t>(i)] = kNever;
      for (const Picoseconds other : table) ASSERT_GE(other, now) << "one was missed";
      ++rung;
      for (int moves = 0; moves < 2 && rung < 20'000; ++moves) {
        const std::size_t which = random() % table.size();
        table[which] = random() % 8 == 0 ? kNever : now + 1 + random() % 50;
        clock.set(calls[which]->number, table[which]);
      }
      const auto self = static_cast<std::size_t>(i);
      if (table[self] == kNever && rung < 20'000) clock.set(calls[self]->number, table[self] = now + 1);
    }));
  clock.set(calls[0]->number, table[0] = 1);
  sc_core::sc_start();
  EXPECT_GE(rung, 20'000U);
  for (const Picoseconds left : table) EXPECT_EQ(left, kNever);
}

}  // namespace
}  // namespace flashloom::alarm_clock_test
