// COLD's detectors against sets written out by hand, and against brute force on random buffers.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "policies/correlation/correlation.hpp"
#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"

namespace flashloom::detectors_test {
namespace {

using Pages = std::vector<std::uint64_t>;

constexpr std::uint32_t kSlots = 64;

// A buffer whose writes and removals are told to a detector of the family.
class Buffer {
 public:
  Buffer(const std::string& name, std::map<std::string, ParameterValue> values)
      : choice_{name, ParameterValues(values)} {
    detector_ = Family<CorrelationDetector>::make(choice_, {kSlots, 16});
    for (Slot slot = kSlots; slot-- > 0;) free_.push_back(slot);
  }

  void write(std::uint64_t page, std::uint64_t request = 0) {
    if (!slots_.contains(page)) {
      slots_[page] = free_.back();
      page_of_[free_.back()] = page;
      free_.pop_back();
    }
    detector_->written(slots_[page], page, request);
  }
  void write(std::initializer_list<std::uint64_t> pages, std::uint64_t request = 0) {
    for (const std::uint64_t page : pages) write(page, request);
  }
  void remove(std::uint64_t page) {
    detector_->removed(slots_.at(page));
    free_.push_back(slots_.at(page));
    slots_.erase(page);
  }
  Pages set_of(std::uint64_t page) {
    std::vector<Slot> members = {kNoSlot};  // set_of() must keep what is there
    detector_->set_of(slots_.at(page), members);
    EXPECT_EQ(members.front(), kNoSlot);
    Pages pages;
    for (std::size_t i = 1; i < members.size(); ++i) pages.push_back(page_of_.at(members[i]));
    return pages;
  }
  bool has(std::uint64_t page) const { return slots_.contains(page); }
  bool full() const { return free_.empty(); }
  Pages pages() const {
    Pages all;
    for (const auto& [page, slot] : slots_) all.push_back(page);
    return all;
  }
  // Replaces the detector by a new one that loads its saved state.
  void reload() {
    const std::string bytes = saved(*detector_);
    detector_ = Family<CorrelationDetector>::make(choice_, {kSlots, 16});
    ASSERT_TRUE(load_state(*detector_, bytes));
    ASSERT_EQ(saved(*detector_), bytes);
  }

