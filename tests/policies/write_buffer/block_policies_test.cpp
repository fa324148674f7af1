// The policies that evict whole logical blocks: sequences worked by hand, and random ones against the slow reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "policies/registry.hpp"
#include "policies/write_buffer/recency_ranks.hpp"
#include "policies/write_buffer/write_buffer.hpp"
#include "tests/policies/write_buffer/slow_reference.hpp"

namespace flashloom::block_policies_test {
namespace {

bool sparing(const std::string& name) { return name == "clean_list" || name == "page_num" || name == "fab"; }

PolicyChoice choice(const std::string& name, const std::string& sequential, double threshold = 0.5,
                    std::int64_t spare = 0) {
  std::map<std::string, ParameterValue> values{{"sequential", sequential}};
  if (sparing(name)) values["spare"] = spare;
  if (name == "clean_list") values["threshold"] = threshold;
  return {name, ParameterValues(values)};
}

// A buffer of `capacity` pages under a policy: it takes pages one by one and evicts when it is full.
class Buffer {
 public:
  Buffer(const PolicyChoice& policy, std::uint32_t capacity, std::uint32_t pages_per_block)
      : pages_per_block_(pages_per_block),
        policy_(Family<WriteBufferPolicy>::make(policy, {capacity, pages_per_block})),
        page_of_(capacity) {
    for (Slot slot = capacity; slot-- > 0;) free_.push_back(slot);
  }
  bool has(std::uint64_t page) const { return slots_.contains(page); }
  bool full() const { return free_.empty(); }
  void write(std::uint64_t page) {
    const auto found = slots_.find(page);
    if (found != slots_.end()) {
      policy_->referenced(found->second, Access::Write);
      return;
    }
    const Slot slot = free_.back();
    free_.pop_back();
    page_of_[slot] = page;
    slots_[page] = slot;
    policy_->inserted(slot, page, Access::Write);
  }
  void write(std::initializer_list<std::uint64_t> pages) {
    for (const std::uint64_t page : pages) write(page);
  }
  void read(std::uint64_t page) { policy_->referenced(slots_.at(page), Access::Read); }
  void drop(std::uint64_t page) {
    policy_->removed(slots_.at(page));
    free_.push_back(slots_.at(page));
    slots_.erase(page);
  }
  /// The pages of the block that is evicted next.
  std::vector<std::uint64_t> leaving() {
    std::vector<Slot> slots{policy_->victim()};
    policy_->companions(slots.front(), slots);
    std::vector<std::uint64_t> pages;
    for (const Slot slot : slots) pages.push_back(page_of_[slot]);
    return pages;
  }
  std::uint64_t victim() { return page_of_[policy_->victim()] / pages_per_block_; }
  void evict() {
    for (const std::uint64_t page : leaving()) drop(page);
  }

 private:
  std::uint32_t pages_per_block_;
  std::unique_ptr<WriteBufferPolicy> policy_;
  std::vector<std::uint64_t> page_of_;
  std::map<std::uint64_t, Slot> slots_;
  std::vector<Slot> free_;
};

// --- By hand, blocks of four pages: page p is in block p / 4.

TEST(PageNum, TheLargestBlockLeavesWhateverItsAge) {
  Buffer buffer(choice("page_num", "off"), 16, 4);
  buffer.write({0, 5, 6, 9, 10});
  EXPECT_EQ(buffer.victim(), 1U);  // 1 and 2 have two pages each; 1 came first
  buffer.write({5, 6});            // younger now, which counts for nothing
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.write({1, 2});
  EXPECT_EQ(buffer.leaving(), (std::vector<std::uint64_t>{0, 1, 2}));
}

TEST(Fab, EqualBlocksLeaveByTheirLastReference) {
  Buffer buffer(choice("fab", "off"), 16, 4);
  buffer.write({5, 6, 9, 10});
  EXPECT_EQ(buffer.victim(), 1U);
  buffer.read(5);
  EXPECT_EQ(buffer.victim(), 2U);
  buffer.write(10);
  EXPECT_EQ(buffer.victim(), 1U);
}

TEST(CleanList, BlocksAboveTheThresholdGoFirst) {
  Buffer buffer(choice("clean_list", "off", 0.5), 16, 4);
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
  Buffer buffer(choice("greedy_dual", "off"), 16, 4);
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
  Buffer buffer(choice("page_num", "off", 0.5, 2), 16, 4);
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
    Buffer buffer(choice(policy, "reset"), 32, 4);
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
    Buffer buffer(choice("block_lru", mode), 64, 8);
    buffer.write({8, 9, 10, 11});
    buffer.evict();
    buffer.write({0, 12, 13, 14, 15});
    EXPECT_EQ(buffer.victim(), std::string(mode) == "literal" ? 1U : 0U) << mode;
  }
}

// 0, 1, 1, 2, 3: the page written twice breaks the count, though the block is written in order.
TEST(SequentialDetector, APageWrittenTwiceBreaksTheCount) {
  Buffer buffer(choice("block_lru", "reset"), 32, 4);
  buffer.write({20, 0, 1, 1, 2, 3});
  EXPECT_EQ(buffer.victim(), 5U);
  buffer.write({0, 1, 2, 3});
  EXPECT_EQ(buffer.victim(), 0U);
}

// --- Random ones.

class BlockPolicies : public testing::TestWithParam<std::tuple<const char*, const char*, int>> {};

TEST_P(BlockPolicies, DecideAsTheSlowReference) {
  const auto [policy, sequential, spare] = GetParam();
  for (const std::uint32_t pages_per_block : {1U, 4U, 32U}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      constexpr std::uint32_t kCapacity = 48;
      Buffer buffer(choice(policy, sequential, 0.4, spare), kCapacity, pages_per_block);
      SlowWriteBuffer slow(policy, pages_per_block, sequential, 0.4, static_cast<std::size_t>(spare));
      std::mt19937_64 random(seed);
      std::uint64_t run = 0;  // sequential runs among random writes
      for (int step = 0; step < 2500; ++step) {
        const std::uint64_t page = random() % 3 == 0 ? run = random() % 400 : ++run;
        if (!buffer.has(page) && buffer.full()) {
          const std::uint64_t block = slow.victim();
          ASSERT_EQ(buffer.leaving(), slow.pages_of(block)) << "step " << step;
          const auto pages = slow.pages_of(block);
          buffer.evict();
          for (const std::uint64_t left : pages) slow.leave(left);
        }
        if (buffer.has(page) && random() % 4 == 0) {
          if (random() % 2 == 0) {
            buffer.read(page);
            slow.read(page);
          } else {
            buffer.drop(page);
            slow.leave(page);
          }
          continue;
        }
        buffer.write(page);
        slow.write(page);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BlockPolicies,
    testing::Combine(testing::Values("block_lru", "page_num", "clean_list", "greedy_dual", "fab", "bplru"),
                     testing::Values("off", "literal", "reset"), testing::Values(0)),
    [](const auto& test) { return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param); });

INSTANTIATE_TEST_SUITE_P(Sparing, BlockPolicies,
                         testing::Combine(testing::Values("page_num", "clean_list", "fab"),
                                          testing::Values("off", "literal", "reset"), testing::Values(1, 5)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" + std::get<1>(test.param) + "_" +
                                  std::to_string(std::get<2>(test.param));
                         });

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
