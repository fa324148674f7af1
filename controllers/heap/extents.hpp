// Free ranges of the heap's address space, in pages. First fit.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "controllers/heap/heap_pages.hpp"

namespace flashloom {

class Extents {
 public:
  explicit Extents(std::uint32_t pages) { give_back(0, pages); }

  /// The begin of a range that is free no longer; kNone if no free range is so long.
  std::uint32_t take(std::uint32_t pages) {
    for (auto range = free_.begin(); range != free_.end(); ++range)
      if (range->second >= pages) {
        const std::uint32_t first = range->first;
        take_at(first, pages);
        return first;
      }
    return kNone;
  }
  /// A part of a free range.
  void take_at(std::uint32_t first, std::uint32_t pages) {
    const auto range = std::prev(free_.upper_bound(first));
    const auto [begin, count] = *range;
    free_.erase(range);
    if (first != begin) free_[begin] = first - begin;
    if (const std::uint32_t end = first + pages; end != begin + count) free_[end] = begin + count - end;
  }
  void give_back(std::uint32_t first, std::uint32_t pages) {
    auto after = free_.lower_bound(first);
    if (after != free_.end() && after->first == first + pages) {
      pages += after->second;
      after = free_.erase(after);
    }
    if (after != free_.begin())
      if (const auto before = std::prev(after); before->first + before->second == first) {
        before->second += pages;
        return;
      }
    if (pages != 0) free_[first] = pages;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> free_;  // begin, pages
};

}  // namespace flashloom
