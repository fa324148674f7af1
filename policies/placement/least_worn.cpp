// Least worn: the bank with the fewest erases; banks at most `slack` erases a block ahead of it take turns in the order
// CWDP, since a single bank would not interleave. After Chang and Kuo, "An
// adaptive striping architecture for flash memory storage systems of embedded systems", RTAS 2002, whose dynamic bank
// assignment considers the erases of the banks.
#include <cmath>
#include <vector>

#include "policies/placement/bank_order.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::placement::least_worn {
namespace {

class LeastWorn final : public PlacementPolicy {
 public:
  LeastWorn(const PlacementContext& context, const ParameterValues& values)
      : order_(context, "CWDP"),
        slack_(static_cast<std::uint64_t>(values.get<std::int64_t>("slack"))),
        next_(context.streams) {}

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    std::uint32_t& next = next_[request.stream];
    std::uint64_t least = ~std::uint64_t{0};
    for (std::uint32_t bank = 0; bank < order_.size(); ++bank)
      if (!view.full(bank)) least = std::min(least, view.erases(bank));
    const std::uint32_t position = order_.least(
        next, view, [this, &view, least](std::uint32_t bank) { return view.erases(bank) > least + slack_; });
    next = order_.after(position);
    return order_[position];
  }

  bool by_turn() const override { return true; }
  void state(StateArchive& archive) override { archive(next_); }

 private:
  BankOrder order_;
  std::uint64_t slack_;
  std::vector<std::uint32_t> next_;  // position, by stream
};

const Registration<PlacementPolicy> registration{
    {.name = "least_worn",
     .summary = "the bank (die, or plane programmed apart) with the fewest erases",
     .source = "Chang and Kuo, RTAS 2002",
     .parameters = {{.name = "slack",
                     .default_value = std::int64_t{4},
                     .minimum = 0,
                     .maximum = 1e9,
                     .choices = {},
                     .help = "erases of a bank above the least by which it still takes turns; 0: wear alone decides"}}},
    [](const PlacementContext& context, const ParameterValues& values) {
      return std::make_unique<LeastWorn>(context, values);
    }};

}  // namespace
}  // namespace flashloom::placement::least_worn
