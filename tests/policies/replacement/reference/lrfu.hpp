// LRFU (Lee et al., "LRFU: A Spectrum of Policies that Subsumes the Least Recently Used and Least Frequently Used
// Policies", IEEE Trans. Computers 50(12), 2001): the page with the least combined recency and frequency (CRF) leaves:
//   CRF(b) = sum over its references i of F(now - t_i),  F(x) = (1/2)^(lambda x), time in references.
// CRF is kept as its value at the last reference; a page that comes back begins anew. Compared as log2(CRF) + lambda t,
// which ranks pages alike at every later time. Open: ties (lambda = 0): the one referenced longest ago leaves.
#pragma once

#include <cmath>
#include <set>
#include <tuple>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Lrfu final : public PlainCache {
 public:
  Lrfu(std::size_t capacity, double lambda) : PlainCache(capacity), lambda_(lambda) {}
  std::size_t resident() const override { return order_.size(); }
  /// In the order of eviction.
  std::string state() const override {
    std::string all;
    for (const auto& [rank, last, page] : order_) all += name_of(page, dirty(page));
    return all;
  }
  /// CRF of a resident page at its last reference.
  double crf(Page page) const { return values_.at(page).crf; }

 private:
  struct Value {
    double crf;
    std::uint64_t last;
  };
  using Rank = std::tuple<double, std::uint64_t, Page>;

  Rank rank(Page page) const {
    const Value& value = values_.at(page);
    return {std::log2(value.crf) + lambda_ * static_cast<double>(value.last), value.last, page};
  }
  bool contains(Page page) const override { return values_.count(page) != 0; }
  void hit(Page page, bool) override {
    order_.erase(rank(page));
    Value& value = values_.at(page);
    value = {1 + value.crf * std::exp2(-lambda_ * static_cast<double>(now_ - value.last)), now_};
    order_.insert(rank(page));
  }
  Page take_victim() override {
    const Page page = std::get<2>(*order_.begin());
    order_.erase(order_.begin());
    values_.erase(page);
    return page;
  }
  void enter(Page page, bool) override {
    values_[page] = {1, now_};
    order_.insert(rank(page));
  }

  double lambda_;
  std::unordered_map<Page, Value> values_;
  std::set<Rank> order_;
};

}  // namespace flashloom::reference
