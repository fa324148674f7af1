// CFLRU (clean-first LRU): the window is the LRU end of the list. Evicts the window's clean page nearest the LRU end;
// if all are dirty, the LRU page. O(1): the window is a list of its own, its clean pages another; only a page written
// back in the window walks to its place among the clean ones.
#include <algorithm>
#include <cmath>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::cflru {
namespace {

class CfLru final : public PolicyCore<PageEntry, 2, 2> {
 public:
  CfLru(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context),
        window_(static_cast<std::uint32_t>(std::floor(values.get<double>("window") * context.capacity))),
        clean_(context.slot_count()) {}

  void hit(PageIndex page, Access access) {
    if (pages_[page].list == kWindow) clean_.detach(page);
    if (access == Access::Write) pages_[page].dirty = true;  // it may enter the window at once
    pages_.move_to_front(kWorking, page);
    fill_window();
  }
  PageIndex victim() const {
    const PageIndex clean = clean_.back(0);
    if (clean != kNoPage) return clean;
    const PageIndex last = pages_.back(kWindow);
    return last != kNoPage ? last : pages_.back(kWorking);
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    pages_.push_front(kWorking, page);
    fill_window();
  }
  void remove(PageIndex page) {
    if (pages_[page].list == kWindow) clean_.detach(page);
    pages_.release(page);
    fill_window();
  }
  void cleaned(PageIndex page) {
    if (pages_[page].list == kWindow) clean_.push_in_order(0, page, pages_);
  }
  std::size_t bytes() const { return PolicyCore::bytes() + clean_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    clean_.state(archive);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"working", numbers(kWorking)}, {"window", numbers(kWindow)}};
  }

 private:
  enum List : std::uint8_t { kWorking, kWindow };

  void fill_window() {
    while (pages_.size(kWindow) < window_ && !pages_.empty(kWorking)) {
      const PageIndex page = pages_.back(kWorking);
      pages_.move_to_front(kWindow, page);
      if (!pages_[page].dirty) clean_.push_front(0, page);
    }
  }

  std::uint32_t window_;            // pages
  PageLists<OrderEntry, 1> clean_;  // clean pages of the window
};

const ReplacementRegistration<CfLru> registration{
    {.name = "cflru",
     .summary = "clean pages first, within a window at the LRU end",
     .source =
         "S. Park, D. Jung, J. Kang, J. Kim, J. Lee, CFLRU: a replacement algorithm for flash memory, CASES 2006; C. "
         "Park et al., ISLPED 2004",
     .parameters = {{.name = "window",
                     .default_value = 0.3,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "of the capacity; the DLD-ARC paper compares 10 %, 30 % and 50 %"}},
     .aliases = {"cf_lru"}}};

}  // namespace
}  // namespace flashloom::replacement::cflru
