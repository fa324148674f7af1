// A small queue sorted by time, for keys that mostly arrive in order.
#pragma once

#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Entries whose first field is a time `at`, earliest first, ties in order of insertion. Bounded; inserting at
/// the end and taking the front cost O(1), inserting before k entries O(k).
template <class Entry>
class TimeRing {
 public:
  explicit TimeRing(std::size_t capacity) : entries_(std::bit_ceil(capacity)), mask_(entries_.size() - 1) {}

  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  const Entry& front() const { return entries_[head_ & mask_]; }
  const Entry& operator[](std::size_t i) const { return entries_[(head_ + i) & mask_]; }
  void pop_front() { ++head_; }
  void clear() { head_ = tail_; }

  /// Inserts an entry of `at` and `rest`. The ring must not be full.
  template <class... Rest>
  void insert(Picoseconds at, Rest... rest) {
    assert(!full());
    std::size_t i = tail_++;
    for (; i != head_ && entries_[(i - 1) & mask_].at > at; --i) entries_[i & mask_] = entries_[(i - 1) & mask_];
    entries_[i & mask_] = {at, rest...};
  }
  bool full() const { return size() > mask_; }
  /// Doubles the capacity.
  [[gnu::cold, gnu::noinline]] void lengthen() {
    std::vector<Entry> longer(2 * entries_.size());
    const std::size_t mask = longer.size() - 1;
    for (std::size_t i = head_; i != tail_; ++i) longer[i & mask] = entries_[i & mask_];
    entries_ = std::move(longer);
    mask_ = mask;
  }
  /// Removes the first entry of an index, if there is one. O(size).
  void remove(std::uint32_t index) {
    std::size_t i = head_;
    while (i != tail_ && entries_[i & mask_].index != index) ++i;
    if (i == tail_) return;
    for (; i + 1 != tail_; ++i) entries_[i & mask_] = entries_[(i + 1) & mask_];
    --tail_;
  }

 private:
  std::vector<Entry> entries_;
  std::size_t mask_;
  std::size_t head_ = 0;  // positions grow without wrapping
  std::size_t tail_ = 0;
};

}  // namespace flashloom
