// LFU, textbook: evicts the page with the fewest references. References are counted while the page is in the cache
// (in-cache LFU), including the one that brings it; reads and writes count alike. Of pages with equally few the one
// referenced longest ago is evicted.
#pragma once

#include <set>
#include <tuple>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Lfu final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  std::size_t resident() const override { return order_.size(); }
  /// In the order of eviction, with the counts.
  std::string state() const override {
    std::string all;
    for (const auto& [count, last, page] : order_) all += name_of(page, dirty(page)) + std::to_string(count);
    return all;
  }

 private:
  using Entry = std::tuple<std::uint64_t, std::uint64_t, Page>;  // references, last of them, page

  bool contains(Page page) const override { return entries_.count(page) != 0; }
  void hit(Page page, bool) override {
    Entry& entry = entries_.at(page);
    order_.erase(entry);
    entry = {std::get<0>(entry) + 1, now_, page};
    order_.insert(entry);
  }
  Page take_victim() override {
    const Page page = std::get<2>(*order_.begin());
    order_.erase(order_.begin());
    entries_.erase(page);
    return page;
  }
  void enter(Page page, bool) override {
    entries_[page] = {1, now_, page};
    order_.insert(entries_[page]);
  }

  std::unordered_map<Page, Entry> entries_;
  std::set<Entry> order_;
};

}  // namespace flashloom::reference
