// Static striping in one of the 24 orders of channel, way, die and plane: the first varies fastest. In turn:
// consecutive program units of a stream go to consecutive banks of the order, whatever their contents (page striping as
// in Agrawal et al., USENIX ATC 2008). By address: chunk n of the address space, as large as a program unit, always
// belongs to bank n mod banks, as in Hu et al., ICS 2011, Tavakkol et al., Trans. Storage 12(3), 2016, and MQSim, FAST
// 2018 (where a chunk is a page). The first unit of a program unit decides if its units are not consecutive. If some
// banks have less space (PlacementContext::room), all banks share the chunks up to that space, and the others take the
// chunks beyond in the same way: zones, like those of a RAID 0 of disks of different sizes.
#include <algorithm>
#include <utility>
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
        next_(context.streams) {
    if (by_address_) make_zones(context.room);
  }

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    if (by_address_) return order_[order_.not_full(position_of(request.unit / units_per_program_), view)];
    return order_.by_turn(next_[request.stream], view);
  }

  bool by_turn() const override { return zones_.empty(); }
  void state(StateArchive& archive) override { archive(next_); }

 private:
  /// Chunks from `first` on go to these positions in turn.
  struct Zone {
    std::uint64_t first;
    std::vector<std::uint32_t> positions;
  };

  std::uint32_t position_of(std::uint32_t chunk) const {
    for (auto zone = zones_.rbegin(); zone != zones_.rend(); ++zone)
      if (chunk >= zone->first) return zone->positions[(chunk - zone->first) % zone->positions.size()];
    return chunk % order_.size();
  }

  // Zones beyond the space that all banks share.
  void make_zones(const std::vector<std::uint64_t>& room) {
    if (room.empty()) return;
    std::uint64_t shared = std::ranges::min(room) / units_per_program_;  // chunks a bank so far
    std::uint64_t first = shared * order_.size();
    while (true) {
      Zone zone{first, {}};
      std::uint64_t least = ~std::uint64_t{0};
      for (std::uint32_t position = 0; position < order_.size(); ++position) {
        const std::uint64_t chunks = room[order_[position]] / units_per_program_;
        if (chunks <= shared) continue;
        zone.positions.push_back(position);
        least = std::min(least, chunks);
      }
      if (zone.positions.empty()) return;
      first += (least - shared) * zone.positions.size();
      shared = least;
      zones_.push_back(std::move(zone));
    }
  }

  BankOrder order_;
  std::uint32_t units_per_program_;
  bool by_address_;
  std::vector<Zone> zones_;
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
