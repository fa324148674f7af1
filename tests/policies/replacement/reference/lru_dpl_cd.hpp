// LRU-DPL-CD (Jung et al., 2006), later LRU-WSR (Jung et al., "LRU-WSR: Integration of LRU and Writes Sequence
// Reordering for Flash Memory", IEEE Trans. Consumer Electronics 54(3), 2008): at the LRU end a clean page is the
// victim; a dirty page whose cold flag is clear gets the flag and moves to the MRU end; a dirty page whose flag is set
// is the victim. Any reference clears the flag (dld_arc.md).
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class LruDplCd final : public RecencyCache {
 public:
  using RecencyCache::RecencyCache;
  /// "'" behind a set cold flag.
  std::string state() const override {
    std::string all;
    for (const Page page : list_) all += name_of(page, dirty(page)) + (cold_.count(page) != 0 ? "'" : "");
    return all;
  }

 private:
  void hit(Page page, bool) override {
    list_.move_to_head(page);
    cold_.erase(page);
  }
  Page take_victim() override {
    while (dirty(list_.tail()) && cold_.insert(list_.tail()).second) list_.move_to_head(list_.tail());
    const Page page = list_.pop_tail();
    cold_.erase(page);
    return page;
  }

  std::unordered_set<Page> cold_;
};

}  // namespace flashloom::reference
