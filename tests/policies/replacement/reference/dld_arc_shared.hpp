// DLD-ARC where all pages with data share one budget of S pages (policies/replacement/dld_arc.cpp): repaired, or with
// ARC's bound |L1| <= S.
//   Lists, P and both counters are the paper's. Where its step 4 says Write(D_i), D_i becomes *due*. Before a page
//   enters, room is made while T1, T2, D1 and D2 hold S pages or more together:
//     a list that is due and not empty writes a block's worth, from its tail;
//     else, if D1 and D2 hold more than dirty_share of S, or T1 and T2 are empty, the longer of D1 and D2 (D1 if they
//     are equal) writes a block's worth; whenever a D list writes, no list is due any more;
//     else the tail of the T_i that Replace names goes to D_i if it is dirty, and is evicted to C_i if it is clean; if
//     C1 and C2 hold more than S + 1 pages together, the longer one (C1 if they are equal) drops its tail.
//   A page that is found in D is in memory: it moves to T2, P changes, and no room is made.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

class DldArcShared final : public Cache {
 public:
  DldArcShared(std::size_t capacity, std::size_t pages_per_block, double dirty_share, bool arc_bounded)
      : Cache(capacity),
        pages_per_block_(pages_per_block),
        most_dirty_(static_cast<std::size_t>(std::floor(dirty_share * static_cast<double>(capacity)))),
        arc_bounded_(arc_bounded) {}
  std::size_t resident() const override { return t_[0].size() + t_[1].size() + d_[0].size() + d_[1].size(); }
  std::string state() const override {
    std::ostringstream all;
    for (int i = 0; i < 2; ++i)
      all << "T" << i + 1 << "=" << text(t_[i]) << " C" << i + 1 << "=" << text(c_[i]) << " D" << i + 1 << "="
          << text(d_[i]) << " ";
    all << "P=" << p_ << " dc=" << dc_[0] << "," << dc_[1] << " due=" << due_ + 1;
    return all.str();
  }

 private:
  std::size_t ghosts(int i) const { return c_[i].size() + d_[i].size(); }
  std::size_t l(int i) const { return t_[i].size() + ghosts(i); }

  Hit decide(Page x, bool) override {
    Hit hit = Hit::Miss;
    for (int i = 0; i < 2; ++i) {
      if (t_[i].contains(x)) {
        t_[i].erase(x);
        hit = Hit::Real;
      } else if (d_[i].contains(x)) {
        adapt(i);
        d_[i].erase(x);
        hit = Hit::DirtyGhost;
      } else if (c_[i].contains(x)) {
        adapt(i);
        make_place(i == 1);
        if (c_[i].contains(x)) c_[i].erase(x);  // it may have been dropped meanwhile
        hit = Hit::Ghost;
      }
      if (hit != Hit::Miss) {
        t_[1].push_head(x);
        return hit;
      }
    }
    if (arc_bounded_ && l(0) >= capacity_) {
      if (ghosts(0) != 0) drop_ghost(0);
    } else if (l(0) + l(1) >= 2 * capacity_) {
      drop_ghost(l(0) >= capacity_ ? 0 : 1);
    }
    make_place(false);
    t_[0].push_head(x);
    return Hit::Miss;
  }

  void adapt(int i) {
    const double step = std::max(static_cast<double>(ghosts(1 - i)) / static_cast<double>(ghosts(i)), 1.0);
    p_ = i == 0 ? std::min(static_cast<double>(capacity_), p_ + step) : std::max(0.0, p_ - step);
  }

  void drop_ghost(int i) {
    if (ghosts(i) == 0) i = 1 - i;
    if (!c_[i].empty() && (dc_[i] < capacity_ || d_[i].empty())) {
      for (std::size_t& dc : dc_) dc = std::min(dc + 1, capacity_);
      c_[i].pop_tail();
    } else {
      dc_[i] = 1;
      due_ = i;
    }
  }

  void make_place(bool in_second) {
    while (resident() >= capacity_) {
      const std::size_t delayed = d_[0].size() + d_[1].size();
      if (due_ >= 0 && !d_[due_].empty())
        write(due_);
      else if (delayed != 0 && (delayed > most_dirty_ || (t_[0].empty() && t_[1].empty())))
        write(d_[0].size() >= d_[1].size() ? 0 : 1);
      else
        replace(in_second);
    }
  }

  void write(int i) {
    due_ = -1;
    for (std::size_t n = 0; n < pages_per_block_ && !d_[i].empty(); ++n) leaves(d_[i].pop_tail());
  }

  void replace(bool in_second) {
    const auto t1 = static_cast<double>(t_[0].size());
    int i = t1 >= 1 && ((in_second && t1 == p_) || t1 > p_) ? 0 : 1;
    if (t_[i].empty()) i = 1 - i;
    const Page page = t_[i].pop_tail();
    if (dirty(page)) {
      d_[i].push_head(page);
      return;
    }
    leaves(page);
    c_[i].push_head(page);
    if (c_[0].size() + c_[1].size() > capacity_ + 1) c_[c_[0].size() >= c_[1].size() ? 0 : 1].pop_tail();
  }

  std::size_t pages_per_block_;
  std::size_t most_dirty_;
  bool arc_bounded_;
  std::array<List, 2> t_;
  std::array<List, 2> c_;
  std::array<List, 2> d_;
  double p_ = 0;
  std::array<std::size_t, 2> dc_{};
  int due_ = -1;  // the dirty list that step 4 wants written
};

}  // namespace flashloom::reference
