#include "controllers/tier/segment_locks.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flashloom::segment_locks_test {
namespace {

struct Bench {
  Runtime runtime;
  SegmentLocks locks;
  std::string log;

  Task<void> share(char name, Segment first, Segment last) {
    co_await locks.share(first, last);
    log += name;
  }
  Task<void> lock(char name, Segment first, Segment last) {
    co_await locks.lock(first, last);
    log += name;
  }
  void sharing(char name, Segment first, Segment last) {
    runtime.spawn([=, this] { return share(name, first, last); });
  }
  void locking(char name, Segment first, Segment last) {
    runtime.spawn([=, this] { return lock(name, first, last); });
  }
};

TEST(SegmentLocks, ManyShareAndOneExcludes) {
  Bench bench;
  bench.sharing('a', 1, 3);
  bench.sharing('b', 2, 5);
  bench.locking('C', 3, 3);
  EXPECT_EQ(bench.log, "ab");
  bench.locks.unshare(1, 3);
  EXPECT_EQ(bench.log, "ab");
  bench.locks.unshare(2, 5);
  EXPECT_EQ(bench.log, "abC");
  bench.sharing('d', 4, 9);
  bench.sharing('e', 0, 3);
  EXPECT_EQ(bench.log, "abCd");
  bench.locks.unlock(3, 3);
  EXPECT_EQ(bench.log, "abCde");
}

// A waiter for an exclusive lock lets no new sharer in; otherwise it could wait for ever.
TEST(SegmentLocks, NewSharersWaitBehindWhoWaitsForThemAll) {
  Bench bench;
  bench.sharing('a', 1, 1);
  bench.locking('B', 1, 1);
  bench.sharing('c', 1, 1);
  EXPECT_EQ(bench.log, "a");
  bench.locks.unshare(1, 1);
  EXPECT_EQ(bench.log, "aB");
  bench.locks.unlock(1, 1);
  EXPECT_EQ(bench.log, "aBc");
}

// Lockers of overlapping ranges: none holds a part of its range while it waits for the rest.
TEST(SegmentLocks, RangesThatOverlapDoNotLockEachOtherOut) {
  Bench bench;
  bench.locking('A', 5, 5);
  bench.locking('B', 1, 5);
  bench.locking('C', 1, 2);
  EXPECT_EQ(bench.log, "AC") << "B holds nothing while it waits";
  bench.locks.unlock(5, 5);
  bench.locks.unlock(1, 2);
  EXPECT_EQ(bench.log, "ACB");
}

}  // namespace
}  // namespace flashloom::segment_locks_test
