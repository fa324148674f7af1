#include "controllers/runtime/wait_list.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "controllers/runtime/task.hpp"

namespace flashloom::wait_list_test {
namespace {

struct Waiters {
  Task<void> wait(int name) {
    co_await list.wait();
    woken.push_back(name);
  }
  Task<void> wait_in_turn(int name, std::uint64_t turn) {
    co_await list.wait(turn);
    woken.push_back(name);
  }
  void add(int name) {
    runtime.spawn([this, name] { return wait(name); });
  }
  void add(int name, std::uint64_t turn) {
    runtime.spawn([this, name, turn] { return wait_in_turn(name, turn); });
  }

  Runtime runtime;
  WaitList list;
  std::vector<int> woken;
};

TEST(WaitList, WakesInTheOrderOfComing) {
  Waiters waiters;
  for (const int name : {1, 2, 3}) waiters.add(name);
  waiters.list.wake_one();
  EXPECT_EQ(waiters.woken, (std::vector<int>{1}));
  waiters.list.wake_all();
  EXPECT_EQ(waiters.woken, (std::vector<int>{1, 2, 3}));
  EXPECT_TRUE(waiters.list.empty());
}

TEST(WaitList, WakesInTurns) {
  Waiters waiters;
  waiters.add(1, 20);
  waiters.add(2, 30);
  waiters.add(3, 10);  // first of all
  waiters.add(4, 20);  // behind the waiter of the same turn
  waiters.add(5);      // last; a waiter that comes behind it is last, too, even with a turn
  waiters.add(6, 25);
  for (int i = 0; i < 4; ++i) waiters.list.wake_one();
  EXPECT_EQ(waiters.woken, (std::vector<int>{3, 1, 4, 6}));
  waiters.add(7, 30);
  waiters.list.wake_all();
  EXPECT_EQ(waiters.woken, (std::vector<int>{3, 1, 4, 6, 2, 7, 5}));
}

TEST(WaitList, BeginsAnewWhenItHasRunEmpty) {
  Waiters waiters;
  waiters.add(1, 20);
  waiters.list.wake_one();
  waiters.add(2, 10);
  waiters.add(3, 5);
  waiters.list.wake_all();
  EXPECT_EQ(waiters.woken, (std::vector<int>{1, 3, 2}));
}

}  // namespace
}  // namespace flashloom::wait_list_test
