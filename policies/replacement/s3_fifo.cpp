// S3-FIFO: three queues. New pages enter the small one, S; a page referenced more than once by the time it reaches the
// end of S goes to the main queue, M, others are evicted and remembered in the ghost queue G; a page found in G enters
// M at once. A referenced page at the end of M is reinserted, its counter decremented. Counters count to three; they
// are cleared when a page goes from S to M. S has a tenth of the capacity, G as many ghosts as M holds pages. Algorithm
// 1 of the paper, with one eviction for each page that enters: when M is full, from M. O(1), amortized.
#include <algorithm>
#include <cmath>

#include "policies/replacement/dld.hpp"

namespace flashloom::replacement::s3_fifo {
namespace {

template <std::uint8_t kKept>
class S3Fifo : public PolicyCore<PageEntry, 3 + kKept, 2 + kKept> {
  using Core = PolicyCore<PageEntry, 3 + kKept, 2 + kKept>;

 public:
  using Core::entering;

  S3Fifo(const ReplacementContext& context, const ParameterValues& values)
      : Core(context, context.capacity),
        small_(values.get<double>("small")),
        promoted_at_(static_cast<std::uint8_t>(values.get<std::int64_t>("promote"))) {
    fit(context.capacity);
    most_ghosts_ = most_main_;
  }

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
    if (pages_[page].list == kMain || most_ghosts_ == 0) {
      pages_.release(page);
      return;
    }
    pages_.move_to_front(kGhost, page);
    if (pages_.size(kGhost) > most_ghosts_) forget_oldest();
  }
  void insert(PageIndex page, Access) {
    pages_[page].mark = 0;
    enter(page == entering() ? kMain : kSmall, page);
  }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"S", numbers(kSmall)}, {"M", numbers(kMain)}, {"G", numbers(kGhost)}};
  }

 protected:
  using Core::enter, Core::forget, Core::numbers, Core::pages_;

  // For DLD.
  std::uint32_t most_ghosts() const { return most_ghosts_; }
  std::uint32_t ghosts() const { return pages_.size(kGhost); }
  void forget_oldest() { forget(pages_.back(kGhost)); }
  void keep(std::uint8_t list, PageIndex page) { pages_.move_to_front(list, page); }
  void recall(PageIndex page) {
    pages_[page].mark = 0;
    pages_.move_to_front(kMain, page);
  }
  void fit(std::uint32_t capacity) {
    most_small_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(std::floor(small_ * capacity)));
    most_main_ = capacity - std::min(capacity, most_small_);
  }

 private:
  enum List : std::uint8_t { kSmall, kMain, kGhost = 2 + kKept };
  static constexpr std::uint8_t kMostCount = 3;

  double small_;
  std::uint32_t most_small_ = 0;
  std::uint32_t most_main_ = 0;
  std::uint32_t most_ghosts_ = 0;
  std::uint8_t promoted_at_;
};

const char* const kSource =
    "J. Yang, Y. Zhang, Z. Qiu, Y. Yue, K. Rashmi, FIFO queues are all you need for cache eviction, SOSP 2023";

std::vector<ParameterSpec> parameters() {
  return {{.name = "small",
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
           .help = "references in the small queue that bring a page to the main one"}};
}

const ReplacementRegistration<S3Fifo<0>> registration{
    {.name = "s3_fifo",
     .summary = "three queues: most pages are seen once and leave early",
     .source = kSource,
     .parameters = parameters()}};
const ReplacementRegistration<Dld<S3Fifo<1>>> with_delayed_writes{
    dld_part({.name = "dld_s3_fifo",
              .summary = "S3-FIFO that delays writes in its ghost queue and writes them block by block",
              .source = kSource,
              .parameters = parameters()})};

}  // namespace
}  // namespace flashloom::replacement::s3_fifo
