// The read buffer and the write buffer of a disk.
#include <gtest/gtest.h>

#include "models/hdd/read_buffer.hpp"
#include "models/hdd/sparse_tokens.hpp"
#include "models/hdd/write_buffer.hpp"

namespace flashloom::disk_buffers_test {
namespace {

TEST(ReadBuffer, StreamsGrowAndSlide) {
  ReadBuffer buffer(2, 100);
  buffer.add(1000, 1010);
  EXPECT_EQ(buffer.held_until(1000), 1010U);
  EXPECT_EQ(buffer.held_until(1009), 1010U);
  EXPECT_EQ(buffer.held_until(1010), 1010U);
  EXPECT_EQ(buffer.held_until(999), 999U);
  buffer.add(1010, 1105);
  EXPECT_EQ(buffer.held_until(1005), 1105U);
  EXPECT_EQ(buffer.held_until(1004), 1004U);  // the oldest sectors were dropped
}

TEST(ReadBuffer, TheLeastRecentlyUsedStreamMakesRoom) {
  ReadBuffer buffer(2, 100);
  buffer.add(1000, 1010);
  buffer.add(2000, 2010);
  EXPECT_EQ(buffer.held_until(1000), 1010U);
  buffer.add(3000, 3010);
  EXPECT_EQ(buffer.held_until(1000), 1010U);
  EXPECT_EQ(buffer.held_until(2000), 2000U);
  buffer.clear();
  EXPECT_EQ(buffer.held_until(1000), 1000U);
}

TEST(ReadBuffer, KeepsNothingWithoutSegments) {
  ReadBuffer none(0, 100);
  none.add(0, 10);
  EXPECT_EQ(none.held_until(0), 0U);
  EXPECT_EQ(none.capacity(), 0U);
  ReadBuffer small(4, 0);
  small.add(0, 10);
  EXPECT_EQ(small.held_until(0), 0U);
}

TEST(SparseTokens, CostWhatWasWritten) {
  SparseTokens tokens;
  EXPECT_EQ(tokens.at(std::uint64_t{1} << 60), 0U);
  tokens.set(std::uint64_t{1} << 60, 7);
  EXPECT_EQ(tokens.at(std::uint64_t{1} << 60), 7U);
  EXPECT_EQ(tokens.at((std::uint64_t{1} << 60) + 1), 0U);
  tokens.set(5, 8);
  EXPECT_EQ(tokens.chunks(), 2U);
}

class Dirty : public testing::Test {
 protected:
  static constexpr WriteBuffer::Parts kAll = 0xff;
  void put(DiskSector sector, SectorToken token, WriteBuffer::Parts parts = kAll) {
    std::array<SectorToken, WriteBuffer::kMostParts> tokens;
    tokens.fill(token);
    buffer.reserve(1);
    buffer.begin_write(++stamp);
    buffer.put(sector, parts, tokens);
  }
  std::vector<std::uint32_t> write(DiskSector sector) {
    if (!buffer.find(sector)->taken) buffer.take(sector);
    std::vector<std::uint32_t> durable;
    buffer.retire(sector, durable);
    return durable;
  }
  using Numbers = std::vector<std::uint32_t>;
  WriteBuffer buffer{10};
  std::uint64_t stamp = 0;
};

TEST_F(Dirty, RoomIsReservedTakenAndFreed) {
  EXPECT_EQ(buffer.room(), 10U);
  buffer.reserve(4);
  EXPECT_EQ(buffer.room(), 6U);
  put(1, 1);
  put(1, 2);
  EXPECT_EQ(buffer.room(), 5U);  // the second write took no room
  EXPECT_EQ(buffer.find(1)->tokens[3], 2U);
  write(1);
  EXPECT_EQ(buffer.find(1), nullptr);
  EXPECT_EQ(buffer.room(), 6U);
  buffer.clear();
  EXPECT_EQ(buffer.room(), 10U);
}

TEST_F(Dirty, WhatIsWrittenWhileItGoesStaysDirty) {
  put(1, 1, 0x0f);
  buffer.take(1);
  put(1, 2, 0x03);
  EXPECT_TRUE(write(1).empty());
  ASSERT_NE(buffer.find(1), nullptr);
  EXPECT_EQ(buffer.find(1)->parts, 0x03);
  EXPECT_FALSE(buffer.find(1)->taken);
  write(1);
  EXPECT_EQ(buffer.find(1), nullptr);
}

TEST_F(Dirty, TicketsWaitForWhatWasThere) {
  put(1, 1);
  put(5, 1);
  EXPECT_FALSE(buffer.await(0, 6, 100));
  EXPECT_TRUE(buffer.await(1, 0, 100));
  EXPECT_TRUE(buffer.await(2, 5, 6));
  put(7, 1);  // written after the ticket
  EXPECT_TRUE(write(7).empty());
  EXPECT_EQ(write(5), Numbers{2});
  EXPECT_EQ(write(1), Numbers{1});
  EXPECT_TRUE(buffer.tickets().empty());
}

// A ticket for the newer of two writes waits for it even when the older one, already in flight, completes.
TEST_F(Dirty, TicketsAreOfTheNewestWrite) {
  put(1, 1);
  buffer.take(1);
  put(1, 2);
  EXPECT_TRUE(buffer.await(3, 1, 2));
  EXPECT_TRUE(write(1).empty());
  EXPECT_EQ(write(1), Numbers{3});
  // A ticket for the older write does not wait for the newer one.
  put(1, 3);
  buffer.take(1);
  EXPECT_TRUE(buffer.await(4, 1, 2));
  put(1, 4);
  EXPECT_EQ(write(1), Numbers{4});
}

// A sector rewritten while in flight is older than later writes, although it stands behind them in the queue.
TEST_F(Dirty, TheOldestThatATicketWaitsFor) {
  EXPECT_EQ(buffer.oldest_until(stamp), nullptr);
  put(1, 1);
  buffer.take(1);
  put(1, 2);
  EXPECT_TRUE(buffer.await(3, 0, 100));
  const std::uint64_t flushed = stamp;
  put(5, 1);
  EXPECT_TRUE(write(1).empty());
  EXPECT_EQ(buffer.oldest()->number, 5U);
  EXPECT_EQ(buffer.oldest_until(flushed)->number, 1U);
  EXPECT_EQ(buffer.oldest_until(stamp)->number, 5U);
  EXPECT_EQ(write(1), Numbers{3});
  EXPECT_EQ(buffer.oldest_until(flushed), nullptr);
}

TEST_F(Dirty, RunsAndAges) {
  for (const DiskSector sector : {30, 10, 11, 12, 20, 21, 40}) put(sector, 1);
  EXPECT_EQ(buffer.run_length(10, 100), 3U);
  EXPECT_EQ(buffer.run_length(10, 2), 2U);
  EXPECT_EQ(buffer.run_length(13, 100), 0U);
  EXPECT_EQ(buffer.first_in(12, 20), 12U);
  EXPECT_EQ(buffer.first_in(13, 20), 20U);
  EXPECT_EQ(buffer.oldest()->number, 30U);
  const auto around = [this](DiskSector sector, std::uint32_t count) {
    std::vector<DiskTask> tasks;
    buffer.runs_around(sector, count, tasks);
    std::vector<DiskSector> sectors;
    for (const DiskTask& task : tasks) sectors.push_back(task.sector);
    return sectors;
  };
  EXPECT_EQ(around(21, 4), (std::vector<DiskSector>{21, 30, 20, 10}));
  EXPECT_EQ(around(0, 4), (std::vector<DiskSector>{10, 20}));
  EXPECT_EQ(around(100, 100), (std::vector<DiskSector>{40, 30, 20, 10}));
  buffer.take(30);
  put(30, 2);
  write(30);
  EXPECT_EQ(buffer.oldest()->number, 10U);  // what is left of sector 30 is new
}

}  // namespace
}  // namespace flashloom::disk_buffers_test
