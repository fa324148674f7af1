// CCF-LRU (cold clean first): pages read once are in the cold clean list, all others in the mixed list. Victims are
// cold clean pages first, then cold dirty, then hot clean, then hot dirty ones. A page enters cold; a reference makes
// it hot and moves it to the MRU end of the mixed list. Without a cold clean page, the mixed list is scanned from its
// LRU end: a cold dirty page is evicted; a hot clean one becomes cold and goes to the cold clean list; a hot dirty one
// becomes cold and goes to the MRU end. If all were hot (the paper does not say), the cold clean list is tried again,
// and then the page at the LRU end is evicted. O(1), amortized over the references.
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::ccf_lru {
namespace {

class CcfLru final : public PolicyCore<PageEntry, 2, 2> {
 public:
  CcfLru(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) {
    proposed_ = kNoPage;
    pages_[page].mark = kHot;
    pages_.move_to_front(kMixed, page);
  }
  PageIndex victim() {
    if (proposed_ == kNoPage) proposed_ = choose();
    return proposed_;
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access access) {
    proposed_ = kNoPage;
    pages_[page].mark = kCold;
    pages_.push_front(access == Access::Read ? kColdClean : kMixed, page);
  }
  void remove(PageIndex page) {
    proposed_ = kNoPage;
    pages_.release(page);
  }
  void cleaned(PageIndex page) {
    proposed_ = kNoPage;
    if (pages_[page].mark == kCold) pages_.move_to_front(kColdClean, page);
  }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(proposed_);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"cold clean", numbers(kColdClean)}, {"mixed", numbers(kMixed)}};
  }

 private:
  enum List : std::uint8_t { kColdClean, kMixed };
  enum Mark : std::uint8_t { kHot, kCold };

  PageIndex choose() {
    if (!pages_.empty(kColdClean)) return pages_.back(kColdClean);
    for (std::uint32_t left = pages_.size(kMixed); left != 0; --left) {
      const PageIndex page = pages_.back(kMixed);
      if (pages_[page].mark == kCold) return page;
      pages_[page].mark = kCold;
      pages_.move_to_front(pages_[page].dirty ? kMixed : kColdClean, page);
    }
    return pages_.empty(kColdClean) ? pages_.back(kMixed) : pages_.back(kColdClean);
  }

  PageIndex proposed_ = kNoPage;
};

const ReplacementRegistration<CcfLru> registration{
    {.name = "ccf_lru",
     .summary = "cold clean pages first, then cold dirty, hot clean, hot dirty ones",
     .source =
         "Z. Li, P. Jin, X. Su, K. Cui, L. Yue, CCF-LRU: a new buffer replacement algorithm for flash memory, IEEE "
         "TCE 55(3), 2009",
     .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::ccf_lru
