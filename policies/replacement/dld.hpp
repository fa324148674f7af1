// DLD on another double cache X than ARC: its authors name that as future work (M. Park and S. Kim, Journal of KIISE
// 36(5), 2009; dld_arc.cpp has DLD-ARC). X's ghost list of at most G pages is split into C, clean ghosts, of which X
// remembers the page only, and D, dirty ghosts, which still hold their data to delay the write. S is the capacity.
//
//   victim        X's. A clean one leaves, and becomes a ghost in C if X remembers it. A dirty one always goes to D, as
//                 in DLD-ARC every page passes a ghost list: also a page that X would not remember
//   hit in C      X's ghost hit
//   hit in D      no read: X takes the page back like a page that it remembers (2Q: to Am; S3-FIFO: to M; LIRS: like a
//                 ghost if it is still in the stack, else like a new page), still dirty
//   balance       if C and D hold more than G pages: C's oldest is dropped and a delay is counted, or, after S delays or
//                 if C is empty, D is written and the count begins at 0. D is also written if it exceeds S pages
//   write of D    an erase block's worth of pages from its tail, which are forgotten
//
// DLD-ARC has a pair of such lists, and adapts P at hits in them; X has no P, so that only the delays balance. Without
// writes D is empty, and every decision X's.
//
// If all data count against one budget (context.shared_budget), X and D share S: X's shares are of S - |D|. A dirty
// victim that goes to D frees no slot, so the next one is taken; if D holds more than `dirty_share` of S, or a write
// of D is due, or X is empty, a block's worth leaves from D's tail. A hit in D needs no slot.
//
// A dirty ghost that is written back early (a flush, the page cache's daemon) moves to C; with a shared budget it is
// the next victim first.
//
// X derives from PolicyCore with one list for D behind its real ones and one of ghosts behind that, and has:
//   most_ghosts(), ghosts()   G, |C|
//   forget_oldest()           drops C's oldest
//   keep(list, page)          a victim leaves for the list D
//   recall(page)              a page of D returns
//   fit(capacity)             shares are of this capacity from now on
#pragma once

#include <cmath>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement {

/// A policy's own parameters, and those of all that delay writes in dirty ghosts.
inline std::vector<ParameterSpec> with_delay(std::vector<ParameterSpec> own) {
  own.push_back({.name = "pages_per_block",
                 .default_value = std::int64_t{0},
                 .minimum = 0,
                 .maximum = 65536,
                 .choices = {},
                 .help = "pages written at a time; 0: of an erase block"});
  own.push_back({.name = "dirty_share",
                 .default_value = 0.5,
                 .dimension = Dimension::Ratio,
                 .minimum = 0,
                 .maximum = 1,
                 .choices = {},
                 .help = "of the capacity that dirty ghosts may take where all data share it"});
  return own;
}

/// Adds the pages that leave with a dirty ghost, up to `block` with it: those before it in its list.
template <class Lists, class Pages>
void add_companions(const Lists& lists, PageIndex ghost, std::uint32_t block, Pages& pages) {
  PageIndex page = lists.before(ghost);
  for (std::uint32_t n = 1; n < block && page != kNoPage; ++n, page = lists.before(page)) pages.push_back(page);
}

/// Completes the description of a Dld<X> from X's source and parameters.
inline PartInfo dld_part(PartInfo info) {
  info.source = "M. Park and S. Kim, Journal of KIISE 36(5), 2009 (future work), over " + info.source;
  info.parameters = with_delay(std::move(info.parameters));
  return info;
}

template <class X>
class Dld final : public X {
  using X::pages_;

 public:
  static constexpr std::uint8_t kReal = X::kResident - 1;

  Dld(const ReplacementContext& context, const ParameterValues& values)
      : X(context, values),
        shared_(context.shared_budget),
        capacity_(context.capacity),
        block_(static_cast<std::uint32_t>(values.get<std::int64_t>("pages_per_block"))),
        most_dirty_(static_cast<std::uint32_t>(std::floor(values.get<double>("dirty_share") * context.capacity))),
        room_(context.capacity) {
    if (block_ == 0) block_ = context.pages_per_block;
    gone_.reserve(block_ + 2);
  }

