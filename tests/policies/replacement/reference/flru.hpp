// FLRU (Park and Park, 2007, as dld_arc.md reports it): evicts the page with the largest value C. C comes from the time
// of insertion, the residence time, the references since, and the expected cost of replacement: read : write :
// overwrite = 1 : 7 : 65. Open: the formula. Settled: C = residence / (references x cost), the time that the page has
// been here for each reference and unit of cost. Residence is in references since the insertion, without the current
// one, which misses; references include the one that brought the page, and count up to 63; cost is `read` for a clean
// page, `overwrite` for a dirty page that the FTL says is stored already, else `write`. Ties: the page that entered
// first. The FTL is asked when a victim is sought.
#pragma once

#include <algorithm>
#include <functional>
#include <map>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Flru final : public PlainCache {
 public:
  struct Weights {
    std::uint64_t read = 1;
    std::uint64_t write = 7;
    std::uint64_t overwrite = 65;
  };
  Flru(std::size_t capacity, Weights weights, std::function<bool(Page)> stored)
      : PlainCache(capacity), weights_(weights), stored_(std::move(stored)) {}
  std::size_t resident() const override { return order_.size(); }
  /// In order of insertion, with the references of each.
  std::string state() const override {
    std::string all;
    for (const auto& [inserted, page] : order_)
      all += name_of(page, dirty(page)) + std::to_string(entries_.at(page).references);
    return all;
  }

 private:
  struct Entry {
    std::uint64_t inserted;
    std::uint64_t references;
  };

  static constexpr std::uint64_t kMostReferences = 63;

  std::uint64_t cost(Page page) const {
    if (!dirty(page)) return weights_.read;
    return stored_(page) ? weights_.overwrite : weights_.write;
  }
  bool contains(Page page) const override { return entries_.count(page) != 0; }
  void hit(Page page, bool) override {
    entries_.at(page).references = std::min(entries_.at(page).references + 1, kMostReferences);
  }
  Page take_victim() override {
    auto best = order_.end();
    std::uint64_t residence = 0;
    std::uint64_t divisor = 1;
    for (auto at = order_.begin(); at != order_.end(); ++at) {
      const Entry& entry = entries_.at(at->second);
      const std::uint64_t here = now_ - 1 - entry.inserted;
      const std::uint64_t by = entry.references * cost(at->second);
      if (best != order_.end() && here * divisor <= residence * by) continue;
      best = at;
      residence = here;
      divisor = by;
    }
    const Page page = best->second;
    order_.erase(best);
    entries_.erase(page);
    return page;
  }
  void enter(Page page, bool) override {
    entries_[page] = {now_, 1};
    order_[now_] = page;
  }

  Weights weights_;
  std::function<bool(Page)> stored_;
  std::unordered_map<Page, Entry> entries_;
  std::map<std::uint64_t, Page> order_;  // by time of insertion
};

}  // namespace flashloom::reference
