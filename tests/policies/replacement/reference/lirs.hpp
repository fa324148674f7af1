// LIRS (Jiang and Zhang, "LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to Improve Buffer Cache
// Performance", SIGMETRICS 2002): stack S of pages by recency (LIR, resident HIR, non-resident HIR), its bottom always
// LIR (pruning); queue Q of the resident HIR pages. Until the LIR set is full every page that comes is LIR.
//   LIR hit: to the top of S; prune if it was the bottom.
//   HIR hit: to the top of S. If the page was in S, it becomes LIR and leaves Q, and the bottom of S becomes HIR at the
//            end of Q; prune. If it was not in S, it goes to the end of Q.
//   Miss:    with a full cache the front of Q is evicted (its place in S stays, non-resident). A page that is in S
//            enters as LIR, as above; any other page enters S and Q as HIR.
// Open: the resident HIR pages are 1 % of the cache, rounded down, at least 1. In a cache of one page no page is LIR.
// The paper does not bound the non-resident pages in S; here they are at most `ghosts`, and the least recent one is
// dropped; a page that is coming back does not count as one.
#pragma once

#include <algorithm>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Lirs final : public Cache {
 public:
  Lirs(std::size_t capacity, double hir, std::size_t ghosts)
      : Cache(capacity),
        lir_limit_(capacity - std::max<std::size_t>(1, static_cast<std::size_t>(hir * static_cast<double>(capacity)))),
        ghost_limit_(ghosts) {}
  std::size_t resident() const override { return lir_.size() + queue_.size(); }
  /// S from the top: "*" behind a LIR page, "?" behind one that is not resident. Q from its front, the next to leave.
  std::string state() const override {
    std::string all = "S=";
    for (const Page page : stack_)
      all += name_of(page, dirty(page)) + (lir_.count(page) != 0 ? "*" : queue_.contains(page) ? "" : "?");
    all += " Q=";
    for (auto at = queue_.from_tail(); at != queue_.beyond_head(); ++at) all += name_of(*at, dirty(*at));
    return all;
  }

 private:
  Hit decide(Page x, bool) override {
    if (lir_.count(x) != 0) {
      stack_.move_to_head(x);
      prune();
      return Hit::Real;
    }
    const bool resident_hir = queue_.contains(x);
    const bool in_stack = stack_.contains(x);
    const Hit hit = resident_hir ? Hit::Real : in_stack ? Hit::Ghost : Hit::Miss;
    if (hit == Hit::Ghost) ghosts_.erase(x);
    if (!resident_hir && resident() == capacity_) {
      const Page page = queue_.pop_tail();
      leaves(page);
      if (stack_.contains(page)) {
        ghosts_.push_head(page);
        if (ghosts_.size() > ghost_limit_) stack_.erase(ghosts_.pop_tail());
      }
    }
    if (resident_hir) queue_.erase(x);
    if (in_stack) stack_.erase(x);
    stack_.push_head(x);
    if (hit == Hit::Miss && lir_.size() < lir_limit_) {
      lir_.insert(x);
    } else if (in_stack && lir_limit_ != 0) {
      lir_.insert(x);
      if (lir_.size() > lir_limit_) {
        const Page bottom = stack_.pop_tail();
        lir_.erase(bottom);
        queue_.push_head(bottom);
      }
    } else {
      queue_.push_head(x);
    }
    prune();
    return hit;
  }
  void prune() {
    while (!stack_.empty() && lir_.count(stack_.tail()) == 0) {
      const Page page = stack_.pop_tail();
      if (ghosts_.contains(page)) ghosts_.erase(page);
    }
  }

  std::size_t lir_limit_;
  std::size_t ghost_limit_;
  List stack_;
  List queue_;   // tail: the front, the next to leave
  List ghosts_;  // non-resident pages of the stack, most recent first
  std::unordered_set<Page> lir_;
};

}  // namespace flashloom::reference
