// The policies that evict whole logical blocks, on sequences worked by hand; tests/papers has random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "policies/write_buffer/recency_ranks.hpp"
#include "tests/policies/write_buffer/write_buffer_bench.hpp"

namespace flashloom::block_policies_test {
namespace {

using Buffer = WriteBufferBench;

// --- By hand, blocks of four pages: page p is in block p / 4.

TEST(PageNum, TheLargestBlockLeavesWhateverItsAge) {
  Buffer buffer(write_buffer_choice("page_num", "off"), 16, 4);
  buffer.write({0, 5, 6, 9, 10});
  EXPECT_EQ(buffer.victim(), 1U);  // 1 and 2 have two pages each; 1 came first
  buffer.write({5, 6});            // younger now, which counts for nothing
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.write({1, 2});
  EXPECT_EQ(buffer.leaving(), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Fab, EqualBlocksLeaveByTheirLastReference) {
  Buffer buffer(write_buffer_choice("fab", "off"), 16, 4);
  buffer.write({5, 6, 9, 10});
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.read(5);
  EXPECT_EQ(buffer.victim(), 2U);
  buffer.write(10);
  EXPECT_EQ(buffer.victim(), 1U);
}

TEST(CleanList, BlocksAboveTheThresholdGoFirst) {
  Buffer buffer(write_buffer_choice("clean_list", "off", 0.5), 16, 4);
  buffer.write({0, 4, 5});
  EXPECT_EQ(buffer.victim(), 0U);  // two of four are not above one half
  buffer.write(6);
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.write({8, 9, 10, 4});  // both above; 2 was written longer ago than 1
  EXPECT_EQ(buffer.victim(), 2U);
  buffer.drop(8);  // back below
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.evict();
  EXPECT_EQ(buffer.victim(), 0U);
}

TEST(GreedyDual, CostIsPagesTimesPosition) {
  Buffer buffer(write_buffer_choice("greedy_dual", "off"), 16, 4);
  buffer.write({0, 4, 5, 8, 9, 10});
  // Block 0: 1 page, position 3; 1: 2 x 2; 2: 3 x 1.
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.write(12);  // 0: 1 x 4; 1: 2 x 3 = 6; 2: 3 x 2 = 6; 3: 1 x 1. Of equal costs the older one.
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.write(4);  // 0: 1 x 4; 2: 3 x 3; 3: 1 x 2; 1: 2 x 1
  EXPECT_EQ(buffer.victim(), 2U);
  buffer.evict();  // 0: 1 x 3; 3: 1 x 2; 1: 2 x 1
  EXPECT_EQ(buffer.victim(), 0U);
  buffer.drop(5);  // a block that shrinks keeps its position: 0: 1 x 3; 3: 1 x 2; 1: 1 x 1
  EXPECT_EQ(buffer.victim(), 0U);
}

TEST(Spare, TheBlocksWrittenLastStayWhileThereAreOthers) {
  Buffer buffer(write_buffer_choice("page_num", "off", 0.5, 2), 16, 4);
  buffer.write({0, 4, 5, 8, 9, 10});  // 1 and 2 were written last
  EXPECT_EQ(buffer.victim(), 0U);
  buffer.write(12);  // 2 and 3: 1 may leave
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.evict();
  EXPECT_EQ(buffer.victim(), 0U);
  buffer.evict();
  EXPECT_EQ(buffer.victim(), 2U);  // no other block is left: the older one, not the larger one
  buffer.write(11);
  EXPECT_EQ(buffer.victim(), 3U);
}

TEST(LruPage, PagesLeaveAloneByTheirLastWrite) {
  Buffer buffer({"lru_page", {}}, 16, 4);
  buffer.write({4, 5, 0});
  buffer.write(4);
  buffer.read(5);
  EXPECT_EQ(buffer.leaving(), (std::vector<std::uint64_t>{5}));
  buffer.evict();
  EXPECT_EQ(buffer.leaving(), (std::vector<std::uint64_t>{0}));
}

TEST(Bplru, AsksForPadding) {
  EXPECT_TRUE(Family<WriteBufferPolicy>::make({"bplru", {}}, {8, 4})->traits().padding);
  EXPECT_FALSE(Family<WriteBufferPolicy>::make({"block_lru", {}}, {8, 4})->traits().padding);
}

// --- The sequential detector, as every policy has it.

TEST(SequentialDetector, ABlockWrittenInOrderLeavesFirst) {
  for (const char* policy : {"block_lru", "page_num", "clean_list", "greedy_dual", "fab", "bplru"}) {
    Buffer buffer(write_buffer_choice(policy, "reset"), 32, 4);
    buffer.write({16, 17, 18, 19});  // block 4: sequential
    buffer.write({0, 1, 2});
    EXPECT_EQ(buffer.victim(), 4U) << policy;
    buffer.evict();
    EXPECT_EQ(buffer.victim(), 0U) << policy;
    buffer.write({8, 9, 11, 10});  // all of block 2, but not in order
    const bool by_size = std::string(policy) == "page_num" || std::string(policy) == "fab";
    EXPECT_EQ(buffer.victim(), by_size ? 2U : 0U) << policy;
  }
}

// The paper's code keeps a block's count when the block is evicted: its second half alone is then "sequential".
TEST(SequentialDetector, LiterallyACountOutlivesAnEviction) {
  for (const char* mode : {"literal", "reset"}) {
    Buffer buffer(write_buffer_choice("block_lru", mode), 64, 8);
    buffer.write({8, 9, 10, 11});
    buffer.evict();
    buffer.write({0, 12, 13, 14, 15});
    EXPECT_EQ(buffer.victim(), std::string(mode) == "literal" ? 1U : 0U) << mode;
  }
}

// 0, 1, 1, 2, 3: the page written twice breaks the count, though the block is written in order.
TEST(SequentialDetector, APageWrittenTwiceBreaksTheCount) {
  Buffer buffer(write_buffer_choice("block_lru", "reset"), 32, 4);
  buffer.write({20, 0, 1, 1, 2, 3});
  EXPECT_EQ(buffer.victim(), 5U);
  buffer.write({0, 1, 2, 3});
  EXPECT_EQ(buffer.victim(), 0U);
}

TEST(RecencyRanks, AgreeWithAList) {
  struct Item {
    std::uint32_t place = 0;
  };
  std::vector<Item> items(9);
  RecencyRanks<Item> ranks(9);
  std::vector<Item*> order;  // oldest first
  std::mt19937 random(3);
  for (int step = 0; step < 5000; ++step) {
    Item& item = items[random() % items.size()];
    const auto there = std::find(order.begin(), order.end(), &item);
    if (there != order.end()) {
      ranks.remove(item);
      order.erase(there);
    }
    if (random() % 4 != 0) {
      ranks.append(item);
      order.push_back(&item);
    }
    ASSERT_EQ(ranks.size(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(ranks.rank(*order[i]), order.size() - i);
  }
}

}  // namespace
}  // namespace flashloom::block_policies_test
