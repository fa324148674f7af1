// Buffered pages in address order, and the maximal runs of consecutive ones.
#pragma once

#include <algorithm>
#include <boost/intrusive/set.hpp>
#include <cstdint>
#include <iterator>
#include <vector>

#include "policies/eviction.hpp"

namespace flashloom {

/// O(log n) an insertion, removal or look-up: one red-black tree of pages, one of runs.
class PageRuns {
 public:
  struct Run : boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>> {
    std::uint64_t first = 0;  ///< page number
    std::uint32_t count = 0;
    std::uint64_t end() const { return first + count; }
  };

  explicit PageRuns(std::uint32_t capacity) : pages_(capacity), runs_(capacity) {
    free_.reserve(capacity);
    for (std::uint32_t i = capacity; i-- > 0;) free_.push_back(&runs_[i]);
  }

  bool contains(Slot slot) const { return pages_[slot].is_linked(); }
  std::uint64_t page(Slot slot) const { return pages_[slot].number; }

  /// Requires that `slot` is not contained, and no other slot has this page.
  void insert(Slot slot, std::uint64_t page) {
    pages_[slot].number = page;
    by_number_.insert(pages_[slot]);
    const auto after = by_first_.upper_bound(page, ByFirst{});
    Run* const next = after != by_first_.end() && after->first == page + 1 ? &*after : nullptr;
    Run* const last = after != by_first_.begin() ? &*std::prev(after) : nullptr;
    if (last != nullptr && last->end() == page) {
      last->count += 1 + (next != nullptr ? next->count : 0);
      if (next != nullptr) give_back(*next);
    } else if (next != nullptr) {  // the next run starts earlier now, in unchanged order
      --next->first;
      ++next->count;
    } else {
      take(page, 1);
    }
  }

  void erase(Slot slot) {
    const std::uint64_t page = pages_[slot].number;
    by_number_.erase(by_number_.iterator_to(pages_[slot]));
    Run& run = run_of(page);
    const std::uint64_t end = run.end();
    if (run.first == page) {
      ++run.first;
      if (--run.count == 0) give_back(run);
      return;
    }
    run.count = static_cast<std::uint32_t>(page - run.first);
    if (page + 1 != end) take(page + 1, static_cast<std::uint32_t>(end - page - 1));
  }

  const Run& run(Slot slot) const { return const_cast<PageRuns*>(this)->run_of(pages_[slot].number); }

  /// Appends the slots of `count` pages from `first` on, all of which must be contained.
  void slots(std::uint64_t first, std::uint32_t count, std::vector<Slot>& to) const {
    auto at = by_number_.find(first, ByNumber{});
    for (; count-- > 0; ++at) to.push_back(static_cast<Slot>(&*at - pages_.data()));
  }

  void state(StateArchive& archive) {
    std::vector<std::uint64_t> saved;  // slot, page
    for (const Page& page : by_number_)
      saved.insert(saved.end(), {static_cast<std::uint64_t>(&page - pages_.data()), page.number});
    archive(saved);
    if (!archive.loading()) return;
    for (std::size_t i = 0; i < saved.size(); i += 2) insert(static_cast<Slot>(saved[i]), saved[i + 1]);
  }

 private:
  struct Page : boost::intrusive::set_base_hook<boost::intrusive::optimize_size<true>> {
    std::uint64_t number = 0;
  };
  struct ByNumber {
    bool operator()(const Page& a, const Page& b) const { return a.number < b.number; }
    bool operator()(const Page& a, std::uint64_t b) const { return a.number < b; }
    bool operator()(std::uint64_t a, const Page& b) const { return a < b.number; }
  };
  struct ByFirst {
    bool operator()(const Run& a, const Run& b) const { return a.first < b.first; }
    bool operator()(const Run& a, std::uint64_t b) const { return a.first < b; }
    bool operator()(std::uint64_t a, const Run& b) const { return a < b.first; }
  };

  Run& run_of(std::uint64_t page) { return *std::prev(by_first_.upper_bound(page, ByFirst{})); }
  void take(std::uint64_t first, std::uint32_t count) {
    Run& run = *free_.back();
    free_.pop_back();
    run.first = first;
    run.count = count;
    by_first_.insert(run);
  }
  void give_back(Run& run) {
    by_first_.erase(by_first_.iterator_to(run));
    free_.push_back(&run);
  }

  std::vector<Page> pages_;  // by slot
  std::vector<Run> runs_;
  std::vector<Run*> free_;
  boost::intrusive::set<Page, boost::intrusive::compare<ByNumber>, boost::intrusive::constant_time_size<false>>
      by_number_;
  boost::intrusive::set<Run, boost::intrusive::compare<ByFirst>, boost::intrusive::constant_time_size<false>> by_first_;
};

/// Sets by address: runs of at least `threshold` pages, in pieces of at most `limit`.
class SpatialSets {
 public:
  SpatialSets(std::uint32_t capacity, std::uint32_t threshold, std::uint32_t limit)
      : runs_(capacity), threshold_(threshold), limit_(limit) {}

  void written(Slot slot, std::uint64_t page) {
    if (!runs_.contains(slot)) runs_.insert(slot, page);
  }
  void removed(Slot slot) { runs_.erase(slot); }
  bool in_set(Slot slot) const { return runs_.run(slot).count >= threshold_; }
  void set_of(Slot slot, std::vector<Slot>& members) const {
    const PageRuns::Run& run = runs_.run(slot);
    if (run.count < threshold_) return;
    const std::uint64_t first = run.first + (runs_.page(slot) - run.first) / limit_ * limit_;
    runs_.slots(first, static_cast<std::uint32_t>(std::min<std::uint64_t>(limit_, run.end() - first)), members);
  }
  void state(StateArchive& archive) { runs_.state(archive); }

 private:
  PageRuns runs_;
  std::uint32_t threshold_;
  std::uint32_t limit_;
};

}  // namespace flashloom
