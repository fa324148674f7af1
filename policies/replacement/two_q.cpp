// 2Q, full version: new pages pass through the queue A1in; pages evicted from it are remembered in A1out; a page that
// returns from there goes to Am, an LRU list. References inside A1in count as correlated and are ignored. Kin is a
// quarter and Kout half of the capacity, as the paper proposes. O(1).
#include <algorithm>

#include "policies/replacement/registration.hpp"

namespace flashloom::replacement::two_q {
namespace {

std::uint32_t share(const ReplacementContext& context, const ParameterValues& values, const char* name) {
  const double pages = values.get<double>(name) * context.capacity;
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(pages));
}

class TwoQ final : public PolicyCore<PageEntry, 3, 2> {
 public:
  TwoQ(const ReplacementContext& context, const ParameterValues& values)
      : PolicyCore(context, share(context, values, "out")),
        most_in_(share(context, values, "in")),
        most_out_(share(context, values, "out")) {}

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
    if (pages_.size(kOut) > most_out_) forget(pages_.back(kOut));
  }
  void insert(PageIndex page, Access) { enter(page == entering() ? kAm : kIn, page); }
  void describe(PolicyPicture& picture) const {
    picture.lists = {{"A1in", numbers(kIn)}, {"Am", numbers(kAm)}, {"A1out", numbers(kOut)}};
  }

 private:
  enum List : std::uint8_t { kIn, kAm, kOut };

  std::uint32_t most_in_;   // Kin
  std::uint32_t most_out_;  // Kout
};

const ReplacementRegistration<TwoQ> registration{
    {.name = "two_q",
     .summary = "pages must prove themselves in a queue before they enter the LRU list",
     .source = "T. Johnson and D. Shasha, 2Q: A low overhead high performance buffer management replacement algorithm, "
               "VLDB 1994",
     .parameters = {{.name = "in",
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
                     .help = "Kout: pages remembered, of the capacity"}},
     .aliases = {"2q"}}};

}  // namespace
}  // namespace flashloom::replacement::two_q
