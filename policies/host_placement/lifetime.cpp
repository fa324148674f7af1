// By death time: the new contents of a page are expected to live as long as its previous ones, in bytes of host writes
// (AutoStream's recency and frequency: Yang et al., SYSTOR 2017; death times: Chakraborttii and Litz, SYSTOR 2021, who
// predict them with a neural network). Expected lifetimes are smoothed by half: the mean of the last lifetime and of
// the previous expectation. Identifiers are classes of lifetimes, each `ratio` times shorter than the one before; 0 is
// for first writes, and for lifetimes of at least the share `longest` of the device.
#include <algorithm>
#include <vector>

#include "policies/host_placement/host_placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::host_placement::lifetime {
namespace {

class ByLifetime final : public HostPlacementPolicy {
 public:
  ByLifetime(const HostPlacementContext& context, const ParameterValues& values)
      : identifiers_(context.identifiers),
        page_(context.page_bytes),
        ratio_(values.get<double>("ratio")),
        longest_(values.get<double>("longest") * static_cast<double>(context.capacity)),
        pages_(context.capacity / context.page_bytes + 1) {}

  // A write of several pages is placed by its longest expected lifetime: that page would keep the others' blocks valid.
  std::optional<std::uint32_t> choose(const HostWrite& write) override {
    written_ += write.length;
    double longest = 0;
    bool first = false;
    for_each_page(write, [&](Page& page) {
      if (page.written == 0) {
        first = true;
      } else {
        const auto last = static_cast<double>(written_ - page.written);
        page.expected = page.expected == 0 ? last : (page.expected + last) / 2;
        longest = std::max(longest, page.expected);
      }
      page.written = written_;
    });
    return first ? 0 : class_of(longest);
  }
  void discarded(const HostWrite& trim) override {
    for_each_page(trim, [](Page& page) { page = {}; });
  }

 private:
  struct Page {
    std::uint64_t written = 0;  // host bytes at its last write; 0: never
    double expected = 0;        // expected host bytes until its next write; 0: not known
  };

  template <class F>
  void for_each_page(const HostWrite& range, F&& f) {
    const std::uint64_t end = (range.offset + range.length + page_ - 1) / page_;
    for (std::uint64_t page = range.offset / page_; page < std::min<std::uint64_t>(end, pages_.size()); ++page)
      f(pages_[page]);
  }
  std::uint32_t class_of(double lifetime) const {
    std::uint32_t number = 0;
    for (double limit = longest_; lifetime < limit && number + 1 < identifiers_; limit /= ratio_) ++number;
    return number;
  }

  std::uint32_t identifiers_;
  std::uint64_t page_;
  double ratio_;
  double longest_;
  std::vector<Page> pages_;
  std::uint64_t written_ = 0;
};

const Registration<HostPlacementPolicy> registration{
    {.name = "lifetime",
     .summary = "classes of the time until a page is written again, expected to be what it was before",
     .source = "Yang et al., SYSTOR 2017; Chakraborttii and Litz, SYSTOR 2021",
     .parameters = {{.name = "longest",
                     .default_value = 0.5,
                     .dimension = Dimension::Ratio,
                     .minimum = 1e-6,
                     .maximum = 1000,
                     .choices = {},
                     .help = "written share of the device: what lives longer is of class 0"},
                    {.name = "ratio",
                     .default_value = 4.0,
                     .minimum = 1.1,
                     .maximum = 1000,
                     .choices = {},
                     .help = "by which lifetimes of a class are shorter than those of the class before"}}},
    [](const HostPlacementContext& context, const ParameterValues& values) {
      return std::make_unique<ByLifetime>(context, values);
    }};

}  // namespace
}  // namespace flashloom::host_placement::lifetime
