// SIEVE: pages stay in order of entry; a reference only marks its page. The hand goes from the oldest page towards the
// newest, clears marks, evicts the first unmarked page, and stays there: pages that entered later lie ahead of it, and
// unpopular ones are soon evicted. O(1), amortized.
#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::sieve {
namespace {

class Sieve final : public PolicyCore<PageEntry, 1, 1> {
 public:
  Sieve(const ReplacementContext& context, const ParameterValues&) : PolicyCore(context) {}

  void hit(PageIndex page, Access) { pages_[page].mark = 1; }
  PageIndex victim() {
    if (hand_ == kNoPage) hand_ = pages_.back(kQueue);
    while (hand_ != kNoPage && pages_[hand_].mark != 0) {
      pages_[hand_].mark = 0;
      const PageIndex newer = pages_.before(hand_);
      hand_ = newer != kNoPage ? newer : pages_.back(kQueue);
    }
    return hand_;
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    pages_.push_front(kQueue, page);
  }
  void remove(PageIndex page) {
    if (page == hand_) hand_ = pages_.before(page);  // past the newest: continues at the oldest
    pages_.release(page);
  }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(hand_);
  }
  void describe(PolicyPicture& picture) const { picture.lists = {{"queue", numbers(kQueue)}}; }

 private:
  enum List : std::uint8_t { kQueue };

  PageIndex hand_ = kNoPage;
};

const ReplacementRegistration<Sieve> registration{
    {.name = "sieve",
     .summary = "first in, first out, but a hand passes over pages referenced since it came by, and stays where it was",
     .source =
         "Zhang et al., SIEVE is Simpler than LRU: an Efficient Turn-Key Eviction Algorithm for Web Caches, NSDI 2024",
     .parameters = {}}};

}  // namespace
}  // namespace flashloom::replacement::sieve
