// S3-FIFO: three queues. New pages enter the small one, S; a page referenced more than once by the time it reaches the
// end of S goes to the main queue, M, others are evicted and remembered in the ghost queue G; a page found in G enters
// M at once. A referenced page at the end of M is reinserted, its counter decremented. Counters count to three; they
// are cleared when a page goes from S to M. S has a tenth of the capacity, G as many ghosts as M holds pages. Algorithm
// 1 of the paper, with one eviction for each page that enters: when M is full, from M. O(1), amortized.
#include <algorithm>
#include <cmath>

#include "policies/replacement/registration.hpp"

namespace flashloom {
namespace {

std::uint32_t small_of(const ReplacementContext& context, const ParameterValues& values) {
  return std::max<std::uint32_t>(
      1, static_cast<std::uint32_t>(std::floor(values.get<double>("small") * context.capacity)));
}

class S3Fifo final : public PolicyCore<PageEntry, 3, 2> {
 public:
  S3Fifo(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context, context.capacity),
        most_small_(small_of(context, values)),
        most_main_(context.capacity - std::min(context.capacity, most_small_)),
        promoted_at_(static_cast<std::uint8_t>(values.get<std::int64_t>("promote"))) {}

  void hit(PageIndex page, Access) {
    if (pages_[page].mark < kMostCount) ++pages_[page].mark;
  }
  PageIndex victim() {
    while (pages_.size(kMain) <= most_main_ && (pages_.size(kSmall) >= most_small_ || pages_.empty(kMain))) {
      const PageIndex page = pages_.back(kSmall);
      if (page == kNoPage || pages_[page].mark < promoted_at_) return page;
      pages_[page].mark = 0;
      pages_.move_to_front(kMain, page);
    }
    PageIndex page = pages_.back(kMain);
    while (pages_[page].mark != 0) {
      --pages_[page].mark;
      pages_.move_to_front(kMain, page);
      page = pages_.back(kMain);
    }
    return page;
  }
  void evict(PageIndex page) {
    if (pages_[page].list == kMain || most_main_ == 0) {
      pages_.release(page);
      return;
    }
    pages_.move_to_front(kGhost, page);
    if (pages_.size(kGhost) > most_main_) forget(pages_.back(kGhost));
  }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    enter(page == entering() ? kMain : kSmall, page);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"S", numbers(kSmall)}, {"M", numbers(kMain)}, {"G", numbers(kGhost)}};
  }

 private:
  enum List : std::uint8_t { kSmall, kMain, kGhost };
  static constexpr std::uint8_t kMostCount = 3;

  std::uint32_t most_small_;
  std::uint32_t most_main_;
  std::uint8_t promoted_at_;
};

const ReplacementRegistration<S3Fifo> registration{
    {.name = "s3_fifo",
     .summary = "three queues: most pages are seen once and leave early",
     .source =
         "J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. Rashmi, FIFO queues are all you need for cache eviction, SOSP 2023",
     .parameters = {{.name = "small",
                     .default_value = 0.1,
                     .dimension = Dimension::Ratio,
                     .minimum = 0,
                     .maximum = 1,
                     .choices = {},
                     .help = "share of the capacity of the small queue"},
                    {.name = "promote",
                     .default_value = std::int64_t{2},
                     .minimum = 1,
                     .maximum = 3,
                     .choices = {},
                     .help = "references in the small queue that bring a page to the main one"}}}};

}  // namespace
}  // namespace flashloom
