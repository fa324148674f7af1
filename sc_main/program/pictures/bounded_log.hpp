// A log of bounded size for observers of a run: keeps the entries that are earliest in time, in whatever order they
// come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// At most `capacity` entries; `Entry::at` is an entry's time. All entries before horizon() are kept, none from it on.
template <class Entry>
class BoundedLog {
 public:
  explicit BoundedLog(std::size_t capacity) : capacity_(capacity) {}

  void add(const Entry& entry) {
    if (entry.at >= horizon_) return;
    entries_.push_back(entry);
    if (entries_.size() > capacity_ + capacity_ / 4) cut();
  }

  /// kNever: all entries are kept.
  Picoseconds horizon() const { return horizon_; }
  bool empty() const { return entries_.empty(); }

  /// The entries in time order, those of equal times in the order of add().
  const std::vector<Entry>& sorted() {
    cut();
    return entries_;
  }

 private:
  void cut() {
    const auto earlier = [](const Entry& a, const Entry& b) { return a.at < b.at; };
    std::stable_sort(entries_.begin(), entries_.end(), earlier);
    if (entries_.size() <= capacity_) return;
    horizon_ = entries_[capacity_].at;
    const auto first_late = std::lower_bound(entries_.begin(), entries_.end(), horizon_,
                                             [](const Entry& entry, Picoseconds at) { return entry.at < at; });
    entries_.erase(first_late, entries_.end());
  }

  std::size_t capacity_;
  Picoseconds horizon_ = kNever;
  std::vector<Entry> entries_;
};

}  // namespace flashloom
