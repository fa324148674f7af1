// Placements that say that they go by turn name the same banks again while the view stays the same, and are then in the
// same state. The address space is written in order.
#include <gtest/gtest.h>

#include "policies/memory_archive.hpp"
#include "policies/registry.hpp"
#include "tests/support/placement_view.hpp"

namespace flashloom::by_turn_test {
namespace {

void expect_turns(PlacementPolicy& policy, const PlacementContext& shape, std::uint32_t full) {
  FakePlacementView view(shape);
  for (std::uint32_t bank = 0; bank < full; ++bank) view.is_full[3 * bank] = true;
  std::uint32_t unit = 0;
  const auto turn = [&] {
    std::vector<std::uint32_t> banks(shape.banks() - full);
    for (std::uint32_t& bank : banks) {
      bank = policy.next({unit, 0}, view);
      unit += shape.units_per_program;
    }
    return banks;
  };
  turn();
  const std::vector<std::uint32_t> banks = turn();
  const std::string state = saved(policy);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(turn(), banks);
    EXPECT_EQ(saved(policy), state);
  }
}

TEST(ByTurn, ComesRound) {
  const PlacementContext shape{2, 4, 2, 2, 1, 4};
  for (const PartInfo* info : PartCatalog::instance().parts(PlacementPolicy::kFamily))
    for (const std::uint32_t full : {0U, 1U, 5U}) {
      const auto policy = Family<PlacementPolicy>::make({info->name, {}}, shape);
      SCOPED_TRACE(info->name);
      EXPECT_TRUE(policy->by_turn());
      expect_turns(*policy, shape, full);
    }
}

TEST(ByTurn, IsNotSaidOfBanksWithUnequalRoom) {
  for (const char* by : {"turn", "address"}) {
    PlacementContext shape{2, 1, 1};
    const ParameterValues values({{"order", std::string("CWDP")}, {"by", std::string(by)}});
    shape.room = {8, 16};
    EXPECT_EQ(Family<PlacementPolicy>::make({"static_order", values}, shape)->by_turn(), by == std::string("turn"));
    shape.room = {};
    const auto policy = Family<PlacementPolicy>::make({"static_order", values}, shape);
    EXPECT_TRUE(policy->by_turn());
    expect_turns(*policy, shape, 0);
  }
}

}  // namespace
}  // namespace flashloom::by_turn_test
