// 2Q, full version: new pages pass through the queue A1in; pages evicted from it are remembered in A1out; a page that
// returns from there goes to Am, an LRU list. References inside A1in count as correlated and are ignored. Kin is a
// quarter and Kout half of the capacity, as the paper proposes. O(1).
#include <algorithm>

#include "policies/replacement/dld.hpp"

namespace flashloom::replacement::two_q {
namespace {

template <std::uint8_t kKept>
class TwoQ : public PolicyCore<PageEntry, 3 + kKept, 2 + kKept> {
  using Core = PolicyCore<PageEntry, 3 + kKept, 2 + kKept>;

 public:
  using Core::entering;

  TwoQ(const ReplacementContext& context, const ParameterValues& values)
      : Core(context, pages_of(values.get<double>("out"), context.capacity)),
        in_(values.get<double>("in")),
        most_in_(pages_of(in_, context.capacity)),
        most_out_(pages_of(values.get<double>("out"), context.capacity)) {}

  void hit(PageIndex page, Access) {
    if (pages_[page].list == kAm) pages_.move_to_front(kAm, page);
  }
  // The paper's reclaimfor().
  PageIndex victim() const {
    const bool in = pages_.size(kIn) > most_in_ || pages_.empty(kAm);
    return pages_.back(in ? kIn : kAm);
  }
  void evict(PageIndex page) {
    if (pages_[page].list == kAm) {
      pages_.release(page);
      return;
    }
    pages_.move_to_front(kOut, page);
    if (pages_.size(kOut) > most_out_) forget_oldest();
  }
  void insert(PageIndex page, Access) { enter(page == entering() ? kAm : kIn, page); }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"A1in", numbers(kIn)}, {"Am", numbers(kAm)}, {"A1out", numbers(kOut)}};
  }

 protected:
  using Core::enter, Core::forget, Core::numbers, Core::pages_;

  // For DLD.
  std::uint32_t most_ghosts() const { return most_out_; }
  std::uint32_t ghosts() const { return pages_.size(kOut); }
  void forget_oldest() { forget(pages_.back(kOut)); }
  void keep(std::uint8_t list, PageIndex page) { pages_.move_to_front(list, page); }
  void recall(PageIndex page) { pages_.move_to_front(kAm, page); }
  void fit(std::uint32_t capacity) { most_in_ = pages_of(in_, capacity); }

 private:
  enum List : std::uint8_t { kIn, kAm, kOut = 2 + kKept };

  static std::uint32_t pages_of(double share, std::uint32_t capacity) {
    return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share * capacity));
  }

  double in_;
  std::uint32_t most_in_;   // Kin
  std::uint32_t most_out_;  // Kout
};

const char* const kSource =
    "T. Johnson and D. Shasha, 2Q: A low overhead high performance buffer management replacement algorithm, VLDB 1994";

std::vector<ParameterSpec> parameters() {
  return {{.name = "in",
           .default_value = 0.25,
           .dimension = Dimension::Ratio,
           .minimum = 0,
           .maximum = 1,
           .choices = {},
           .help = "Kin: pages in the queue of new ones, of the capacity"},
          {.name = "out",
           .default_value = 0.5,
           .dimension = Dimension::Ratio,
           .minimum = 0,
           .maximum = 4,
           .choices = {},
           .help = "Kout: pages remembered, of the capacity"}};
}

const ReplacementRegistration<TwoQ<0>> registration{
    {.name = "two_q",
     .summary = "pages must prove themselves in a queue before they enter the LRU list",
     .source = kSource,
     .parameters = parameters(),
     .aliases = {"2q"}}};
const ReplacementRegistration<Dld<TwoQ<1>>> with_delayed_writes{
    dld_part({.name = "dld_two_q",
              .summary = "2Q that delays writes in its ghost list and writes them block by block",
              .source = kSource,
              .parameters = parameters(),
              .aliases = {"dld_2q"}})};

}  // namespace
}  // namespace flashloom::replacement::two_q
