// DLD-ARC: ARC whose ghost lists are split into clean ones, C1 and C2, which remember pages only, and dirty ones, D1
// and D2, which still hold the data to delay their writes; a dirty list writes an erase block's worth of pages at a
// time. The algorithm of figure 7 of the paper, in three modes:
//
//   literal      as printed. It exceeds its bounds: Replace may pick an empty T2 and Write(D_i) an empty list, after
//                which the tests for = S and = 2S never hold
//   repaired     minimal change to keep the bounds: tests for >=; if C_i and D_i are empty, the other i; C_i's tail is
//                dropped if there is one and dc_i < S or D_i is empty, else Write(D_i); Replace on an empty T_i takes
//                the other T; dc is capped at S
//   arc_bounded  repaired, plus ARC's |L1| <= S, which DLD-ARC lacks: with it a page can leave T1 for good without
//                passing a ghost list, and sequential writes never fill D1
//
// If all data count against one budget (context.shared_budget), T1, T2, D1 and D2 share the capacity. Replace then
// frees a slot: a clean page that leaves T frees its slot at once; a dirty one goes to D and frees none, so Replace
// goes on; when D1 and D2 hold more than `dirty_share` of the capacity, or T is empty, an erase block's worth leaves
// from the longer of D1 and D2. A hit in D_i needs no slot. `literal` behaves like `repaired` then, and always in a
// device, whose frames are bounded: it would need frames for the whole footprint.
//
// A dirty ghost that is written back early (a flush, the page cache's daemon) need not keep its data: with a shared
// budget it becomes the next victim of T, else the oldest clean ghost.
//
// O(1), amortized: a page passes each list once a reference.
#include <algorithm>
#include <cmath>

#include "policies/replacement/dld.hpp"

namespace flashloom::replacement::dld_arc {
namespace {

enum class Mode : std::uint8_t { Literal, Repaired, ArcBounded };

Mode mode_of(const ReplacementContext& context, const ParameterValues& values) {
  const auto& mode = values.get<std::string>("mode");
  if (mode == "arc_bounded") return Mode::ArcBounded;
  return mode == "literal" && !context.shared_budget && context.footprint != 0 ? Mode::Literal : Mode::Repaired;
}

class DldArc final : public PolicyCore<PageEntry, 6, 4> {
 public:
  static constexpr std::uint8_t kReal = 2;

  DldArc(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context, mode_of(context, values) == Mode::Literal ? std::max(context.footprint, context.capacity)
                                                                      : context.capacity + 1),
        mode_(mode_of(context, values)),
        shared_(context.shared_budget),
        capacity_(context.capacity),
        block_(static_cast<std::uint32_t>(values.get<std::int64_t>("pages_per_block"))),
        most_dirty_(static_cast<std::uint32_t>(std::floor(values.get<double>("dirty_share") * context.capacity))) {
    if (block_ == 0) block_ = context.pages_per_block;
    gone_.reserve(block_ + 2);
  }

  bool own_room() const { return !shared_; }
  std::vector<GoneEntry>& gone() { return gone_; }

  // Steps 1 to 3, for a page in T or D.
  void hit(PageIndex page, Access) {
    const std::uint8_t list = pages_[page].list;
    if (list == kD1 || list == kD2) {
      adapt(list == kD1 ? 0 : 1);
      if (!shared_) replace(list == kD2);
    }
    pages_.move_to_front(kT2, page);
  }

  // Steps 2 to 4, for a page in C or in no list, without the page's own move.
  void miss(PageIndex ghost, Access) {
    begin_miss(ghost);
    in_second_ = false;
    if (ghost == kNoPage) {
      admit_new();
      return;
    }
    in_second_ = pages_[ghost].list == kC2;
    adapt(in_second_ ? 1 : 0);
    if (!shared_) replace(in_second_);
  }
  void insert(PageIndex page, Access) {
    enter(page == entering() ? kT2 : kT1, page);
    in_second_ = false;
  }

