// CF-LRU (Park et al., "CFLRU: A Replacement Algorithm for Flash Memory", CASES 2006; dld_arc.md): evicts the first
// clean page within the window, counted from the LRU end; without one the LRU page. Open: a window given as a share of
// the cache is rounded down to pages; 0 is LRU.
#pragma once

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Cflru final : public RecencyCache {
 public:
  Cflru(std::size_t capacity, std::size_t window_pages) : RecencyCache(capacity), window_(window_pages) {}

 private:
  Page take_victim() override {
    std::size_t seen = 0;
    for (auto at = list_.from_tail(); at != list_.beyond_head() && seen != window_; ++at, ++seen) {
      const Page page = *at;
      if (dirty(page)) continue;
      list_.erase(page);
      return page;
    }
    return list_.pop_tail();
  }

  std::size_t window_;
};

}  // namespace flashloom::reference
