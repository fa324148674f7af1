// Positions in an order of recency, with their ranks in O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flashloom {

/// Items enter at the recent end, and leave anywhere. Places are renumbered when they run out: `Item` has a member
/// `std::uint32_t place`, kept up to date. A Fenwick tree over places; O(log n) each, amortised; no allocation.
template <class Item>
class RecencyRanks {
 public:
  /// At most `capacity` items at a time.
  explicit RecencyRanks(std::uint32_t capacity)
      : items_(std::size_t{capacity} * 2 + 1), tree_(items_.size() + 1), next_(0) {}

  std::uint32_t size() const { return size_; }

  /// Makes `item` the most recent one.
  void append(Item& item) {
    if (next_ == items_.size()) close_ranks();
    item.place = next_++;
    items_[item.place] = &item;
    ++size_;
    add(item.place, 1);
  }

  void remove(const Item& item) {
    items_[item.place] = nullptr;
    --size_;
    add(item.place, ~std::uint32_t{0});
  }

  /// 1 for the most recent item, size() for the oldest.
  std::uint32_t rank(const Item& item) const {
    std::uint32_t older = 0;
    for (std::size_t i = item.place; i != 0; i &= i - 1) older += tree_[i];
    return size_ - older;
  }

 private:
  // tree_[i] counts the items at the (i & -i) places that end with place i - 1.
  void add(std::size_t place, std::uint32_t n) {
    for (std::size_t i = place + 1; i < tree_.size(); i += i & (~i + 1)) tree_[i] += n;
  }

  void close_ranks() {
    next_ = 0;
    tree_.assign(tree_.size(), 0);
    for (std::size_t place = 0; place < items_.size(); ++place) {
      Item* const item = items_[place];
      if (item == nullptr) continue;
      items_[place] = nullptr;
      item->place = next_;
      items_[next_++] = item;
      add(item->place, 1);
    }
  }

  std::vector<Item*> items_;         // by place
  std::vector<std::uint32_t> tree_;  // [0] unused
  std::uint32_t next_;
  std::uint32_t size_ = 0;
};

}  // namespace flashloom
