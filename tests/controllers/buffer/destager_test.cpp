#include "controllers/buffer/destager.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/controllers/buffer/buffer_bench.hpp"

namespace flashloom::destager_test {
namespace {

using buffer_bench::Bench;
using Units = std::vector<std::uint32_t>;

TEST(Destager, TheTableIsBounded) {
  Bench bench(8, 2);
  for (const std::uint32_t unit : {3U, 1U, 2U}) bench.send(bench.put(unit));
  EXPECT_EQ(bench.ftl.order, (Units{3, 1}));
  EXPECT_NE(bench.destager.until_done(3), nullptr);
  bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{3, 1, 2}));
  EXPECT_EQ(bench.destager.until_done(3), nullptr);
  EXPECT_EQ(bench.store.find(3), nullptr);
  EXPECT_NE(bench.store.find(2), nullptr);
}

TEST(Destager, OrdersAreCarriedOutInTheirOrder) {
  Bench bench(8, 1);
  bench.send(bench.put(1));
  bench.send(bench.put(2));
  bench.destager.order_trim(7, 1);
  bench.destager.order(SealOrder{.persist = true});
  EXPECT_EQ(bench.ftl.order, (Units{1}));
  EXPECT_EQ(bench.look(7, 0), 0);  // though the FTL has not heard of the trim yet
  bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{1, 2, 1007, 2000}));
  EXPECT_EQ(bench.look(7, 0), -1);
  EXPECT_EQ(bench.destager.until_done(bench.destager.given()), nullptr);
}

Task<void> wait_for(Destager& destager, std::uint64_t eviction, LatencyBreakdown& breakdown, bool& over) {
  co_await destager.durable_up_to(eviction, breakdown);
  over = true;
}

TEST(Destager, WhatLeftIsDurableWhenAllBeforeItIs) {
  Bench bench(8, 4);
  for (const std::uint32_t unit : {1U, 2U, 3U}) bench.send(bench.put(unit));
  LatencyBreakdown breakdown;
  bool over = false;
  bench.runtime.spawn([&] { return wait_for(bench.destager, 2, breakdown, over); });
  bench.ftl.program();
  EXPECT_FALSE(over);
  bench.ftl.program();
  EXPECT_TRUE(over);
}

TEST(Destager, WhatIsRefusedStaysWhereReadsFindIt) {
  Bench bench;
  bench.ftl.wear_out();
  bench.send(bench.put(5));
  EXPECT_EQ(bench.statistics.refused_units, 1U);
  EXPECT_EQ(bench.look(5, 0), 7);
  EXPECT_TRUE(bench.store.table_has_room());
  LatencyBreakdown breakdown;
  bool over = false;
  bench.runtime.spawn([&] { return wait_for(bench.destager, 1, breakdown, over); });
  EXPECT_TRUE(over);  // in vain
}

TEST(Destager, WritesWaitForBurialsOfTheirUnits) {
  Bench bench;
  const std::uint64_t first = bench.destager.begin_burial(4, 2);
  const std::uint64_t second = bench.destager.begin_burial(5, 2);
  EXPECT_EQ(bench.destager.until_buried(3), nullptr);
  EXPECT_NE(bench.destager.until_buried(4), nullptr);
  bench.destager.end_burial(first);
  EXPECT_EQ(bench.destager.until_buried(4), nullptr);
  EXPECT_NE(bench.destager.until_buried(5), nullptr);
  bench.destager.end_burial(second);
  EXPECT_EQ(bench.destager.until_buried(5), nullptr);
}

}  // namespace
}  // namespace flashloom::destager_test
