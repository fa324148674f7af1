// Superblocks: one block of each bank in a group of dies is opened together, filled stripe by stripe (a program unit of
// each), and closed together; then the next group follows. With all dies in one group that is the order CWDP with
// blocks that begin and end together; smaller groups interleave less and keep data written together on fewer dies.
// Agrawal et al., USENIX ATC 2008 ("gangs", superpages); the units of allocation and erasure of many products.
#include <algorithm>
#include <vector>

#include "policies/placement/bank_order.hpp"
#include "policies/placement/placement.hpp"
#include "policies/registry.hpp"

namespace flashloom::placement::superblock {
namespace {

class Superblock final : public PlacementPolicy {
 public:
  Superblock(const PlacementContext& context, const ParameterValues& values)
      : order_(context, "CWDP"), cursors_(context.streams) {
    const auto wanted = static_cast<std::uint32_t>(values.get<std::int64_t>("dies"));
    dies_ = wanted == 0 ? context.dies() : std::min(wanted, context.dies());
    groups_.resize((context.dies() + dies_ - 1) / dies_);
    for (std::uint32_t position = 0; position < order_.size(); ++position)
      groups_[order_[position] / context.planes / dies_].push_back(order_[position]);
  }

  std::uint32_t next(const PlacementRequest& request, const PlacementView& view) override {
    Cursor& cursor = cursors_[request.stream];
    const std::uint32_t group = cursor.group;
    do {
      if (const std::uint32_t bank = next_of_group(cursor, request.stream, view); bank != kNone) return bank;
      cursor.group = cursor.group + 1 == groups_.size() ? 0 : cursor.group + 1;
      cursor.position = 0;
      cursor.first_stripe = 1;
    } while (cursor.group != group);
    // No other group has space: this group's next superblock.
    if (const std::uint32_t bank = next_of_group(cursor, request.stream, view); bank != kNone) return bank;
    return groups_[group].front();  // all are full
  }

  bool by_turn() const override { return true; }
  void state(StateArchive& archive) override { archive(cursors_); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Cursor {
    std::uint32_t group = 0;
    std::uint32_t position = 0;      // next bank of the group
    std::uint32_t first_stripe = 1;  // the first stripe opens blocks; later ones go to open blocks
  };

  std::uint32_t next_of_group(Cursor& cursor, std::uint32_t stream, const PlacementView& view) const {
    const std::vector<std::uint32_t>& banks = groups_[cursor.group];
    for (std::size_t looked = 0; looked <= banks.size(); ++looked) {
      if (cursor.position == banks.size()) {
        cursor.position = 0;
        cursor.first_stripe = 0;
      }
      const std::uint32_t bank = banks[cursor.position++];
      if (!view.full(bank) && (cursor.first_stripe != 0 || view.open(stream, bank))) return bank;
    }
    return kNone;
  }

  BankOrder order_;
  std::uint32_t dies_;                              // of a superblock
  std::vector<std::vector<std::uint32_t>> groups_;  // banks, in order
  std::vector<Cursor> cursors_;                     // by stream
};

const Registration<PlacementPolicy> registration{
    {.name = "superblock",
     .summary = "one block of each bank of a group of dies, filled in stripes and closed together",
     .source = "Agrawal et al., USENIX ATC 2008",
     .parameters = {{.name = "dies",
                     .default_value = std::int64_t{0},
                     .minimum = 0,
                     .maximum = 65536,
                     .choices = {},
                     .help = "dies of a superblock, consecutive ones; 0: all"}}},
    [](const PlacementContext& context, const ParameterValues& values) {
      return std::make_unique<Superblock>(context, values);
    }};

}  // namespace
}  // namespace flashloom::placement::superblock
