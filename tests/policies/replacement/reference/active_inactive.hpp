// Linux's second chance on two lists (mm/vmscan.c of 3.15, in outline): references set a bit; when a victim is needed,
// the inactive list is filled up to its share of the pages from the tail of the active one (a referenced page there
// goes round, or, as Linux does with anonymous pages, falls, too), and the victim is the first page from the inactive
// tail whose bit is clear; others become active. Open: when pages fall. Settled: when a victim is asked for.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class ActiveInactive final : public PlainCache {
 public:
  ActiveInactive(std::size_t capacity, double inactive, bool rotate)
      : PlainCache(capacity), share_(inactive), rotate_(rotate) {}
  std::size_t resident() const override { return active_.size() + inactive_.size(); }
  /// The active list, then the inactive list; "'" behind a set bit.
  std::string state() const override { return marked(active_) + "|" + marked(inactive_); }

 private:
  std::string marked(const List& list) const {
    std::string all;
    for (const Page page : list) all += name_of(page, dirty(page)) + (referenced_.count(page) != 0 ? "'" : "");
    return all;
  }
  bool contains(Page page) const override { return active_.contains(page) || inactive_.contains(page); }
  void hit(Page page, bool) override { referenced_.insert(page); }
  void enter(Page page, bool) override { active_.push_head(page); }
  bool too_short() const {
    const auto target = static_cast<std::size_t>(share_ * static_cast<double>(resident()));
    return inactive_.size() < std::max<std::size_t>(target, 1) && !active_.empty();
  }
  Page take_victim() override {
    for (;;) {
      while (too_short()) {
        const Page page = active_.pop_tail();
        const bool referenced = referenced_.erase(page) != 0;
        (referenced && rotate_ ? active_ : inactive_).push_head(page);
      }
      const Page page = inactive_.pop_tail();
      if (referenced_.erase(page) == 0) return page;
      active_.push_head(page);
    }
  }

  double share_;
  bool rotate_;
  List active_;
  List inactive_;
  std::unordered_set<Page> referenced_;
};

}  // namespace flashloom::reference
