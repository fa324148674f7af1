#include "controllers/runtime/task.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "controllers/runtime/wait_list.hpp"

namespace flashloom::task_test {
namespace {

Task<int> add(int a, int b) { co_return a + b; }

Task<void> sum_up(std::uint64_t n, std::uint64_t& sum) {
  for (std::uint64_t i = 0; i < n; ++i) sum += static_cast<std::uint64_t>(co_await add(1, 1));
}

TEST(Task, TenMillionSynchronousAwaitsUseNoStack) {
  Runtime runtime;
  std::uint64_t sum = 0;
  runtime.spawn([&] { return sum_up(10'000'000, sum); });
  EXPECT_EQ(sum, 20'000'000U);
}

Task<void> wait_once(WaitList& list, std::string name, std::vector<std::string>& log) {
  log.push_back(name + " waits");
  co_await list.wait();
  log.push_back(name + " goes on");
}

TEST(Task, WaitersResumeInTheOrderInWhichTheyWaited) {
  Runtime runtime;
  WaitList list;
  std::vector<std::string> log;
  for (const char* name : {"a", "b", "c"}) runtime.spawn([&, name] { return wait_once(list, name, log); });
  list.wake_one();
  list.wake_all();
  EXPECT_EQ(log, (std::vector<std::string>{"a waits", "b waits", "c waits", "a goes on", "b goes on", "c goes on"}));
}

Task<int> fails_after(WaitList& list) {
  co_await list.wait();
  throw std::runtime_error("broken");
}

Task<void> catches(WaitList& list, std::string& message) {
  try {
    co_await fails_after(list);
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
}

TEST(Task, AnExceptionReachesTheParentThatAwaits) {
  Runtime runtime;
  WaitList list;
  std::string message;
  runtime.spawn([&] { return catches(list, message); });
  EXPECT_EQ(message, "");
  list.wake_all();
  EXPECT_EQ(message, "broken");
}

Task<void> throws() {
  throw std::runtime_error("nobody awaits");
  co_return;
}

TEST(Task, AnExceptionOfASpawnedTaskLeavesTheRuntime) {
  Runtime runtime;
  EXPECT_THROW(runtime.spawn([] { return throws(); }), std::runtime_error);
}

struct Counted {
  explicit Counted(int& count) : live(&count) { ++*live; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*live; }
  int* live;
};

Task<void> inner(WaitList& list, int& live) {
  const Counted counted(live);
  co_await list.wait();
}

Task<void> outer(WaitList& list, int& live) {
  const Counted counted(live);
  co_await inner(list, live);
}

TEST(Runtime, APowerCutDestroysParentsAndTheirChildren) {
  int live = 0;
  WaitList list;
  {
    Runtime runtime;
    for (int i = 0; i < 3; ++i) runtime.spawn([&] { return outer(list, live); });
    EXPECT_EQ(live, 6);
    runtime.destroy_frames();
    EXPECT_EQ(live, 0);
    EXPECT_TRUE(runtime.idle());
  }
}

TEST(Runtime, DestroysWhatIsLeftAtItsEnd) {
  int live = 0;
  WaitList list;
  {
    Runtime runtime;
    runtime.spawn([&] { return outer(list, live); });
    EXPECT_EQ(live, 2);
  }
  EXPECT_EQ(live, 0);
}

Task<void> ping(WaitList& mine, WaitList& other, int rounds, int& count) {
  for (int i = 0; i < rounds; ++i) {
    other.wake_all();
    co_await mine.wait();
    ++count;
  }
}

struct Farewell {
  std::vector<int>& log;
  int number;
  ~Farewell() { log.push_back(number); }
};

Task<void> numbered(WaitList& list, std::vector<int>& ended, int number) {
  const Farewell farewell{ended, number};
  co_await list.wait();
}

TEST(Runtime, FramesAreDestroyedNewestFirstWhereverTheyCameTo) {
  std::vector<int> ended;
  WaitList first, second;
  {
    Runtime runtime;
    for (int number = 0; number < 200; ++number)
      runtime.spawn([&, number] { return numbered(number % 3 == 0 ? first : second, ended, number); });
    first.wake_all();  // tasks spawned from now on take over the freed places in the register
    EXPECT_EQ(ended.size(), 67U);
    for (int number = 200; number < 300; ++number)
      runtime.spawn([&, number] { return numbered(second, ended, number); });
    ended.clear();
    runtime.destroy_frames();
    EXPECT_TRUE(runtime.quiescent());
  }
  EXPECT_EQ(ended.size(), 233U);
  EXPECT_EQ(ended.front(), 299);
  EXPECT_EQ(ended.back(), 1);
  EXPECT_TRUE(std::is_sorted(ended.rbegin(), ended.rend()));
}

TEST(Runtime, AStepFromOutsideRunsBeforeWhatItWakes) {
  WaitList list;
  std::vector<std::string> log;
  Runtime runtime;
  for (const char* name : {"a", "b"}) runtime.spawn([&, name] { return wait_once(list, name, log); });
  log.clear();
  runtime.run([&] {
    EXPECT_EQ(&Runtime::current(), &runtime);
    list.wake_all();
    log.push_back("the step");
  });
  EXPECT_EQ(log, (std::vector<std::string>{"the step", "a goes on", "b goes on"}));
  EXPECT_TRUE(runtime.quiescent());
}

TEST(Runtime, WhatAStepThrowsGoesToTheHandler) {
  std::string message;
  WaitList list;
  std::vector<std::string> log;
  Runtime runtime;
  EXPECT_THROW(runtime.run([] { throw std::runtime_error("nobody listens"); }), std::runtime_error);
  runtime.on_failure([&](std::exception_ptr failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      message = error.what();
    }
  });
  runtime.spawn([&] { return wait_once(list, "a", log); });
  runtime.run([&] {
    list.wake_all();
    throw std::runtime_error("broken");
  });
  EXPECT_EQ(message, "broken");
  EXPECT_EQ(log.back(), "a goes on");
}

TEST(Runtime, WhatIsHeldIsUnderWayUntilAPowerCut) {
  Runtime runtime;
  EXPECT_TRUE(runtime.quiescent());
  runtime.hold();
  EXPECT_FALSE(runtime.quiescent());
  runtime.let_go();
  EXPECT_TRUE(runtime.quiescent());
  runtime.hold();
  runtime.destroy_frames();
  EXPECT_TRUE(runtime.quiescent());
}

TEST(Runtime, TheRunQueueGrowsAndKeepsItsOrder) {
  Runtime runtime;
  WaitList list;
  std::vector<std::string> log;
  for (int i = 0; i < 5000; ++i) runtime.spawn([&, i] { return wait_once(list, std::to_string(i), log); });
  list.wake_all();
  ASSERT_EQ(log.size(), 10'000U);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(log[static_cast<std::size_t>(5000 + i)], std::to_string(i) + " goes on");
}

TEST(Runtime, TasksWakeEachOtherWithoutRecursion) {
  Runtime runtime;
  WaitList a;
  WaitList b;
  int count = 0;
  runtime.spawn([&] { return ping(a, b, 100'000, count); });
  runtime.spawn([&] { return ping(b, a, 100'000, count); });
  EXPECT_GE(count, 199'998);
}

}  // namespace
}  // namespace flashloom::task_test
