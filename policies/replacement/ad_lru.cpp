// AD-LRU: a cold and a hot LRU queue; a page enters the cold one, and a reference moves it to the MRU end of the hot
// one. The victim comes from the cold queue while it has more than min_lc pages, else from the hot one: the clean page
// nearest the LRU end; if all are dirty, second chance: from the LRU end, a page whose bit is set goes to the
// MRU end, its bit cleared. Entering and references set the bit. O(1), amortized: each queue also keeps a list of its
// clean pages.
#include <algorithm>
#include <cmath>
#include <utility>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::ad_lru {
namespace {

class AdLru final : public PolicyCore<PageEntry, 2, 2> {
 public:
  AdLru(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context),
        least_cold_(static_cast<std::uint32_t>(std::floor(values.get<double>("min_lc") * context.capacity))),
        clean_(context.slot_count()) {}

  void hit(PageIndex page, Access access) {
    pages_[page].mark = 1;
    pages_.move_to_front(kHot, page);
    clean_.detach(page);
    if (!pages_[page].dirty && access == Access::Read) clean_.push_front(kHot, page);
  }
  PageIndex victim() {
    const bool cold = pages_.size(kCold) > least_cold_ || pages_.empty(kHot);
    const std::uint8_t queue = cold ? kCold : kHot;
    if (!clean_.empty(queue)) return clean_.back(queue);
    return spare_from_back(queue, [](PageEntry& page) { return std::exchange(page.mark, 0) != 0; });
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access access) {
    pages_[page].mark = 1;
    pages_.push_front(kCold, page);
    if (access == Access::Read) clean_.push_front(kCold, page);
  }
  void remove(PageIndex page) {
    clean_.detach(page);
    pages_.release(page);
  }
  void cleaned(PageIndex page) { clean_.push_in_order(pages_[page].list, page, pages_); }
  std::size_t bytes() const { return PolicyCore::bytes() + clean_.bytes(); }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    clean_.state(archive);
  }
  void describe(PolicyPicture& picture) const { picture.lists = {{"cold", numbers(kCold)}, {"hot", numbers(kHot)}}; }

 private:
  enum List : std::uint8_t { kCold, kHot };

  std::uint32_t least_cold_;        // min_lc
  PageLists<OrderEntry, 2> clean_;  // by queue
};

const ReplacementRegistration<AdLru> registration{
    {.name = "ad_lru",
     .summary = "a cold and a hot LRU queue; of each the clean pages leave first",
     .source = "P. Jin, Y. Ou, T. Haerder, Z. Li, AD-LRU: an efficient buffer replacement algorithm for flash-based "
               "databases, Data and Knowledge Engineering 72, 2012",
     .parameters = {{.name = "min_lc",
                     .default_value = 0.1,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "least share of the capacity that the cold queue keeps"}}}};

}  // namespace
}  // namespace flashloom::replacement::ad_lru
