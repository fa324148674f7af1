// Dirty-Last (Park, Kim and Kim, 2007; dld_arc.md): evicts clean pages first, over the whole cache, in the order of a
// base policy (LRU, MRU or LFU), and dirty pages only when all are dirty. Open: the paper's pattern-search module
// presorts pages and knows ahead whether they are clean; here a page is what it is at the time of the decision. LFU as
// in lfu.hpp.
#pragma once

#include <set>
#include <tuple>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

enum class Base : std::uint8_t { Lru, Mru, Lfu };

class DirtyLast final : public PlainCache {
 public:
  DirtyLast(std::size_t capacity, Base base) : PlainCache(capacity), base_(base) {}
  std::size_t resident() const override { return entries_.size(); }
  /// In the order of eviction.
  std::string state() const override {
    std::string all;
    for (const auto& [dirty_page, count, last, page] : order_) all += name_of(page, dirty_page);
    return all;
  }

 private:
  // Clean before dirty; then by count (LFU) and by time of the last reference (MRU: backwards).
  using Entry = std::tuple<bool, std::uint64_t, std::int64_t, Page>;
  struct Value {
    bool dirty;
    std::uint64_t references;
    std::uint64_t last;
  };

  Entry entry(Page page) const {
    const Value& value = entries_.at(page);
    const auto last = static_cast<std::int64_t>(value.last);
    return {value.dirty, base_ == Base::Lfu ? value.references : 0, base_ == Base::Mru ? -last : last, page};
  }
  bool contains(Page page) const override { return entries_.count(page) != 0; }
  void hit(Page page, bool write) override {
    order_.erase(entry(page));
    Value& value = entries_.at(page);
    value = {value.dirty || write, value.references + 1, now_};
    order_.insert(entry(page));
  }
  Page take_victim() override {
    const Page page = std::get<3>(*order_.begin());
    order_.erase(order_.begin());
    entries_.erase(page);
    return page;
  }
  void enter(Page page, bool write) override {
    entries_[page] = {write, 1, now_};
    order_.insert(entry(page));
  }

  Base base_;
  std::unordered_map<Page, Value> entries_;
  std::set<Entry> order_;
};

}  // namespace flashloom::reference
