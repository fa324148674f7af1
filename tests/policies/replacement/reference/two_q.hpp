// 2Q, full version (Johnson and Shasha, "2Q: A Low Overhead High Performance Buffer Management Replacement Algorithm",
// VLDB 1994): A1in is a FIFO of pages seen once, A1out a FIFO of identifiers that left it, Am an LRU list.
// Open: the paper's tuning Kin = 25 %, Kout = 50 % of the cache is not integer: it is rounded down, at least 1. The
// pseudo-code does not cover an empty Am with |A1in| <= Kin (only if Kin is the whole cache): A1in's tail is evicted,
// as with |A1in| > Kin. As printed, X keeps its place in A1out while room is made: the dropped identifier may be X's
// own.
#pragma once

#include <algorithm>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class TwoQ final : public Cache {
 public:
  TwoQ(std::size_t capacity, double in, double out)
      : Cache(capacity), kin_(share(capacity, in)), kout_(share(capacity, out)) {}
  std::size_t resident() const override { return a1in_.size() + am_.size(); }
  std::string state() const override { return "A1in=" + text(a1in_) + " A1out=" + text(a1out_) + " Am=" + text(am_); }

 private:
  static std::size_t share(std::size_t capacity, double part) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(part * static_cast<double>(capacity)));
  }
  Hit decide(Page x, bool) override {
    if (am_.contains(x)) {
      am_.move_to_head(x);
      return Hit::Real;
    }
    if (a1out_.contains(x)) {
      reclaim();
      if (a1out_.contains(x)) a1out_.erase(x);
      am_.push_head(x);
      return Hit::Ghost;
    }
    if (a1in_.contains(x)) return Hit::Real;
    reclaim();
    a1in_.push_head(x);
    return Hit::Miss;
  }
  void reclaim() {
    if (resident() < capacity_) return;
    if (a1in_.size() > kin_ || am_.empty()) {
      const Page y = a1in_.pop_tail();
      leaves(y);
      a1out_.push_head(y);
      if (a1out_.size() > kout_) a1out_.pop_tail();
    } else {
      leaves(am_.pop_tail());
    }
  }

  std::size_t kin_;
  std::size_t kout_;
  List a1in_;
  List a1out_;
  List am_;
};

}  // namespace flashloom::reference