  // Used with a shared budget.
  PageIndex victim() {
    for (;;) {
      if (due_ != kNone && !pages_.empty(dirty_of(due_))) return pages_.back(dirty_of(due_));
      const std::uint32_t dirty = pages_.size(kD1) + pages_.size(kD2);
      const bool none_real = pages_.empty(kT1) && pages_.empty(kT2);
      if (dirty == 0 && none_real) return kNoPage;
      if (none_real || (dirty != 0 && dirty > most_dirty_))
        return pages_.back(pages_.size(kD1) >= pages_.size(kD2) ? kD1 : kD2);
      const std::uint8_t side = replaced(in_second_);
      const PageIndex page = pages_.back(real_of(side));
      if (!pages_[page].dirty) return page;
      pages_.move_to_front(dirty_of(side), page);
    }
  }
  template <class Pages>
  void companions(PageIndex victim, Pages& pages) const {
    const std::uint8_t list = pages_[victim].list;
    if (list == kD1 || list == kD2) add_companions(pages_, victim, block_, pages);
  }
  void evict(PageIndex page) {
    const std::uint8_t list = pages_[page].list;
    if (list == kD1 || list == kD2) {
      due_ = kNone;
      pages_.release(page);
      return;
    }
    pages_.move_to_front(list == kT1 ? kC1 : kC2, page);
    if (pages_.size(kC1) + pages_.size(kC2) > capacity_ + 1)
      forget(pages_.back(pages_.size(kC1) >= pages_.size(kC2) ? kC1 : kC2));
  }
  void cleaned(PageIndex page) {
    const std::uint8_t list = pages_[page].list;
    if (list != kD1 && list != kD2) return;
    const std::uint8_t side = list == kD1 ? 0 : 1;
    pages_.move_to_back(shared_ ? real_of(side) : clean_of(side), page);
    if (!shared_) put_out(page, false);
  }

  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(target_, delayed_[0], delayed_[1], due_, in_second_);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"T1", numbers(kT1)}, {"T2", numbers(kT2)}, {"C1", numbers(kC1)},
                     {"C2", numbers(kC2)}, {"D1", numbers(kD1)}, {"D2", numbers(kD2)}};
    picture.values = {
        {"P", target_}, {"dc1", static_cast<double>(delayed_[0])}, {"dc2", static_cast<double>(delayed_[1])}};
  }

 private:
  // In the order of their data: real, dirty ghosts, clean ghosts. Side 0 is L1, side 1 is L2.
  enum List : std::uint8_t { kT1, kT2, kD1, kD2, kC1, kC2 };
  static constexpr std::uint8_t kNone = 2;  // no side
  static std::uint8_t real_of(std::uint8_t side) { return static_cast<std::uint8_t>(kT1 + side); }
  static std::uint8_t dirty_of(std::uint8_t side) { return static_cast<std::uint8_t>(kD1 + side); }
  static std::uint8_t clean_of(std::uint8_t side) { return static_cast<std::uint8_t>(kC1 + side); }

  std::uint32_t ghosts(std::uint8_t side) const { return pages_.size(clean_of(side)) + pages_.size(dirty_of(side)); }
  std::uint32_t real() const { return pages_.size(kT1) + pages_.size(kT2); }
  std::uint32_t first() const { return pages_.size(kT1) + ghosts(0); }
  std::uint32_t all() const { return real() + ghosts(0) + ghosts(1); }

  void adapt(std::uint8_t side) {
    const double here = ghosts(side);
    const double there = ghosts(side ^ 1);
    const double step = std::max(there / here, 1.0);
    target_ = side == 0 ? std::min<double>(capacity_, target_ + step) : std::max(0.0, target_ - step);
  }

  void put_out(PageIndex page, bool written) { gone_.push_back({{pages_[page].tag, written}, page}); }

  // The side that Replace(P) evicts from.
  std::uint8_t replaced(bool in_second) const {
    const double t1 = pages_.size(kT1);
    std::uint8_t side = t1 >= 1 && ((in_second && t1 == target_) || t1 > target_) ? 0 : 1;
    if (mode_ != Mode::Literal && pages_.empty(real_of(side))) side ^= 1;
    return side;
  }
  void replace(bool in_second) {
    const std::uint8_t side = replaced(in_second);
    const PageIndex page = pages_.back(real_of(side));
    if (page == kNoPage) return;
    if (pages_[page].dirty) {
      pages_.move_to_front(dirty_of(side), page);
    } else {
      put_out(page, false);
      pages_.move_to_front(clean_of(side), page);
    }
  }

  // Step 4, for a page in no list.
  void admit_new() {
    if (mode_ == Mode::ArcBounded && first() >= capacity_) {
      if (pages_.size(kT1) < capacity_ || shared_) {
        if (ghosts(0) != 0) discard(0);
      } else {
        const PageIndex page = pages_.back(kT1);
        put_out(page, pages_[page].dirty);
        pages_.release(page);
        return;
      }
    } else if (mode_ == Mode::Literal ? all() == 2 * capacity_ : all() >= 2 * capacity_) {
      discard(first() >= capacity_ ? 0 : 1);
    }
    if (shared_) return;
    if (mode_ == Mode::Literal ? real() == capacity_ : real() >= capacity_) replace(false);
  }
  void discard(std::uint8_t side) {
    if (mode_ != Mode::Literal && ghosts(side) == 0) side ^= 1;
    const PageIndex clean = pages_.back(clean_of(side));
    const bool delay = delayed_[side] < capacity_ || (mode_ != Mode::Literal && pages_.empty(dirty_of(side)));
    if (clean != kNoPage && delay) {
      for (std::uint32_t& delayed : delayed_)
        if (mode_ == Mode::Literal || delayed < capacity_) ++delayed;
      forget(clean);
      return;
    }
    delayed_[side] = 1;
    if (shared_)
      due_ = side;
    else
      write(side);
  }
  // Write(D_i).
  void write(std::uint8_t side) {
    for (std::uint32_t n = 0; n < block_; ++n) {
      const PageIndex page = pages_.back(dirty_of(side));
      if (page == kNoPage) return;
      put_out(page, true);
      pages_.release(page);
    }
  }

  Mode mode_;
  bool shared_;
  std::uint32_t capacity_;             // S
  std::uint32_t block_;                // NPoneblock
  std::uint32_t most_dirty_;           // maximum of pages in D1 and D2, with a shared budget
  double target_ = 0;                  // P
  std::uint32_t delayed_[2] = {0, 0};  // dc_1, dc_2
  std::uint8_t due_ = kNone;           // the side whose dirty list should be written next
  bool in_second_ = false;             // the page that is entering was in C2
  std::vector<GoneEntry> gone_;
};

const ReplacementRegistration<DldArc> registration{
    {.name = "dld_arc",
     .summary = "ARC that delays writes in its ghost lists and writes them block by block",
     .source = "M. Park and S. Kim, A policy of page management using double cache for NAND flash memory file system, "
               "Journal of KIISE 36(5), 2009",
     .parameters = with_delay({{.name = "mode",
                                .default_value = std::string("repaired"),
                                .choices = {"literal", "repaired", "arc_bounded"},
                                .help = "as printed (leaves its bounds; flashloom cache --memory=real only), with the "
                                        "bounds kept, or with ARC's"}})}};

}  // namespace
}  // namespace flashloom::replacement::dld_arc
