// Dynamic placement: the die with the fewest commands on their way to it or in its queue, ties to the next one in the
// order CWDP. With nothing in flight, as on the instant clock, that is round robin. Hu et al., ICS 2011 (dynamic
// allocation); Tavakkol et al., ACM Trans. Storage 12(3), 2016.
#include <vector>

#include "policies/placement/bank_order.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::placement::least_loaded {
namespace {

class LeastLoaded final : public PlacementPolicy {
 public:
  explicit LeastLoaded(const PlacementContext& context)
      : order_(context, "CWDP"), planes_(context.planes), next_(context.streams) {}

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    std::uint32_t& next = next_[request.stream];
    const std::uint32_t position =
        order_.least(next, view, [this, &view](std::uint32_t bank) { return view.load(bank / planes_); });
    next = order_.after(position);
    return order_[position];
  }

  bool by_turn() const override { return true; }
  void state(StateArchive& archive) override { archive(next_); }

 private:
  BankOrder order_;
  std::uint32_t planes_;
  std::vector<std::uint32_t> next_;  // position, by stream
};

const Registration<PlacementPolicy> registration{
    {.name = "least_loaded",
     .summary = "dynamic: the die with the fewest commands under way",
     .source = "Hu et al., ICS 2011; Tavakkol et al., ACM Trans. Storage 12(3), 2016",
     .parameters = {},
     .time_dependent = true},
    [](const PlacementContext& context, const ParameterValues&) { return std::make_unique<LeastLoaded>(context); }};

}  // namespace
}  // namespace flashloom::placement::least_loaded
