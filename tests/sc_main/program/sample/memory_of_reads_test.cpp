#include "sc_main/program/sample/memory_of_reads.hpp"

#include <gtest/gtest.h>

#include "policies/memory_archive.hpp"

namespace flashloom::memory_of_reads_test {
namespace {

using Caches = MemoryOfReads::Caches;

TEST(MemoryOfReads, NothingIsForgottenWhereNothingIsRemembered) {
  const MemoryOfReads none{Caches{}};
  EXPECT_FALSE(none.forgets());
  EXPECT_FALSE(none.known());
}

TEST(MemoryOfReads, LastsUntilACacheHasBeenFilledAnewAndAQuarterLonger) {
  MemoryOfReads memory{Caches{{100, 50}}};
  EXPECT_TRUE(memory.forgets());
  // Nothing is known while the cache has not been filled.
  EXPECT_FALSE(memory.learn(1000, {{100, 50}}, {{100, 90}}));
  EXPECT_FALSE(memory.known());
  // 60 more of 100 in 600 requests: the cache was filled in 1000.
  EXPECT_FALSE(memory.learn(600, {{100, 90}}, {{100, 150}}));
  ASSERT_TRUE(memory.known());
  EXPECT_EQ(memory.requests(), 1250);
  EXPECT_TRUE(memory.learn(1250, {{100, 150}}, {{100, 275}}));
  EXPECT_EQ(memory.requests(), 1250);
  EXPECT_FALSE(memory.learn(1250, {{100, 275}}, {{100, 374}}));
}

TEST(MemoryOfReads, GoesByTheCacheThatIsFilledLast) {
  MemoryOfReads memory{Caches{{10, 0}, {1000, 0}}};
  EXPECT_FALSE(memory.learn(100, {{10, 0}, {1000, 0}}, {{10, 100}, {1000, 900}}));
  EXPECT_FALSE(memory.known());
  EXPECT_TRUE(memory.learn(500, {{10, 100}, {1000, 900}}, {{10, 200}, {1000, 1900}}));
  EXPECT_EQ(memory.requests(), 625);
}

TEST(MemoryOfReads, AStretchInWhichNothingCameInMakesTheNextOneFourTimesAsLong) {
  MemoryOfReads memory{Caches{{100, 0}}};
  memory.learn(100, {{100, 0}}, {{100, 100}});
  ASSERT_EQ(memory.requests(), 125);
  EXPECT_FALSE(memory.learn(125, {{100, 100}}, {{100, 100}}));
  EXPECT_EQ(memory.requests(), 500);
}

TEST(MemoryOfReads, GoesOnFromItsState) {
  MemoryOfReads memory{Caches{{100, 0}}};
  memory.learn(100, {{100, 0}}, {{100, 60}});
  MemoryWriter saved;
  memory.state(saved);
  MemoryOfReads loaded{Caches{{100, 60}}};
  MemoryReader reader(saved.bytes);
  loaded.state(reader);
  EXPECT_FALSE(loaded.known());
  loaded.learn(100, {{100, 60}}, {{100, 110}});  // all 100 since the begin of the saved one
  EXPECT_EQ(loaded.requests(), 250);
}

}  // namespace
}  // namespace flashloom::memory_of_reads_test
