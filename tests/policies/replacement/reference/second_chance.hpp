// Second Chance, textbook (Tanenbaum, "Modern Operating Systems"): FIFO whose oldest page, if its reference bit is set,
// has it cleared and goes back to the young end. Open, as for CLOCK: whether the reference that loads a page sets its
// bit. Settled: it does not. (CLOCK with the same choice evicts the same pages; they are two forms of one policy.)
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class SecondChance final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  std::size_t resident() const override { return queue_.size(); }
  /// Youngest first, "'" behind a set bit.
  std::string state() const override {
    std::string all;
    for (const Page page : queue_) all += name_of(page, dirty(page)) + (referenced_.count(page) != 0 ? "'" : "");
    return all;
  }

 private:
  bool contains(Page page) const override { return queue_.contains(page); }
  void hit(Page page, bool) override { referenced_.insert(page); }
  Page take_victim() override {
    while (referenced_.erase(queue_.tail()) != 0) queue_.move_to_head(queue_.tail());
    return queue_.pop_tail();
  }
  void enter(Page page, bool) override { queue_.push_head(page); }

  List queue_;
  std::unordered_set<Page> referenced_;
};

}  // namespace flashloom::reference
