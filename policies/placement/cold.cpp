// COLD: each set of correlated data goes to one die, into blocks that hold sets only, the next set to another die, so
// that sets are written in parallel; data in no set are interleaved in turn in one of the 24 orders. Data written
// together then become invalid together, in whole blocks. Sets come from the data buffer (buffer.correlation).
// J. K. Park, Correlated locality data distribution policy for improving performance in SSD, J. KSCI 21(2), 2016.
//
// Choices, where the paper is silent. The die is chosen in turn, in the order of dies (`cold`), or as the one with the
// fewest commands under way (`cold_least_loaded`). Sets follow each other in a die's open block and open program unit,
// without padding, so that the first units of a set may share the previous set's last program unit.
// A set that exceeds its die's open block continues in the die's next one; the planes of the die take turns. A die
// without a spare block is skipped: the rest of the set goes to the next die. Data that GC or wear levelling move stay
// on their die, but leave their set.
#include <vector>

#include "policies/placement/bank_order.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"

namespace flashloom {
namespace {

template <bool kLeastLoaded>
class Cold final : public PlacementPolicy {
 public:
  Cold(const PlacementContext& context, const ParameterValues& values)
      : order_(context, values.get<std::string>("order")), planes_(context.planes), next_(context.streams) {
    // Dies in interleaving order.
    std::vector<bool> seen(context.dies());
    for (std::uint32_t position = 0; position < order_.size(); ++position) {
      const std::uint32_t die = order_[position] / planes_;
      if (!seen[die]) dies_.push_back(die);
      seen[die] = true;
    }
    position_ = static_cast<std::uint32_t>(dies_.size()) - 1;  // so that the first set goes to the first die
  }

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    if (request.set != 0) return of_set(request.set, view);
    return order_.by_turn(next_[request.stream], view);
  }

  bool by_turn() const override { return true; }
  bool sets_apart() const override { return true; }
  void state(StateArchive& archive) override { archive(next_, set_, position_, plane_); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::uint32_t of_set(std::uint32_t set, const PlacementView& view) {
    if (set != set_) {
      set_ = set;
      position_ = first_of_set(view);
    }
    for (std::size_t tried = 0; tried < dies_.size(); ++tried, position_ = after(position_))
      if (const std::uint32_t bank = bank_of(dies_[position_], view); bank != kNone) return bank;
    return dies_[position_] * planes_;  // all are full
  }
  std::uint32_t first_of_set(const PlacementView& view) const {
    std::uint32_t best = after(position_);
    if constexpr (kLeastLoaded) {
      std::uint32_t position = best;
      for (std::size_t i = 1; i < dies_.size(); ++i) {
        position = after(position);
        if (view.load(dies_[position]) < view.load(dies_[best])) best = position;
      }
    }
    return best;
  }
  std::uint32_t bank_of(std::uint32_t die, const PlacementView& view) {
    for (std::uint32_t tried = 0; tried < planes_; ++tried) {
      const std::uint32_t bank = die * planes_ + plane_;
      plane_ = plane_ + 1 == planes_ ? 0 : plane_ + 1;
      if (!view.full(bank)) return bank;
    }
    return kNone;
  }
  std::uint32_t after(std::uint32_t position) const { return position + 1 == dies_.size() ? 0 : position + 1; }

  BankOrder order_;
  std::uint32_t planes_;
  std::vector<std::uint32_t> dies_;
  std::vector<std::uint32_t> next_;  // position in the order, by stream
  std::uint32_t set_ = 0;
  std::uint32_t position_ = 0;  // index of the current die
  std::uint32_t plane_ = 0;
};

template <bool kLeastLoaded>
Registration<PlacementPolicy> registered(const char* name, const char* summary) {
  return {{.name = name,
           .summary = summary,
           .source = "J. K. Park, COLD, J. KSCI 21(2), 2016",
           .parameters = {BankOrder::parameter("of what is in no set: channel, way, die, plane, the first fastest")},
           .time_dependent = kLeastLoaded},
          [](const PlacementContext& context, const ParameterValues& values) {
            return std::make_unique<Cold<kLeastLoaded>>(context, values);
          }};
}

const auto by_turn = registered<false>("cold", "each set of correlated data on one die, by turn; the rest interleaved");
const auto by_load =
    registered<true>("cold_least_loaded", "the same, a set on the die with the fewest commands under way");

}  // namespace
}  // namespace flashloom
