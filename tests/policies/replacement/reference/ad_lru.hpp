// AD-LRU (Jin, Ou, Haerder and Li, "AD-LRU: An Efficient Buffer Replacement Algorithm for Flash-Based Databases", Data
// & Knowledge Engineering 72, 2012): a cold and a hot LRU queue. A page enters the cold one with its reference bit set;
// a reference moves it to the MRU end of the hot one and sets the bit. The victim comes from the cold queue if it has
// more than min_lc pages, else from the hot one: its least recent clean page (FC); with none clean, second chance from
// the LRU end: a set bit is cleared and the page moves to the MRU end. Open: min_lc is a share of the cache, its floor
// in pages; a queue that is empty yields to the other.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class AdLru final : public PlainCache {
 public:
  AdLru(std::size_t capacity, std::size_t min_cold) : PlainCache(capacity), min_cold_(min_cold) {}
  std::size_t resident() const override { return cold_.size() + hot_.size(); }
  /// "'" behind a set reference bit.
  std::string state() const override { return "cold=" + marked(cold_) + " hot=" + marked(hot_); }

 private:
  std::string marked(const List& list) const {
    std::string all;
    for (const Page page : list) all += name_of(page, dirty(page)) + (referenced_.count(page) != 0 ? "'" : "");
    return all;
  }
  bool contains(Page page) const override { return cold_.contains(page) || hot_.contains(page); }
  void hit(Page page, bool) override {
    (cold_.contains(page) ? cold_ : hot_).erase(page);
    hot_.push_head(page);
    referenced_.insert(page);
  }
  Page take_victim() override {
    List& from = (cold_.size() > min_cold_ && !cold_.empty()) || hot_.empty() ? cold_ : hot_;
    for (auto at = from.from_tail(); at != from.beyond_head(); ++at)
      if (!dirty(*at)) return remove(from, *at);
    while (referenced_.erase(from.tail()) != 0) from.move_to_head(from.tail());
    return remove(from, from.tail());
  }
  Page remove(List& from, Page page) {
    from.erase(page);
    referenced_.erase(page);
    return page;
  }
  void enter(Page page, bool) override {
    cold_.push_head(page);
    referenced_.insert(page);
  }

  std::size_t min_cold_;
  List cold_;
  List hot_;
  std::unordered_set<Page> referenced_;
};

}  // namespace flashloom::reference