 private:
  PolicyChoice choice_;
  std::unique_ptr<CorrelationDetector> detector_;
  std::map<std::uint64_t, Slot> slots_;
  std::map<Slot, std::uint64_t> page_of_;
  std::vector<Slot> free_;
};

TEST(Spatial, ARunOfDeltaPagesIsASetInOrderOfAddress) {
  Buffer buffer("spatial", {{"threshold", std::int64_t{4}}});
  buffer.write({12, 10, 13});
  EXPECT_EQ(buffer.set_of(12), Pages{});  // 12 and 13 are a run of two
  buffer.write(11);                       // joins the runs on both sides
  for (const std::uint64_t page : {10U, 11U, 12U, 13U}) EXPECT_EQ(buffer.set_of(page), (Pages{10, 11, 12, 13}));
  buffer.write({12, 20});  // 12 again, and a page elsewhere
  EXPECT_EQ(buffer.set_of(10), (Pages{10, 11, 12, 13}));
  EXPECT_EQ(buffer.set_of(20), Pages{});
  buffer.write({14, 15});
  buffer.remove(12);
  EXPECT_EQ(buffer.set_of(10), Pages{});  // two runs, of two and of three
  EXPECT_EQ(buffer.set_of(14), Pages{});
  buffer.write(16);
  EXPECT_EQ(buffer.set_of(14), (Pages{13, 14, 15, 16}));
}

TEST(Spatial, ALongRunIsCutIntoPiecesFromItsFirstPageOn) {
  Buffer buffer("spatial", {{"threshold", std::int64_t{3}}, {"limit", std::int64_t{4}}});
  for (std::uint64_t page = 5; page < 15; ++page) buffer.write(page);
  EXPECT_EQ(buffer.set_of(5), (Pages{5, 6, 7, 8}));
  EXPECT_EQ(buffer.set_of(12), (Pages{9, 10, 11, 12}));
  EXPECT_EQ(buffer.set_of(14), (Pages{13, 14}));
  Buffer by_block("spatial", {{"threshold", std::int64_t{3}}});  // 16 pages a block
  for (std::uint64_t page = 0; page < 20; ++page) by_block.write(page);
  EXPECT_EQ(by_block.set_of(0).size(), 16U);
  EXPECT_EQ(by_block.set_of(16), (Pages{16, 17, 18, 19}));
}

TEST(Temporal, AWindowOfDeltaPagesIsASetInOrderOfArrival) {
  Buffer buffer("temporal", {{"threshold", std::int64_t{3}}});
  buffer.write({50, 7});
  EXPECT_EQ(buffer.set_of(7), Pages{});  // its window still fills
  buffer.write({50, 31, 4});             // 50 is in the window already
  EXPECT_EQ(buffer.set_of(7), (Pages{50, 7, 31}));
  EXPECT_EQ(buffer.set_of(4), Pages{});
  buffer.write({7, 9});  // 7 leaves its window, which keeps the other pages
  EXPECT_EQ(buffer.set_of(50), (Pages{50, 31}));
  EXPECT_EQ(buffer.set_of(9), (Pages{4, 7, 9}));
  buffer.remove(4);
  EXPECT_EQ(buffer.set_of(9), (Pages{7, 9}));
}

TEST(Both, ARunGoesBeforeAWindow) {
  Buffer buffer("both", {{"threshold", std::int64_t{3}}, {"window", std::int64_t{4}}});
  buffer.write({1, 40, 2, 60});  // a window
  EXPECT_EQ(buffer.set_of(1), (Pages{1, 40, 2, 60}));
  buffer.write(3);
  EXPECT_EQ(buffer.set_of(1), (Pages{1, 2, 3}));
  EXPECT_EQ(buffer.set_of(60), (Pages{40, 60}));
}

TEST(Request, APageBelongsToTheRequestThatWroteItLast) {
  Buffer buffer("request", {{"threshold", std::int64_t{3}}, {"limit", std::int64_t{4}}});
  buffer.write({8, 9}, 1);
  EXPECT_EQ(buffer.set_of(8), Pages{});  // too small
  buffer.write({3, 4, 5}, 2);
  buffer.write(10, 1);  // requests may mix
  EXPECT_EQ(buffer.set_of(8), (Pages{8, 9, 10}));
  EXPECT_EQ(buffer.set_of(4), (Pages{3, 4, 5}));
  buffer.write({9, 20, 21, 22, 23, 24}, 3);
  EXPECT_EQ(buffer.set_of(8), Pages{});
  EXPECT_EQ(buffer.set_of(21), (Pages{9, 20, 21, 22}));
  EXPECT_EQ(buffer.set_of(24), (Pages{23, 24}));
}

// The paper's definitions by brute force.
class Reference {
 public:
  void write(std::uint64_t page) {
    buffered_.insert(page);
    if (std::find(open_.begin(), open_.end(), page) != open_.end()) return;
    forget(page);
    open_.push_back(page);
    if (++arrived_ < window) return;
    windows_.push_back(open_);
    open_.clear();
    arrived_ = 0;
  }
  void remove(std::uint64_t page) {
    buffered_.erase(page);
    forget(page);
    std::erase(open_, page);
  }
  Pages run(std::uint64_t page) const {
    std::uint64_t first = page;
    while (first != 0 && buffered_.contains(first - 1)) --first;
    Pages run;
    for (std::uint64_t next = first; buffered_.contains(next); ++next) run.push_back(next);
    if (run.size() < threshold) return {};
    const std::size_t piece = (page - first) / limit * limit;
    return {run.begin() + static_cast<std::ptrdiff_t>(piece),
            run.begin() + static_cast<std::ptrdiff_t>(std::min(piece + limit, run.size()))};
  }
  Pages arrivals(std::uint64_t page) const {
    for (const Pages& each : windows_)
      if (std::find(each.begin(), each.end(), page) != each.end()) return each;
    return {};
  }
  Pages both(std::uint64_t page) const {
    if (const Pages set = run(page); !set.empty()) return set;
    Pages rest = arrivals(page);
    std::erase_if(rest, [this](std::uint64_t other) { return !run(other).empty(); });
    return rest;
  }

