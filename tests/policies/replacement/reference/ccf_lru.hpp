// CCF-LRU (Li, Jin, Su, Cui and Yue, "CCF-LRU: A New Buffer Replacement Algorithm for Flash Memory", IEEE Trans.
// Consumer Electronics 55(3), 2009): an LRU list of cold clean pages, and a mixed list of dirty and hot clean pages
// with a cold flag each. The tail of the cold clean list is evicted first. If that list is empty, the tail of the mixed
// list decides: a cold page is evicted; a hot dirty page is made cold and moves to the MRU end; a hot clean page is
// made cold and moves to the cold clean list. A reference makes a page hot and moves it to the MRU end of the mixed
// list. Open: a page enters cold whether a write or a read brings it. After a hot clean page has moved to the cold
// clean list, the search goes on, so that a cold dirty page is evicted before it. If one round of the mixed list finds
// no cold page, the tail of the cold clean list is evicted, and if there is none that of the mixed list. The order is
// thus the abstract's: cold clean, cold dirty, hot clean, hot dirty.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class CcfLru final : public PlainCache {
 public:
  using PlainCache::PlainCache;
  std::size_t resident() const override { return clean_.size() + mixed_.size(); }
  /// "'" behind a set cold flag in the mixed list.
  std::string state() const override {
    std::string all = "clean=" + text(clean_) + " mixed=";
    for (const Page page : mixed_) all += name_of(page, dirty(page)) + (cold_.count(page) != 0 ? "'" : "");
    return all;
  }

 private:
  bool contains(Page page) const override { return clean_.contains(page) || mixed_.contains(page); }
  void hit(Page page, bool) override {
    (clean_.contains(page) ? clean_ : mixed_).erase(page);
    mixed_.push_head(page);
    cold_.erase(page);
  }
  Page take_victim() override {
    if (!clean_.empty()) return clean_.pop_tail();
    for (std::size_t left = mixed_.size(); left != 0; --left) {
      const Page page = mixed_.pop_tail();
      if (cold_.erase(page) != 0) return page;
      if (dirty(page)) {
        cold_.insert(page);
        mixed_.push_head(page);
      } else {
        clean_.push_head(page);
      }
    }
    if (!clean_.empty()) return clean_.pop_tail();
    cold_.erase(mixed_.tail());
    return mixed_.pop_tail();
  }
  void enter(Page page, bool write) override {
    (write ? mixed_ : clean_).push_head(page);
    if (write) cold_.insert(page);
  }

  List clean_;
  List mixed_;
  std::unordered_set<Page> cold_;  // of the mixed list
};

}  // namespace flashloom::reference
