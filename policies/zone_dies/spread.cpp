// Dies as far apart as possible: on different ways, and on evenly spaced channels. The n-th die of a set is
// the n-th of those that are `sets` apart, rotated by a share of the channels. Striping of superblocks over channels
// before ways: Hu et al., Performance impact and interplay of SSD parallelism (ICS 2011).
#include <algorithm>

#include "policies/registry.hpp"
#include "policies/zone_dies/zone_dies.hpp"

namespace flashloom::zone_dies::spread {
namespace {

class Spread final : public ZoneDiesPolicy {
 public:
  explicit Spread(const ZoneDiesContext& context) : context_(context) {}

  std::uint32_t die(std::uint32_t set, std::uint32_t member) const override {
    const std::uint32_t n = member * context_.sets() + set;
    const std::uint32_t row = n / context_.channels;  // dies at one position of their channels are rotated alike
    const std::uint32_t apart = std::max(context_.channels / context_.dies_of_set, 1U);
    const std::uint32_t turned = row * context_.channels / context_.sets() * apart;
    return row * context_.channels + (n + turned) % context_.channels;
  }

 private:
  ZoneDiesContext context_;
};

const Registration<ZoneDiesPolicy> registration{
    {.name = "spread",
     .summary = "dies as far apart as can be: on other ways, and evenly over the channels",
     .source = "Hu et al., Performance Impact and Interplay of SSD Parallelism, ICS 2011",
     .parameters = {}},
    [](const ZoneDiesContext& context, const ParameterValues&) { return std::make_unique<Spread>(context); }};

}  // namespace
}  // namespace flashloom::zone_dies::spread