  static constexpr std::size_t threshold = 4;
  static constexpr std::size_t limit = 7;
  static constexpr std::size_t window = 5;

 private:
  void forget(std::uint64_t page) {
    for (Pages& each : windows_) std::erase(each, page);
  }
  std::set<std::uint64_t> buffered_;
  std::vector<Pages> windows_;
  Pages open_;
  std::size_t arrived_ = 0;
};

TEST(Detectors, AgreeWithBruteForceOnRandomBuffers) {
  const std::map<std::string, ParameterValue> runs = {{"threshold", std::int64_t{Reference::threshold}},
                                                      {"limit", std::int64_t{Reference::limit}}};
  auto all = runs;
  all["window"] = std::int64_t{Reference::window};
  std::size_t sets = 0;
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    Buffer spatial("spatial", runs);
    Buffer temporal("temporal", {{"threshold", std::int64_t{Reference::window}}});
    Buffer both("both", all);
    Reference reference;
    std::mt19937_64 random(seed);
    for (int step = 0; step < 3000 && !HasFailure(); ++step) {
      const std::uint64_t page = random() % 96;
      if (spatial.has(page) && (random() % 3 == 0)) {
        for (Buffer* buffer : {&spatial, &temporal, &both}) buffer->remove(page);
        reference.remove(page);
      } else if (spatial.has(page) || !spatial.full()) {
        for (Buffer* buffer : {&spatial, &temporal, &both}) buffer->write(page);
        reference.write(page);
      }
      if (step % 500 == 499)
        for (Buffer* buffer : {&spatial, &temporal, &both}) buffer->reload();
      const Pages pages = spatial.pages();
      if (pages.empty()) continue;
      const std::uint64_t asked = pages[random() % pages.size()];
      ASSERT_EQ(spatial.set_of(asked), reference.run(asked)) << "seed " << seed << ", step " << step;
      ASSERT_EQ(temporal.set_of(asked), reference.arrivals(asked)) << "seed " << seed << ", step " << step;
      ASSERT_EQ(both.set_of(asked), reference.both(asked)) << "seed " << seed << ", step " << step;
      sets += both.set_of(asked).size() > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(sets, 1000U);
}

// 3 and 4 are evicted for room; 10 is in a set with 11 and 12, which are evicted with it.
TEST(CorrelatedSets, WhatLeavesTakesItsSetAlong) {
  CorrelatedSets sets(
      Family<CorrelationDetector>::make({"spatial", ParameterValues({{"threshold", std::int64_t{3}}})}, {8, 8}), 8);
  const Pages pages = {3, 10, 12, 11, 20, 21, 22, 4};
  for (Slot slot = 0; slot < pages.size(); ++slot) sets.written(slot, pages[slot], 0);
  std::vector<LeavingPage> leaving;
  const auto numbers = [&leaving] {
    std::vector<std::pair<Slot, std::uint32_t>> all;
    for (const LeavingPage& page : leaving) all.emplace_back(page.slot, page.set);
    return all;
  };
  sets.complete({0, 2, 7, 1, 5}, leaving);
  EXPECT_EQ(numbers(), (std::vector<std::pair<Slot, std::uint32_t>>{
                           {0, 0}, {1, 1}, {3, 1}, {2, 1}, {7, 0}, {4, 2}, {5, 2}, {6, 2}}));
  sets.complete({1}, leaving);  // completed again: another set number
  EXPECT_EQ(numbers(), (std::vector<std::pair<Slot, std::uint32_t>>{{1, 3}, {3, 3}, {2, 3}}));
}

}  // namespace
}  // namespace flashloom::detectors_test
