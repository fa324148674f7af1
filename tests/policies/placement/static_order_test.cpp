#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "policies/registry.hpp"
#include "tests/support/placement_view.hpp"

namespace flashloom::static_order_test {
namespace {

std::vector<std::string> orders() {
  return PartCatalog::instance().find("placement", "static_order")->parameters[0].choices;
}

std::unique_ptr<PlacementPolicy> make(const PlacementContext& shape, const std::string& order,
                                      const std::string& by = "turn") {
  return Family<PlacementPolicy>::make({"static_order", ParameterValues({{"order", order}, {"by", by}})}, shape);
}

std::vector<std::uint32_t> sequence(const PlacementContext& shape, const std::string& order, std::uint32_t n) {
  const auto policy = make(shape, order);
  const FakePlacementView view(shape);
  std::vector<std::uint32_t> banks;
  for (std::uint32_t i = 0; i < n; ++i) banks.push_back(policy->next({.unit = 77 * i}, view));
  return banks;
}

// 2 channels x 2 ways x 2 dies x 2 planes. Channel c, way w, die d, plane p: die c + 2 (w + 2 d), bank 2 (c + 2 w + 4
// d) + p = 2 c + 4 w + 8 d + p.
const PlacementContext kShape{.channels = 2, .ways = 2, .dies_per_way = 2, .planes = 2};

TEST(StaticOrder, FollowsHandWorkedSequences) {
  using Banks = std::vector<std::uint32_t>;
  // Channel fastest, then way (+4), die (+8), plane (+1).
  EXPECT_EQ(sequence(kShape, "CWDP", 17), (Banks{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, 0}));
  // Plane, die, way, channel.
  EXPECT_EQ(sequence(kShape, "PDWC", 17), (Banks{0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15, 0}));
  // Way, channel, plane, die.
  EXPECT_EQ(sequence(kShape, "WCPD", 16), (Banks{0, 4, 2, 6, 1, 5, 3, 7, 8, 12, 10, 14, 9, 13, 11, 15}));
  // Die, plane, channel, way.
  EXPECT_EQ(sequence(kShape, "DPCW", 16), (Banks{0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15}));
}

// Sizes that are no powers of two: 3 channels x 2 ways, 3 planes; bank 3 (c + 3 w) + p.
TEST(StaticOrder, CountsInUnevenDimensions) {
  const PlacementContext shape{.channels = 3, .ways = 2, .dies_per_way = 1, .planes = 3};
  EXPECT_EQ(sequence(shape, "WPCD", 18),
            (std::vector<std::uint32_t>{0, 9, 1, 10, 2, 11, 3, 12, 4, 13, 5, 14, 6, 15, 7, 16, 8, 17}));
}

TEST(StaticOrder, AllTwentyFourVisitEveryBankOnceARoundInOrdersOfTheirOwn) {
  ASSERT_EQ(orders().size(), 24U);
  std::set<std::vector<std::uint32_t>> all;
  for (const std::string& order : orders()) {
    const std::vector<std::uint32_t> banks = sequence(kShape, order, 160);
    std::map<std::uint32_t, int> uses;
    for (std::size_t i = 0; i < banks.size(); ++i) {
      ++uses[banks[i]];
      EXPECT_EQ(banks[i], banks[i % 16]);
    }
    EXPECT_EQ(uses.size(), 16U) << order;
    for (const auto& [bank, n] : uses) EXPECT_EQ(n, 10) << order;
    // The first dimension changes with every step, the second with every second one, and so on.
    for (std::uint32_t i = 0; i < 16; ++i) {
      const std::map<char, std::uint32_t> at = {
          {'P', banks[i] & 1}, {'C', banks[i] >> 1 & 1}, {'W', banks[i] >> 2 & 1}, {'D', banks[i] >> 3}};
      for (std::uint32_t k = 0; k < 4; ++k) EXPECT_EQ(at.at(order[k]), i >> k & 1) << order << ", step " << i;
    }
    all.insert(banks);
  }
  EXPECT_EQ(all.size(), 24U);
}

// Banks 0 and 1 have room for 2 program units of 2 mapping units, bank 2 for 3, bank 3 for 5: chunks 0 to 7 go to all in
// turn, 8 and 9 to banks 2 and 3, those behind to bank 3.
TEST(StaticOrder, GoesByAddressAsFarAsEachBankHasRoom) {
  const PlacementContext shape{
      .channels = 4, .ways = 1, .dies_per_way = 1, .planes = 1, .units_per_program = 2, .room = {5, 4, 6, 10}};
  const auto policy = make(shape, "CWDP", "address");
  FakePlacementView view(shape);
  std::vector<std::uint32_t> banks;
  for (std::uint32_t unit = 0; unit < 24; unit += 2) banks.push_back(policy->next({.unit = unit}, view));
  EXPECT_EQ(banks, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 3, 3}));
  view.is_full[3] = true;
  EXPECT_EQ(policy->next({.unit = 23}, view), 0U) << "the next bank that is not full";
}

TEST(StaticOrder, GivesEachStreamItsOwnTurn) {
  PlacementContext shape = kShape;
  shape.streams = 2;
  const auto policy = make(shape, "CWDP");
  const FakePlacementView view(shape);
  EXPECT_EQ(policy->next({.unit = 0, .stream = 0}, view), 0U);
  EXPECT_EQ(policy->next({.unit = 0, .stream = 1}, view), 0U);
  EXPECT_EQ(policy->next({.unit = 0, .stream = 1}, view), 2U);
  EXPECT_EQ(policy->next({.unit = 0, .stream = 0}, view), 2U);
}

// Program units of 4 mapping units: units 4 n to 4 n + 3 belong to bank n of the order, however often and in whatever
// sequence they are written.
TEST(StaticOrder, ByAddressTheUnitFixesTheBank) {
  PlacementContext shape = kShape;
  shape.units_per_program = 4;
  const auto policy = make(shape, "CWDP", "address");
  const FakePlacementView view(shape);
  const std::vector<std::uint32_t> banks = sequence(shape, "CWDP", 16);
  for (const std::uint32_t unit : {0U, 3U, 4U, 63U, 64U, 1000U, 3U, 17U})
    EXPECT_EQ(policy->next({.unit = unit}, view), banks[unit / 4 % 16]) << unit;
}

TEST(StaticOrder, PassesOverFullBanks) {
  const auto policy = make(kShape, "CWDP");
  FakePlacementView view(kShape);
  view.is_full[2] = view.is_full[4] = true;
  EXPECT_EQ(policy->next({}, view), 0U);
  EXPECT_EQ(policy->next({}, view), 6U);
  EXPECT_EQ(policy->next({}, view), 8U);
  const auto by_address = make(kShape, "CWDP", "address");
  EXPECT_EQ(by_address->next({.unit = 1}, view), 6U);
}

}  // namespace
}  // namespace flashloom::static_order_test
