// Second chance: a queue; a page at its end that was referenced since its last inspection goes back to the head, its
// bit cleared; else it is evicted. A page enters with its bit clear. CLOCK replaces the queue by a hand, with the same
// decisions; `clock` has counters in addition (GCLOCK). O(1), amortized over the references.
#include <utility>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::second_chance {
namespace {

class SecondChance final : public PolicyCore<PageEntry, 1, 1> {
 public:
  SecondChance(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) { pages_[page].mark = 1; }
  PageIndex victim() {
    return spare_from_back(kQueue, [](PageEntry& page) { return std::exchange(page.mark, 0) != 0; });
  }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    pages_.push_front(kQueue, page);
  }
  void describe(PolicyPicture& picture) const { picture.lists = {{"queue", numbers(kQueue)}}; }

 private:
  enum List : std::uint8_t { kQueue };  // last entered or reinserted in front
};

const ReplacementRegistration<SecondChance> registration{
    {.name = "second_chance",
     .summary = "first in, first out, but what was referenced goes round once more",
     .source = "classic; A. Tanenbaum, Modern Operating Systems, section 3.4",
     .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::second_chance
