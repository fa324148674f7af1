// ARC (Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST'03, figure 4). p is real-valued,
// as its ratios are. REPLACE is called in case IV only when the cache is full (the figure's |L1| < c, total >= c says
// just that).
#pragma once

#include <algorithm>
#include <sstream>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class Arc final : public Cache {
 public:
  using Cache::Cache;
  std::size_t resident() const override { return t1_.size() + t2_.size(); }
  std::string state() const override {
    std::ostringstream all;
    all << "T1=" << text(t1_) << " T2=" << text(t2_) << " B1=" << text(b1_) << " B2=" << text(b2_) << " p=" << p_;
    return all.str();
  }

 private:
  Hit decide(Page x, bool) override {
    const auto c = static_cast<double>(capacity_);
    if (t1_.contains(x)) {  // case I
      t1_.erase(x);
      t2_.push_head(x);
      return Hit::Real;
    }
    if (t2_.contains(x)) {
      t2_.move_to_head(x);
      return Hit::Real;
    }
    if (b1_.contains(x)) {  // case II
      p_ = std::min(p_ + (b1_.size() >= b2_.size() ? 1.0 : ratio(b2_, b1_)), c);
      replace(x);
      b1_.erase(x);
      t2_.push_head(x);
      return Hit::Ghost;
    }
    if (b2_.contains(x)) {  // case III
      p_ = std::max(p_ - (b2_.size() >= b1_.size() ? 1.0 : ratio(b1_, b2_)), 0.0);
      replace(x);
      b2_.erase(x);
      t2_.push_head(x);
      return Hit::Ghost;
    }
    const std::size_t l1 = t1_.size() + b1_.size();  // case IV
    const std::size_t l2 = t2_.size() + b2_.size();
    if (l1 == capacity_) {
      if (t1_.size() < capacity_) {
        b1_.pop_tail();
        replace(x);
      } else {
        leaves(t1_.pop_tail());
      }
    } else if (l1 + l2 >= capacity_) {
      if (l1 + l2 == 2 * capacity_) b2_.pop_tail();
      replace(x);
    }
    t1_.push_head(x);
    return Hit::Miss;
  }
  static double ratio(const List& a, const List& b) {
    return static_cast<double>(a.size()) / static_cast<double>(b.size());
  }
  void replace(Page x) {
    const auto t1 = static_cast<double>(t1_.size());
    const bool first = !t1_.empty() && (t1 > p_ || (b2_.contains(x) && t1 == p_));
    List& from = first ? t1_ : t2_;
    List& to = first ? b1_ : b2_;
    const Page page = from.pop_tail();
    leaves(page);
    to.push_head(page);
  }

  List t1_;
  List t2_;
  List b1_;
  List b2_;
  double p_ = 0;
};

}  // namespace flashloom::reference
