#include "controllers/buffer/entry_store.hpp"

#include <gtest/gtest.h>

#include "tests/controllers/buffer/buffer_bench.hpp"

namespace flashloom::entry_store_test {
namespace {

using buffer_bench::Bench;

TEST(EntryStore, AUnitIsFoundFromItsWriteUntilItIsOnFlash) {
  Bench bench;
  EXPECT_EQ(bench.store.find(5), nullptr);
  BufferEntry& entry = bench.put(5);
  EXPECT_EQ(bench.store.find(5), &entry);
  EXPECT_EQ(bench.store.parts()[0].dirty, 1U);
  bench.store.leave(entry, true, 0);
  bench.store.enter_table();
  EXPECT_EQ(bench.store.find(5), &entry);
  EXPECT_EQ(bench.store.parts()[0].dirty, 0U);
  EXPECT_EQ(bench.store.destaging_units(), 1U);
  bench.store.leave_table(entry);
  bench.store.free(entry);
  EXPECT_EQ(bench.store.find(5), nullptr);
  EXPECT_EQ(bench.store.destaging_units(), 0U);
}

TEST(EntryStore, APartOfAUnitTakesTheRestAlongFromWhatIsOnItsWay) {
  Bench bench;
  BufferEntry& older = bench.put(5, 7);
  bench.store.leave(older, true, 0);
  BufferEntry& newer = bench.put(5, 8, 0x1);
  EXPECT_EQ(newer.write.sectors, 0xFU);
  EXPECT_EQ(bench.look(5, 0), 8);
  EXPECT_EQ(bench.look(5, 1), 7);
  EXPECT_GT(newer.write.version, older.write.version);
}

TEST(EntryStore, ARestThatIsLostDoesNotComeAlong) {
  Bench bench;
  BufferEntry& older = bench.put(5, 7, 0x2);
  bench.store.leave(older, true, 0);
  older.write.rest_lost = true;
  EXPECT_EQ(bench.put(5, 8, 0x1).write.sectors, 0x1U);
  EXPECT_EQ(bench.look(5, 1), -1);
}

TEST(EntryStore, WhatWasLostIsForgottenWithItsSlot) {
  Bench bench(1, 0);
  BufferEntry& entry = bench.put(5, 7, 0x2);
  entry.write.rest_lost = true;
  bench.store.discard(entry);
  EXPECT_FALSE(bench.store.begin_reading(6, 0).write.rest_lost);
}

TEST(EntryStore, ADiscardedUnitIsGone) {
  Bench bench;
  bench.put(4);
  bench.put(5);
  bench.put(6);
  bench.store.discard(4, 2);
  EXPECT_EQ(bench.store.find(4), nullptr);
  EXPECT_EQ(bench.store.find(5), nullptr);
  EXPECT_NE(bench.store.find(6), nullptr);
  EXPECT_EQ(bench.store.discarded(), 2U);
  EXPECT_EQ(bench.store.parts()[0].dirty, 1U);
}

TEST(EntryStore, ADiscardedUnitOnItsWayKeepsItsSlot) {
  Bench bench;
  BufferEntry& entry = bench.put(5);
  bench.store.leave(entry, true, 0);
  bench.store.discard(5, 1);
  EXPECT_EQ(bench.store.find(5), nullptr);
  EXPECT_EQ(bench.store.destaging_units(), 1U);
  EXPECT_EQ(bench.store.discarded(), 0U);
}

TEST(EntryStore, UnitsOfATrimUnderWayReadAsZeroes) {
  Bench bench;
  EXPECT_EQ(bench.look(5, 0), -1);
  bench.store.begin_trim(4, 2);
  EXPECT_EQ(bench.look(5, 0), 0);
  EXPECT_EQ(bench.look(6, 0), -1);
  bench.put(5, 7, 0x1);
  EXPECT_EQ(bench.look(5, 0), 7);
  EXPECT_EQ(bench.look(5, 1), 0);
  bench.store.end_trim();
  EXPECT_EQ(bench.look(5, 1), -1);
}

TEST(EntryStore, APlaceThatIsGivenUpIsFreeOnlyWhenItsDataHaveCome) {
  Bench bench(1, 0);
  BufferEntry& entry = bench.store.begin_reading(5, 0);
  bench.store.forget_clean(entry, false);
  EXPECT_EQ(bench.store.find(5), nullptr);
  EXPECT_FALSE(bench.store.any_free());
  bench.store.free(entry);
  EXPECT_TRUE(bench.store.any_free());
}

TEST(EntryStore, ACleanUnitThatIsWrittenIsDirty) {
  Bench bench;
  BufferEntry& entry = bench.store.begin_reading(5, 0);
  bench.store.keep(entry, 0xF, nullptr, 0);
  bench.store.overwrite(entry, {.unit = 5, .sectors = 0xF, .stream = 0, .request = 1});
  EXPECT_TRUE(entry.dirty());
  EXPECT_EQ(bench.store.parts()[0].clean, 0U);
  EXPECT_EQ(bench.store.parts()[0].dirty, 1U);
  EXPECT_EQ(&bench.store.dirty().front(), &entry);
  EXPECT_EQ(bench.statistics.write_hits, 0U);  // the unit was clean, so its write is no write hit
}

TEST(EntryStore, PaddingHidesOlderDataOnTheirWayAndNoNewerOnes) {
  Bench bench;
  bench.shape.padding_units = 1;
  EntryStore store(bench.shape, buffer_bench::one_part(bench.shape), nullptr, nullptr, bench.statistics);
  BufferEntry& older = store.place({.unit = 5, .sectors = 0xF, .stream = 0, .request = 1}, nullptr);
  store.leave(older, true, 0);
  BufferEntry& padding = store.take_padding();
  store.pad(padding, 5, store.next_version(), true);
  EXPECT_EQ(store.find(5), &padding);
  EXPECT_EQ(store.on_its_way(5, store.evictions()), &padding);
  store.free_padding(padding);
  EXPECT_TRUE(store.any_free_padding());
  BufferEntry& newer = store.place({.unit = 5, .sectors = 0xF, .stream = 0, .request = 2}, nullptr);
  store.pad(store.take_padding(), 5, store.next_version(), true);
  EXPECT_EQ(store.find(5), &newer);
}

}  // namespace
}  // namespace flashloom::entry_store_test
