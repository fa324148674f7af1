// LRU-DPL-CD (dirty page later, cold detection; the authors' later name is LRU-WSR, write sequence reordering): at the
// LRU end a clean page is evicted, and so is a dirty one whose cold flag is set; a dirty one with a clear flag gets it
// set and goes to the MRU end. A reference clears the flag. O(1), amortized: at most one second chance a reference.
#include <utility>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::lru_dpl_cd {
namespace {

class LruDplCd final : public PolicyCore<PageEntry, 1, 1> {
 public:
  LruDplCd(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) {
    pages_[page].mark = 0;
    pages_.move_to_front(kOrder, page);
  }
  PageIndex victim() {
    return spare_from_back(kOrder, [](PageEntry& page) { return page.dirty && std::exchange(page.mark, 1) == 0; });
  }
  void evict(PageIndex page) { pages_.release(page); }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    pages_.push_front(kOrder, page);
  }
  void describe(PolicyPicture& picture) const { picture.lists = {{"lru", numbers(kOrder)}}; }

 private:
  enum List : std::uint8_t { kOrder };
};

const ReplacementRegistration<LruDplCd> registration{
    {.name = "lru_dpl_cd",
     .summary = "LRU, but a dirty page goes round once more before it leaves",
     .source = "H. Jung, S. Park, J. Cha, S. Kang, LRU-DPL-CD, Journal of KIISE 33(9), 2006; LRU-WSR, IEEE TCE 54(3), "
               "2008",
     .parameters = {},
     .aliases = {"lru_wsr"}}};

}  // namespace
}  // namespace flashloom::replacement::lru_dpl_cd
