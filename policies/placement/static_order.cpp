// Static striping in one of the 24 orders of channel, way, die and plane: the first varies fastest. By turn,
// consecutive program units of a stream go to consecutive banks of the order, whatever they hold (page striping as in
// Agrawal et al., USENIX ATC 2008). By address, the logical address decides: chunk n of the address space, as large as
// a program unit, belongs to bank n mod banks, for good, as in Hu et al., ICS 2011, Tavakkol et al., Trans. Storage
// 12(3), 2016, and MQSim, FAST 2018 (there a page is a chunk). Where a program unit gathers units that do not follow
// each other, its first one decides.
#include <vector>

#include "policies/placement/bank_order.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::placement::static_order {
namespace {

class StaticOrder final : public PlacementPolicy {
 public:
  StaticOrder(const PlacementContext& context, const ParameterValues& values)
      : order_(context, values.get<std::string>("order")),
        units_per_program_(context.units_per_program),
        by_address_(values.get<std::string>("by") == "address"),
        next_(context.streams) {}

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    if (by_address_) return order_[order_.not_full(request.unit / units_per_program_ % order_.size(), view)];
    return order_.by_turn(next_[request.stream], view);
  }

  void state(StateArchive& archive) override { archive(next_); }

 private:
  BankOrder order_;
  std::uint32_t units_per_program_;
  bool by_address_;
  std::vector<std::uint32_t> next_;  // position, by stream
};

const Registration<PlacementPolicy> registration{
    {.name = "static_order",
     .summary = "striping over channels, ways, dies and planes in a fixed order",
     .source = "Hu et al., ICS 2011; Tavakkol et al., ACM Trans. Storage 12(3), 2016; Agrawal et al., USENIX ATC 2008",
     .parameters = {BankOrder::parameter("channel, way, die, plane: the first varies fastest; CWDP interleaves widest"),
                    {.name = "by",
                     .default_value = std::string("turn"),
                     .choices = {"turn", "address"},
                     .help = "turn: program units in turn; address: the logical address fixes the bank, as in MQSim"}},
     .aliases = {"round_robin"}},
    [](const PlacementContext& context, const ParameterValues& values) {
      return std::make_unique<StaticOrder>(context, values);
    }};

}  // namespace
}  // namespace flashloom::placement::static_order
