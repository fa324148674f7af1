// CLOCK: pages form a ring; the hand skips pages with a counter above zero, decrementing it, and evicts the first other
// page. A page enters behind the hand. One-bit counters give the same decisions as second chance; larger counters make
// GCLOCK. O(1), amortized over the references.
#include <algorithm>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::clock {
namespace {

class Clock final : public PolicyCore<PageEntry, 1, 1> {
 public:
  Clock(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context),
        most_(static_cast<std::uint8_t>(values.get<std::int64_t>("counter"))),
        initial_(std::min(most_, static_cast<std::uint8_t>(values.get<std::int64_t>("initial")))) {}

  void hit(PageIndex page, Access) {
    if (pages_[page].mark < most_) ++pages_[page].mark;
  }
  PageIndex victim() {
    if (hand_ == kNoPage) return kNoPage;
    while (pages_[hand_].mark != 0) {
      --pages_[hand_].mark;
      hand_ = next(hand_);
    }
    return hand_;
  }
  void evict(PageIndex page) { remove(page); }
  void insert(PageIndex page, Access) {
    pages_[page].mark = initial_;
    if (hand_ == kNoPage) {
      pages_.push_front(kRing, page);
      hand_ = page;
    } else {
      pages_.push_after(hand_, page);
    }
  }
  void remove(PageIndex page) {
    if (page == hand_) hand_ = next(page);
    if (page == hand_) hand_ = kNoPage;  // it was the only page
    pages_.release(page);
  }
  void state(StateArchive& archive) {
    PolicyCore::state(archive);
    archive(hand_);
  }
  void describe(PolicyPicture& picture) const {
    std::vector<std::uint32_t> ring;  // the page that the hand reaches last in front
    for (PageIndex page = hand_; page != kNoPage && (ring.empty() || page != hand_); page = next(page))
      ring.push_back(pages_[page].tag);
    std::reverse(ring.begin(), ring.end());
    picture.lists = {{"ring", ring}};
  }

 private:
  enum List : std::uint8_t { kRing };
  // The hand moves towards the front, then wraps to the back.
  PageIndex next(PageIndex page) const {
    const PageIndex before = pages_.before(page);
    return before != kNoPage ? before : pages_.back(kRing);
  }

  std::uint8_t most_;
  std::uint8_t initial_;
  PageIndex hand_ = kNoPage;
};

const ReplacementRegistration<Clock> registration{
    {.name = "clock",
     .summary = "a hand goes round and takes the first page not referenced since it came by",
     .source = "F. Corbato, A paging experiment with the Multics system, 1968; GCLOCK: A. Smith, 1978",
     .parameters = {{.name = "counter",
                     .default_value = std::int64_t{1},
                     .minimum = 1,
                     .maximum = 255,
                     .choices = {},
                     .help = "what references count up to; above 1: GCLOCK"},
                    {.name = "initial",
                     .default_value = std::int64_t{0},
                     .minimum = 0,
                     .maximum = 255,
                     .choices = {},
                     .help = "counter of a page that enters"}}}};

}  // namespace
}  // namespace flashloom::replacement::clock
