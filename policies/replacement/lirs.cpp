// LIRS: pages of low inter-reference recency (LIR) hold most of the cache; the others (HIR) pass through a small queue
// Q, and stay in the stack S as long as they are more recent than some LIR page. A HIR page that is referenced while it
// is in S becomes LIR, and the LIR page at the bottom of S becomes HIR. HIR pages have 1 % of the cache. The number of
// ghosts in S is bounded; the one evicted first is dropped. O(1), amortized.
#include <algorithm>
#include <cmath>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lirs {
namespace {

std::uint32_t most_ghosts(const ReplacementContext& context, const ParameterValues& values) {
  return static_cast<std::uint32_t>(std::floor(values.get<double>("remembered") * context.capacity));
}

class Lirs final : public PolicyCore<PageEntry, 3, 2> {
 public:
  Lirs(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context, most_ghosts(context, values) + 1),
        most_ghosts_(most_ghosts(context, values)),
        most_lir_(context.capacity -
                  std::min(context.capacity,
                           std::max<std::uint32_t>(1, static_cast<std::uint32_t>(
                                                          std::floor(values.get<double>("hir") * context.capacity))))),
        stack_(pages_.pages()) {}

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
    // The entering page does not count as a ghost any more.
    const bool enters = entering() != kNoPage && pages_[entering()].list == kGhost;
    if (pages_.size(kGhost) <= most_ghosts_ + (enters ? 1 : 0)) return;
    const PageIndex oldest = pages_.back(kGhost);
    give_up(oldest == entering() ? pages_.before(oldest) : oldest);
  }
  void insert(PageIndex page, Access) {
    const bool remembered = page == entering() && stack_[page].list == 0;
    if (pages_.size(kLir) < most_lir_) {
      enter(kLir, page);
      stack_.move_to_front(0, page);
      if (remembered) prune();
    } else if (remembered) {
      enter(kQueue, page);
      reuse(page);
    } else {
      enter(kQueue, page);
      stack_.move_to_front(0, page);
      prune();
    }
  }
  void remove(PageIndex page) {
    stack_.detach(page);
    pages_.release(page);
    prune();
  }
  std::size_t bytes() const { return PolicyCore::bytes() + stack_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    stack_.state(archive);
  }
  void describe(PolicyPicture& picture) const {
    std::vector<std::uint32_t> stack;
    for (PageIndex page = stack_.front(0); page != kNoPage; page = stack_.after(page))
      stack.push_back(pages_[page].tag);
    picture.lists = {{"S", stack}, {"LIR", numbers(kLir)}, {"Q", numbers(kQueue)}, {"gone", numbers(kGhost)}};
  }

 private:
  enum List : std::uint8_t { kLir, kQueue, kGhost };  // kQueue: Q, last entered in front

  PageIndex stack_bottom() const { return stack_.back(0); }

  // A resident HIR page is referenced.
  void reuse(PageIndex page) {
    const bool in_stack = stack_[page].list == 0;
    stack_.move_to_front(0, page);
    pages_.move_to_front(kQueue, page);
    if (!in_stack || most_lir_ == 0) {
      prune();
      return;
    }
    if (pages_.size(kLir) >= most_lir_) {
      const PageIndex bottom = stack_bottom();  // LIR: the stack is pruned
      stack_.detach(bottom);
      pages_.move_to_front(kQueue, bottom);
    }
    pages_.move_to_front(kLir, page);
    prune();
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
  std::uint32_t most_lir_;
  PageLists<OrderEntry, 1> stack_;  // S
};

const ReplacementRegistration<Lirs> registration{
    {.name = "lirs",
     .summary = "keeps pages whose last two references lie close together",
     .source = "S. Jiang and X. Zhang, LIRS, SIGMETRICS 2002",
     .parameters = {{.name = "hir",
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
                     .help = "pages that are remembered without being there, in capacities"}}}};

}  // namespace
}  // namespace flashloom::replacement::lirs
