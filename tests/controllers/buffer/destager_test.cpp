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
  EXPECT_EQ(bench.look(7, 0), 0);  // reads already see zeroes, though the FTL has not got the trim yet
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

constexpr std::uint32_t kZone = 10;  // units

Task<void> finish(Destager& destager, std::uint32_t zone, bool& over) {
  co_await destager.carry_out_first({.zone = zone, .kind = ZoneOrder::Kind::Finish}, zone * kZone, kZone);
  over = true;
}
Task<void> reset(Destager& destager, std::uint32_t zone, bool& over) {
  co_await destager.reset_first(zone * kZone, kZone);
  over = true;
}

// Units 10 to 19 are zone 1, units 20 to 29 zone 2. Units of zone 2 hold both places of the table.
struct BusyZones : Bench {
  BusyZones() : Bench(16, 2) {
    for (const std::uint32_t unit : {20U, 21U, 22U, 10U, 23U, 11U}) send(put(unit));
  }
};

TEST(Destager, AZonesOrderGoesFirstWithWhatHasLeftOfTheZone) {
  BusyZones bench;
  bench.destager.order(SealOrder{});
  bool over = false;
  bench.runtime.spawn([&] { return finish(bench.destager, 1, over); });
  bench.ftl.program();
  bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 10, 11, 3001}));
  EXPECT_TRUE(over);
  EXPECT_NE(bench.destager.until_done(7), nullptr);
  for (int i = 0; i < 2; ++i) bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 10, 11, 3001, 22, 23, 2000}));
  EXPECT_EQ(bench.destager.until_done(7), nullptr);  // the seal is done, and so are all six writes before it
}

TEST(Destager, AResetDropsWhatHasLeftOfTheZoneAndWaitsForNoRoom) {
  BusyZones bench;
  bool over = false;
  bench.runtime.spawn([&] { return reset(bench.destager, 1, over); });
  EXPECT_TRUE(over);
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 1010}));
  EXPECT_EQ(bench.look(10, 0), -1);
  EXPECT_EQ(bench.store.destaging_units(), 4U);
  for (int i = 0; i < 2; ++i) bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 1010, 22, 23}));
  for (int i = 0; i < 2; ++i) bench.ftl.program();
  EXPECT_EQ(bench.destager.until_done(6), nullptr);
}

TEST(Destager, AResetGoesBeforeTheFinishOfAnotherZone) {
  BusyZones bench;
  bool finished = false;
  bool over = false;
  bench.runtime.spawn([&] { return finish(bench.destager, 1, finished); });
  bench.runtime.spawn([&] { return reset(bench.destager, 3, over); });
  EXPECT_TRUE(over);
  EXPECT_FALSE(finished);
}

TEST(Destager, AFlushDoesNotWaitForWhatAResetHasDropped) {
  Bench bench(8, 1);
  for (const std::uint32_t unit : {20U, 10U, 21U}) bench.send(bench.put(unit));
  LatencyBreakdown breakdown;
  bool durable = false;
  bool finished = false;
  bool over = false;
  bench.runtime.spawn([&] { return wait_for(bench.destager, 2, breakdown, durable); });  // up to unit 10
  bench.runtime.spawn([&] { return finish(bench.destager, 2, finished); });
  bench.ftl.program();
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 3002}));
  EXPECT_FALSE(durable);
  bench.runtime.spawn([&] { return reset(bench.destager, 1, over); });
  EXPECT_TRUE(durable);
}

// A trim under way delays the next zone order only until the trim ends.
TEST(Destager, WhatIsUnderWayEndsFirst) {
  BusyZones bench;
  bench.ftl.closed = true;
  bool first = false;
  bool second = false;
  bench.runtime.spawn([&] { return reset(bench.destager, 3, first); });
  bench.runtime.spawn([&] { return reset(bench.destager, 1, second); });
  EXPECT_FALSE(first || second);
  EXPECT_EQ(bench.look(30, 0), 0);
  bench.ftl.open();
  EXPECT_TRUE(first && second);
  EXPECT_EQ(bench.ftl.order, (Units{20, 21, 1030, 1010}));
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
  EXPECT_TRUE(over);  // the wait ends although the unit never becomes durable
}

TEST(Destager, WritesWaitForTombstonesOfTheirUnits) {
  Bench bench;
  const std::uint64_t first = bench.destager.begin_tombstones(4, 2);
  const std::uint64_t second = bench.destager.begin_tombstones(5, 2);
  EXPECT_EQ(bench.destager.until_tombstone_written(3), nullptr);
  EXPECT_NE(bench.destager.until_tombstone_written(4), nullptr);
  bench.destager.end_tombstones(first);
  EXPECT_EQ(bench.destager.until_tombstone_written(4), nullptr);
  EXPECT_NE(bench.destager.until_tombstone_written(5), nullptr);
  bench.destager.end_tombstones(second);
  EXPECT_EQ(bench.destager.until_tombstone_written(5), nullptr);
}

}  // namespace
}  // namespace flashloom::destager_test
