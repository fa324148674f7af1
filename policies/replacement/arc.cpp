// ARC: T1 holds pages referenced once recently, T2 those referenced again; B1 and B2 are their ghost lists. A hit in a
// ghost list moves the target p of |T1| towards its side. Pseudo-code of the paper, figure 4; p is real-valued. O(1).
#include <algorithm>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::arc {
namespace {

class Arc final : public PolicyCore<PageEntry, 4, 2> {
 public:
  Arc(const ReplacementContext& context, const ParameterValues&)
      : PolicyCore(context, context.capacity), capacity_(context.capacity) {}

  void hit(PageIndex page, Access) { pages_.move_to_front(kT2, page); }

  void miss(PageIndex ghost, Access) {
    begin_miss(ghost);
    in_b2_ = discard_ = false;
    const double b1 = pages_.size(kB1);
    const double b2 = pages_.size(kB2);
    if (ghost == kNoPage) {
      make_way();
    } else if (pages_[ghost].list == kB1) {
      target_ = std::min(target_ + std::max(b2 / b1, 1.0), static_cast<double>(capacity_));
    } else {
      target_ = std::max(target_ - std::max(b1 / b2, 1.0), 0.0);
      in_b2_ = true;
    }
  }

  // REPLACE.
  PageIndex victim() const {
    const double t1 = pages_.size(kT1);
    const bool from_t1 = t1 != 0 && (discard_ || t1 > target_ || (in_b2_ && t1 == target_) || pages_.empty(kT2));
    return pages_.back(from_t1 ? kT1 : kT2);
  }
  void evict(PageIndex page) {
    const bool from_t1 = pages_[page].list == kT1;
    if (from_t1 && discard_) {
      discard_ = false;
      pages_.release(page);
      return;
    }
    pages_.move_to_front(from_t1 ? kB1 : kB2, page);
    // Can only happen when pages are evicted without a miss.
    if (pages_.size(kB1) + pages_.size(kB2) > capacity_ + 1)
      forget(pages_.back(pages_.size(kB1) >= pages_.size(kB2) ? kB1 : kB2));
  }
  void insert(PageIndex page, Access) {
    enter(page == entering() ? kT2 : kT1, page);
    in_b2_ = discard_ = false;
  }

  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(target_, in_b2_, discard_);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"T1", numbers(kT1)}, {"T2", numbers(kT2)}, {"B1", numbers(kB1)}, {"B2", numbers(kB2)}};
    picture.values = {{"p", target_}};
  }

 private:
  enum List : std::uint8_t { kT1, kT2, kB1, kB2 };

  // Case IV: keeps the directory to |L1| <= c and 2c in all.
  void make_way() {
    const std::uint32_t l1 = pages_.size(kT1) + pages_.size(kB1);
    const std::uint32_t all = l1 + pages_.size(kT2) + pages_.size(kB2);
    if (l1 >= capacity_) {
      discard_ = pages_.empty(kB1);
      if (!discard_) forget(pages_.back(kB1));
    } else if (all >= 2 * capacity_ && !pages_.empty(kB2)) {
      forget(pages_.back(kB2));
    }
  }

  std::uint32_t capacity_;
  double target_ = 0;     // p
  bool in_b2_ = false;    // the page that is entering was in B2
  bool discard_ = false;  // the page evicted from T1 gets no ghost
};

const ReplacementRegistration<Arc> registration{
    {.name = "arc",
     .summary = "adaptive: balances recency and frequency by what it remembers of pages that left",
     .source = "N. Megiddo and D. Modha, ARC: A self-tuning, low overhead replacement cache, FAST 2003",
     .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::arc