  bool own_room() const { return !shared_; }
  std::vector<GoneEntry>& gone() { return gone_; }

  void hit(PageIndex page, Access access) {
    if (pages_[page].list != kDirty) {
      X::hit(page, access);
      return;
    }
    pages_.detach(page);
    make_room();
    X::recall(page);
  }
  void miss(PageIndex ghost, Access access) {
    X::miss(ghost, access);
    make_room();
  }

  // Used with a shared budget.
  PageIndex victim() {
    const PageIndex tail = pages_.back(kDirty);
    if (tail != kNoPage && !pages_[tail].dirty) return tail;
    for (;;) {
      const std::uint32_t dirty = pages_.size(kDirty);
      if (dirty != 0 && (due_ || dirty > most_dirty_ || real() == 0)) return pages_.back(kDirty);
      fit(capacity_ - dirty);
      const PageIndex page = X::victim();
      if (page == kNoPage || !pages_[page].dirty) return page;
      delay(page);
    }
  }
  template <class Pages>
  void companions(PageIndex victim, Pages& pages) const {
    if (delayed(victim)) add_companions(pages_, victim, block_, pages);
  }
  void evict(PageIndex page) {
    if (delayed(page)) {
      due_ = false;
      X::remove(page);
      return;
    }
    remember(page);
  }
  void cleaned(PageIndex page) {
    if (pages_[page].list != kDirty) return;
    if (shared_) {
      pages_.move_to_back(kDirty, page);
    } else {
      put_out(page, false);
      remember(page);
    }
  }

  void state(StateArchive& archive) {
    X::state(archive);
    archive(delays_, due_, room_);
    if (archive.loading()) X::fit(room_);
  }
  void describe(PolicyPicture& picture) const {
    X::describe(picture);
    picture.lists.emplace_back("D", X::numbers(kDirty));
    picture.values.emplace_back("delays", delays_);
  }

 private:
  static constexpr std::uint8_t kDirty = kReal;  // D

  bool delayed(PageIndex page) const { return pages_[page].list == kDirty && pages_[page].dirty; }
  std::uint32_t real() const {
    std::uint32_t sum = 0;
    for (std::uint8_t list = 0; list < kReal; ++list) sum += pages_.size(list);
    return sum;
  }
  void put_out(PageIndex page, bool written) { gone_.push_back({{pages_[page].tag, written}, page}); }
  // In C, if X does.
  void remember(PageIndex page) {
    X::evict(page);
    balance();
  }
  void delay(PageIndex page) {
    X::keep(kDirty, page);
    balance();
  }
  void fit(std::uint32_t room) {
    if (room == room_) return;
    room_ = room;
    X::fit(room);
  }

  // With its own room: makes place for a page if there is none.
  void make_room() {
    if (shared_ || real() < capacity_) return;
    const PageIndex page = X::victim();
    if (pages_[page].dirty) {
      delay(page);
      return;
    }
    put_out(page, false);
    remember(page);
  }
  // After a page became a ghost.
  void balance() {
    const std::uint32_t dirty = pages_.size(kDirty);
    const bool fits = dirty <= capacity_;
    if (dirty == 0 || (fits && dirty + X::ghosts() <= X::most_ghosts())) return;
    if (fits && X::ghosts() != 0 && delays_ < capacity_) {
      ++delays_;
      X::forget_oldest();
      return;
    }
    delays_ = 0;
    if (shared_)
      due_ = true;
    else
      write();
  }
  void write() {
    for (std::uint32_t n = 0; n < block_; ++n) {
      const PageIndex page = pages_.back(kDirty);
      if (page == kNoPage) return;
      put_out(page, true);
      X::remove(page);
    }
  }

  bool shared_;
  std::uint32_t capacity_;    // S
  std::uint32_t block_;       // pages written at a time
  std::uint32_t most_dirty_;  // maximum of pages in D, with a shared budget
  std::uint32_t room_;        // X's capacity at present
  std::uint32_t delays_ = 0;  // clean ghosts dropped since D was written
  bool due_ = false;          // D should be written next
  std::vector<GoneEntry> gone_;
};

}  // namespace flashloom::replacement
