// S3-FIFO (Yang et al., "FIFO Queues are All You Need for Cache Eviction", SOSP'23, algorithm 1): small FIFO S, main
// FIFO M, ghost FIFO G. A hit adds 1 to the page's counter, up to 3. A new page enters M if it is in G, else S. Room is
// made in S if S has its share (10 %) of the cache, else in M. S: a tail seen more than once since it came moves to M,
// its counter cleared; any other tail is evicted, its identifier goes to G. M: a tail with a counter goes back to the
// head, its counter less 1; any other tail is evicted. Open: the share is rounded down, at least 1; M's is the rest,
// and G has as many entries as M's share. A promotion that finds M above its share evicts from M, and no second page is
// evicted. When the chosen queue is empty the other one gives, and when all of S has moved on, M does. Whether a page
// is in G is looked up before room is made; it keeps its place there until it enters.
#pragma once

#include <algorithm>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class S3Fifo final : public Cache {
 public:
  S3Fifo(std::size_t capacity, double small)
      : Cache(capacity),
        small_(std::max<std::size_t>(1, static_cast<std::size_t>(small * static_cast<double>(capacity)))),
        main_(capacity - small_) {}
  std::size_t resident() const override { return s_.size() + m_.size(); }
  /// Counters behind the pages.
  std::string state() const override { return "S=" + counted(s_) + " M=" + counted(m_) + " G=" + text(g_); }

 private:
  std::string counted(const List& list) const {
    std::string all;
    for (const Page page : list) all += name_of(page, dirty(page)) + std::to_string(counter_.at(page));
    return all;
  }
  Hit decide(Page x, bool) override {
    if (s_.contains(x) || m_.contains(x)) {
      counter_[x] = std::min(counter_[x] + 1, 3);
      return Hit::Real;
    }
    const bool remembered = g_.contains(x);
    if (resident() == capacity_) evict();
    counter_[x] = 0;
    if (remembered) {
      if (g_.contains(x)) g_.erase(x);
      m_.push_head(x);
      return Hit::Ghost;
    }
    s_.push_head(x);
    return Hit::Miss;
  }
  void evict() {
    if (s_.size() >= small_ || m_.empty()) {
      while (!s_.empty()) {
        const Page t = s_.pop_tail();
        if (counter_.at(t) > 1) {
          counter_[t] = 0;
          m_.push_head(t);
          if (m_.size() > main_) return evict_main();
        } else {
          leaves(t);
          counter_.erase(t);
          g_.push_head(t);
          if (g_.size() > main_) g_.pop_tail();
          return;
        }
      }
    }
    evict_main();
  }
  void evict_main() {
    for (;;) {
      const Page t = m_.pop_tail();
      if (counter_.at(t) == 0) {
        leaves(t);
        counter_.erase(t);
        return;
      }
      --counter_[t];
      m_.push_head(t);
    }
  }

  std::size_t small_;
  std::size_t main_;
  List s_;
  List m_;
  List g_;
  std::unordered_map<Page, int> counter_;
};

}  // namespace flashloom::reference
