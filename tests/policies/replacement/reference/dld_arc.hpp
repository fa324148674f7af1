// DLD-ARC (Park and Kim, 2009; dld_arc.md): ARC whose ghost lists are each split into clean identifiers C_i and dirty
// pages D_i, whose data stay until a block's worth is written. Three modes:
//   literal     as printed. Where the print has no answer nothing happens: Replace on an empty T_i moves nothing, Write
//               on an empty D_i writes nothing; so this mode exceeds its bounds.
//   repaired    total >= 2S; the other i when C_i and D_i are empty; the tail of C_i is dropped if there is one and
//               (dc_i < S or D_i is empty), else Write(D_i); Replace on an empty T_i takes the other T; dc_i <= S.
//   arc_bounded repaired, with ARC's bound |L1| <= S. With |L1| >= S room is made in L1: in its ghosts or, when it has
//               none, by evicting the tail of T1 (written alone if it is dirty). Room is made in the ghosts of L2 only
//               with |L1| < S and a total of 2S.
// P is real-valued; its steps are max(ratio, 1), as the code says (figure 4's prose would lower it by 1/2).
// A hit in D_i needs no flash read and leaves the page dirty; a hit in C_i finds only an identifier.
#pragma once

#include <algorithm>
#include <array>
#include <sstream>

#include "tests/policies/replacement/reference/reference.hpp"

namespace flashloom::reference {

enum class DldArcMode : std::uint8_t { Literal, Repaired, ArcBounded };

class DldArc final : public Cache {
 public:
  DldArc(std::size_t capacity, std::size_t pages_per_block, DldArcMode mode)
      : Cache(capacity), pages_per_block_(pages_per_block), mode_(mode) {}
  std::size_t resident() const override { return real() + d_[0].size() + d_[1].size(); }
  std::size_t real() const { return t_[0].size() + t_[1].size(); }
  std::size_t total() const { return l(0) + l(1); }
  std::size_t seen_once() const { return l(0); }  ///< |L1|
  std::size_t dirty_counter() const { return std::max(dc_[0], dc_[1]); }
  std::string state() const override {
    std::ostringstream all;
    for (int i = 0; i < 2; ++i)
      all << "T" << i + 1 << "=" << text(t_[i]) << " C" << i + 1 << "=" << text(c_[i]) << " D" << i + 1 << "="
          << text(d_[i]) << " ";
    all << "P=" << p_ << " dc=" << dc_[0] << "," << dc_[1];
    return all.str();
  }

 private:
  std::size_t ghosts(int i) const { return c_[i].size() + d_[i].size(); }
  std::size_t l(int i) const { return t_[i].size() + ghosts(i); }
  bool in_ghosts(Page x, int i) const { return c_[i].contains(x) || d_[i].contains(x); }

  Hit decide(Page x, bool) override {
    for (List& t : t_)
      if (t.contains(x)) {  // 1
        t.erase(x);
        t_[1].push_head(x);
        return Hit::Real;
      }
    for (int i = 0; i < 2; ++i)
      if (in_ghosts(x, i)) {  // 2, 3
        const auto own = static_cast<double>(ghosts(i));
        const auto other = static_cast<double>(ghosts(1 - i));
        const double step = std::max(other / own, 1.0);
        p_ = i == 0 ? std::min(static_cast<double>(capacity_), p_ + step) : std::max(0.0, p_ - step);
        replace(x);
        const Hit hit = c_[i].contains(x) ? Hit::Ghost : Hit::DirtyGhost;
        (hit == Hit::Ghost ? c_[i] : d_[i]).erase(x);
        t_[1].push_head(x);
        return hit;
      }
    make_room(x);  // 4
    t_[0].push_head(x);
    return Hit::Miss;
  }

  void make_room(Page x) {
    switch (mode_) {
      case DldArcMode::Literal:
        if (total() == 2 * capacity_) {
          const int i = l(0) >= capacity_ ? 0 : 1;
          if (dc_[i] < capacity_ && !c_[i].empty()) {
            ++dc_[0];
            ++dc_[1];
            c_[i].pop_tail();
          } else {
            dc_[i] = 1;
            write(i);
          }
        }
        if (real() == capacity_) replace(x);
        return;
      case DldArcMode::Repaired:
        if (total() >= 2 * capacity_) drop_ghost(l(0) >= capacity_ ? 0 : 1);
        if (real() >= capacity_) replace(x);
        return;
      case DldArcMode::ArcBounded:
        if (l(0) >= capacity_) {
          if (ghosts(0) == 0) {
            leaves(t_[0].pop_tail());
            return;
          }
          drop_ghost(0);
        } else if (total() >= 2 * capacity_) {
          drop_ghost(1);
        }
        if (real() >= capacity_) replace(x);
        return;
    }
  }

  void drop_ghost(int i) {
    if (ghosts(i) == 0) i = 1 - i;
    if (!c_[i].empty() && (dc_[i] < capacity_ || d_[i].empty())) {
      for (std::size_t& dc : dc_) dc = std::min(dc + 1, capacity_);
      c_[i].pop_tail();
    } else {
      dc_[i] = 1;
      write(i);
    }
  }

  void replace(Page x) {
    const auto t1 = static_cast<double>(t_[0].size());
    int i = t1 >= 1 && ((in_ghosts(x, 1) && t1 == p_) || t1 > p_) ? 0 : 1;
    if (t_[i].empty()) {
      if (mode_ == DldArcMode::Literal) return;
      i = 1 - i;
    }
    const Page page = t_[i].pop_tail();
    if (dirty(page)) {
      d_[i].push_head(page);
    } else {
      leaves(page);
      c_[i].push_head(page);
    }
  }

  void write(int i) {
    for (std::size_t n = 0; n < pages_per_block_ && !d_[i].empty(); ++n) leaves(d_[i].pop_tail());
  }

  std::size_t pages_per_block_;
  DldArcMode mode_;
  std::array<List, 2> t_;
  std::array<List, 2> c_;
  std::array<List, 2> d_;
  double p_ = 0;
  std::array<std::size_t, 2> dc_{};
};

}  // namespace flashloom::reference
