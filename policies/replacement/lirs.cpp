// LIRS: pages of low inter-reference recency (LIR) hold most of the cache; the others (HIR) pass through a small queue
// Q, and stay in the stack S as long as they are more recent than some LIR page. A HIR page that is referenced while it
// is in S becomes LIR, and the LIR page at the bottom of S becomes HIR. HIR pages have 1 % of the cache. The number of
// ghosts in S is bounded; the one evicted first is dropped. O(1), amortized.
#include <algorithm>
#include <cmath>

#include "policies/replacement/dld.hpp"

namespace flashloom::replacement::lirs {
namespace {

std::uint32_t most_ghosts_of(const ReplacementContext& context, const ParameterValues& values) {
  return static_cast<std::uint32_t>(std::floor(values.get<double>("remembered") * context.capacity));
}

template <std::uint8_t kKept>
class Lirs : public PolicyCore<PageEntry, 3 + kKept, 2 + kKept> {
  using Core = PolicyCore<PageEntry, 3 + kKept, 2 + kKept>;

 public:
  using Core::entering;

  Lirs(const ReplacementContext& context, const ParameterValues& values)
      : Core(context, most_ghosts_of(context, values) + 1),
        most_ghosts_(most_ghosts_of(context, values)),
        hir_(values.get<double>("hir")),
        stack_(pages_.pages()) {
    fit(context.capacity);
  }

  void hit(PageIndex page, Access) {
    if (pages_[page].list == kLir) {
      stack_.move_to_front(0, page);
      prune();
      return;
    }
    reuse(page);
  }
  PageIndex victim() const { return pages_.empty(kQueue) ? stack_bottom() : pages_.back(kQueue); }
  void evict(PageIndex page) {
    const bool in_stack = stack_[page].list == 0;
    if (!in_stack || (pages_[page].list == kLir && stack_.back(0) == page)) {
      remove(page);
      return;
    }
    pages_.move_to_front(kGhost, page);
    if (ghosts() > most_ghosts_) forget_oldest();
  }
  void insert(PageIndex page, Access) {
    const bool remembered = page == entering() && stack_[page].list == 0;
    enter(kQueue, page);
    place(page, remembered);
  }
  void remove(PageIndex page) {
    stack_.detach(page);
    pages_.release(page);
    prune();
  }
  std::size_t bytes() const { return Core::bytes() + stack_.bytes(); }
  void state(StateArchive& archive) {
    Core::state(archive);
    stack_.state(archive);
  }
  void describe(PolicyPicture& picture) const {
    std::vector<std::uint32_t> stack;
    for (PageIndex page = stack_.front(0); page != kNoPage; page = stack_.after(page))
      stack.push_back(pages_[page].tag);
    picture.lists = {{"S", stack}, {"LIR", numbers(kLir)}, {"Q", numbers(kQueue)}, {"gone", numbers(kGhost)}};
  }

 protected:
  using Core::enter, Core::forget, Core::numbers, Core::pages_;

  // For DLD.
  std::uint32_t most_ghosts() const { return most_ghosts_; }
  // The entering page does not count as a ghost any more.
  std::uint32_t ghosts() const {
    const bool enters = entering() != kNoPage && pages_[entering()].list == kGhost;
    return pages_.size(kGhost) - (enters ? 1 : 0);
  }
  void forget_oldest() {
    const PageIndex oldest = pages_.back(kGhost);
    give_up(oldest == entering() ? pages_.before(oldest) : oldest);
  }
  void keep(std::uint8_t list, PageIndex page) {
    if (pages_[page].list == kLir) stack_.detach(page);
    pages_.move_to_front(list, page);
    prune();
  }
  void recall(PageIndex page) { place(page, stack_[page].list == 0); }
  void fit(std::uint32_t capacity) {
    const auto hir = static_cast<std::uint32_t>(std::floor(hir_ * capacity));
    most_lir_ = capacity - std::min(capacity, std::max<std::uint32_t>(1, hir));
    while (pages_.size(kLir) > most_lir_) {
      demote();
      prune();
    }
  }

 private:
  enum List : std::uint8_t { kLir, kQueue, kGhost = 2 + kKept };  // kQueue: Q, last entered in front

  PageIndex stack_bottom() const { return stack_.back(0); }

  void place(PageIndex page, bool remembered) {
    const bool free_lir = pages_.size(kLir) < most_lir_;
    pages_.move_to_front(free_lir ? kLir : kQueue, page);
    if (remembered && !free_lir) return reuse(page);
    stack_.move_to_front(0, page);
    prune();
  }
  // A resident HIR page is referenced.
  void reuse(PageIndex page) {
    const bool in_stack = stack_[page].list == 0;
    stack_.move_to_front(0, page);
    pages_.move_to_front(kQueue, page);
    if (!in_stack || most_lir_ == 0) {
      prune();
      return;
    }
    if (pages_.size(kLir) >= most_lir_) demote();
    pages_.move_to_front(kLir, page);
    prune();
  }
  // The LIR page at the bottom of S, which is pruned, becomes HIR.
  void demote() {
    const PageIndex bottom = stack_bottom();
    stack_.detach(bottom);
    pages_.move_to_front(kQueue, bottom);
  }
  // Prunes S until its bottom is LIR.
  void prune() {
    for (PageIndex page = stack_bottom(); page != kNoPage && pages_[page].list != kLir; page = stack_bottom()) {
      stack_.detach(page);
      if (pages_[page].list == kGhost) forget(page);
    }
  }
  void give_up(PageIndex page) {
    stack_.detach(page);
    forget(page);
    prune();
  }

  std::uint32_t most_ghosts_;
  double hir_;
  std::uint32_t most_lir_ = 0;
  PageLists<OrderEntry, 1> stack_;  // S
};

const char* const kSource = "S. Jiang and X. Zhang, LIRS, SIGMETRICS 2002";

std::vector<ParameterSpec> parameters() {
  return {{.name = "hir",
           .default_value = 0.01,
           .dimension = Dimension::Ratio,
           .minimum = 0,
           .maximum = 1,
           .choices = {},
           .help = "share of the capacity for pages of high inter-reference recency; one page at least"},
          {.name = "remembered",
           .default_value = 2.0,
           .minimum = 0,
           .maximum = 16,
           .choices = {},
           .help = "pages that are remembered without being there, in capacities"}};
}

const ReplacementRegistration<Lirs<0>> registration{
    {.name = "lirs",
     .summary = "keeps pages whose last two references lie close together",
     .source = kSource,
     .parameters = parameters()}};
const ReplacementRegistration<Dld<Lirs<1>>> with_delayed_writes{
    dld_part({.name = "dld_lirs",
              .summary = "LIRS that delays writes among its ghosts and writes them block by block",
              .source = kSource,
              .parameters = parameters()})};

}  // namespace
}  // namespace flashloom::replacement::lirs
