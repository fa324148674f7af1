// UFLRU's lists, worked by hand. Six pages of three objects (0 and 1, 2 and 3, 4 and 5) enter in order, so that the
// active list is 5 4 3 2 1 0. Half of six are to be inactive: 0, 1 and 2 fall. Then the pages are evicted one by one:
// pages fall when less than half (rounded down) of the remaining ones are inactive.
#include <gtest/gtest.h>

#include <set>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "policies/replacement/replacement.hpp"

namespace flashloom::uflru_test {
namespace {

using Order = std::vector<Slot>;

class Told final : public MappedView {
 public:
  bool mapped(std::uint64_t page) const override { return objects.count(page / 2) != 0; }
  std::set<std::uint64_t> objects;
};

class UnmappedFirst : public testing::Test {
 protected:
  void begin(std::map<std::string, ParameterValue> parameters, std::set<std::uint64_t> mapped) {
    choice_ = {"uflru", ParameterValues(std::move(parameters))};
    told_.objects = std::move(mapped);
    policy_ = make();
    for (Slot slot = 0; slot < 6; ++slot) policy_->inserted(slot, slot, Access::Write);
    policy_->victim();  // three fall
  }
  void remap(std::set<std::uint64_t> mapped) {
    const std::set<std::uint64_t> before = std::exchange(told_.objects, std::move(mapped));
    for (Slot slot = 0; slot < 6; ++slot)
      if (before.count(slot / 2) != told_.objects.count(slot / 2)) policy_->remapped(slot);
  }
  /// The order in which a copy evicts the pages.
  Order drained() {
    const auto copy = make();
    EXPECT_TRUE(load_state(*copy, saved(*policy_)));
    Order order;
    for (Slot victim = copy->victim(); victim != kNoSlot; victim = copy->victim()) {
      EXPECT_EQ(copy->victim(), victim) << "asking changes it";
      order.push_back(victim);
      copy->removed(victim);
    }
    return order;
  }
  std::unique_ptr<ReplacementPolicy> make() {
    return Family<ReplacementPolicy>::make(choice_, {.capacity = 6, .mapped = &told_});
  }

  PolicyChoice choice_;
  Told told_;
  std::unique_ptr<ReplacementPolicy> policy_;
};

const std::map<std::string, ParameterValue> kFifo = {{"order", std::string("fifo")}};
const std::map<std::string, ParameterValue> kStay = {{"follow", false}};

TEST_F(UnmappedFirst, SaysThatItListens) {
  begin({}, {});
  EXPECT_TRUE(policy_->traits().mappings);
  EXPECT_FALSE(Family<ReplacementPolicy>::make({"active_inactive", {}}, {.capacity = 6})->traits().mappings);
}

// The inactive list from head to tail: 2, then 0 and 1 at the tail, to which 1 came last.
TEST_F(UnmappedFirst, TheOneThatFellLastLeavesFirst) {
  begin({}, {1});
  EXPECT_EQ(drained(), (Order{1, 0, 2, 3, 4, 5}));
}

TEST_F(UnmappedFirst, FifoLetsTheOneThatFellFirstLeave) {
  begin(kFifo, {1});
  EXPECT_EQ(drained(), (Order{0, 1, 2, 3, 4, 5}));
}

// All mapped: 2 1 0, as in active_inactive. Nothing mapped: 0 1 2 at the tail; 3 falls when 2 and 1 are gone, 4 when 0.
TEST_F(UnmappedFirst, WithOneKindOfPagesOnly) {
  begin({}, {0, 1, 2});
  EXPECT_EQ(drained(), (Order{0, 1, 2, 3, 4, 5}));
  begin({}, {});
  EXPECT_EQ(drained(), (Order{2, 1, 3, 0, 4, 5}));
}

// Page 2 is inactive when its object is unmapped: it goes to the tail, behind 0 and 1. Page 3 is still active, and
// falls to the tail when its turn comes.
TEST_F(UnmappedFirst, AnInactivePageThatIsUnmappedGoesToTheTail) {
  begin({}, {1});
  remap({});
  EXPECT_EQ(drained(), (Order{2, 1, 3, 0, 4, 5}));
  begin(kFifo, {1});
  remap({});
  EXPECT_EQ(drained(), (Order{0, 1, 2, 3, 4, 5}));
}

// Pages 0 and 1 are inactive when their object is mapped: they go to the head, before 2. Page 3 falls before them.
TEST_F(UnmappedFirst, AnInactivePageThatIsMappedGoesToTheHead) {
  begin({}, {1});
  remap({0, 1});
  EXPECT_EQ(drained(), (Order{2, 0, 1, 3, 4, 5}));
}

TEST_F(UnmappedFirst, MappedAndUnmappedAgain) {
  begin({}, {1});
  remap({0, 1});  // 1 0 2
  remap({1});     // 2, at the tail 0 1
  EXPECT_EQ(drained(), (Order{1, 0, 2, 3, 4, 5}));
}

TEST_F(UnmappedFirst, WithoutFollowInactivePagesStayWhereTheyFell) {
  begin(kStay, {1});
  remap({0});
  EXPECT_EQ(drained(), (Order{1, 0, 3, 2, 4, 5}));  // 3 falls when two are left; unmapped by now
}

// 1 goes from the tail to the head of the active list; 3 falls in its place, to the head: inactive is 3 2, then 0 at
// the tail.
TEST_F(UnmappedFirst, AReferencedPageHasItsSecondChance) {
  begin({}, {1});
  policy_->referenced(1, Access::Read);
  EXPECT_EQ(drained(), (Order{0, 2, 4, 3, 5, 1}));
}

TEST_F(UnmappedFirst, APageThatIsDroppedLeavesItsList) {
  begin({}, {1});
  policy_->dropped(1);
  EXPECT_EQ(drained(), (Order{0, 2, 3, 4, 5}));
}

}  // namespace
}  // namespace flashloom::uflru_test
