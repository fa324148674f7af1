#include "controllers/flash/arbitration.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "policies/registry.hpp"

namespace flashloom::arbitration_test {
namespace {

using enum FlashOperation;

/// The lanes of a die, filled by hand.
struct Waiting {
  std::array<OnfiCommand, kLanes> commands{};
  std::array<ArbitrationLane, kLanes> lanes{};
  std::uint32_t mask = 0;

  void put(std::uint32_t lane, Picoseconds queued, std::uint32_t passed = 0) {
    commands[lane].at.queued = queued;
    lanes[lane] = {&commands[lane], passed};
    mask |= 1U << lane;
  }
  std::uint32_t ask(const Arbitration& policy, Picoseconds now) const {
    return policy.choose({.die = 0, .now = now, .waiting = mask, .lanes = lanes.data()});
  }
};

std::unique_ptr<Arbitration> make(const char* name, std::map<std::string, ParameterValue> parameters = {}) {
  return Family<Arbitration>::make({name, ParameterValues(std::move(parameters))}, {4});
}

// Laws of every registered arbitration: each kind of command has a lane that exists, programs and erases of one origin
// share a lane, the policy chooses a lane that is not empty, and no lane starves while all hold commands.
TEST(Arbitration, EveryPolicyServesEveryLane) {
  const auto parts = PartCatalog::instance().parts(Arbitration::kFamily);
  ASSERT_GE(parts.size(), 3U);
  for (const PartInfo* info : parts) {
    const auto policy = make(info->name.c_str());
    Waiting waiting;
    std::array<std::uint32_t, kLanes> served{};
    for (std::size_t origin = 0; origin < kOrigins; ++origin) {
      for (const FlashOperation operation : {Read, Program, Erase}) {
        const std::uint32_t lane = policy->lane(operation, static_cast<Origin>(origin));
        ASSERT_LT(lane, kLanes) << info->name;
        if (((waiting.mask >> lane) & 1) != 0) continue;
        waiting.commands[lane].operation = operation;
        waiting.commands[lane].origin = static_cast<Origin>(origin);
        waiting.put(lane, 0);
        policy->arrived(0, waiting.commands[lane], false);
      }
      EXPECT_EQ(policy->lane(Program, static_cast<Origin>(origin)), policy->lane(Erase, static_cast<Origin>(origin)));
    }
    for (std::uint32_t now = 1; now <= 10'000 && !std::has_single_bit(waiting.mask); ++now) {
      const std::uint32_t choice = waiting.ask(*policy, now);
      ASSERT_TRUE((waiting.mask >> choice) & 1) << info->name;
      EXPECT_EQ(choice, waiting.ask(*policy, now)) << info->name;
      ++served[choice];
      for (ArbitrationLane& lane : waiting.lanes) ++lane.passed;
      policy->started(0, waiting.commands[choice]);
      waiting.put(choice, now);
      policy->arrived(0, waiting.commands[choice], false);
    }
    for (std::uint32_t lane = 0; lane < kLanes && !std::has_single_bit(waiting.mask); ++lane)
      EXPECT_EQ(served[lane] != 0, ((waiting.mask >> lane) & 1) != 0) << info->name << ", lane " << lane;
    EXPECT_FALSE(info->source.empty()) << info->name;
  }
}

TEST(Arbitration, FlowsHaveLanesThatExist) {
  for (const PartInfo* info : PartCatalog::instance().parts(Arbitration::kFamily)) {
    const auto policy = make(info->name.c_str());
    ASSERT_GE(policy->flow_lanes(), 1U) << info->name;
    const std::uint32_t first = policy->lane(Read, Origin::Host);
    EXPECT_LE(first + policy->flow_lanes(), kLanes) << info->name;
    // No program uses a lane of the read flows.
    for (std::size_t origin = 0; origin < kOrigins && policy->flow_lanes() != 1; ++origin) {
      const std::uint32_t lane = policy->lane(Program, static_cast<Origin>(origin));
      EXPECT_TRUE(lane < first || lane >= first + policy->flow_lanes()) << info->name;
    }
  }
}

TEST(Arbitration, FifoHasOneLane) {
  const auto policy = make("fifo");
  for (std::size_t origin = 0; origin < kOrigins; ++origin)
    for (const FlashOperation operation : {Read, Program, Erase})
      EXPECT_EQ(policy->lane(operation, static_cast<Origin>(origin)), 0U);
}

TEST(Arbitration, ReadFirstCountsToItsBound) {
  const auto policy = make("read_first", {{"bound", std::int64_t{3}}});
  const auto usual = make("read_first");
  const std::uint32_t reads = policy->lane(Read, Origin::Gc);
  const std::uint32_t writes = policy->lane(Erase, Origin::Host);
  Waiting waiting;
  waiting.put(reads, 5);
  for (std::uint32_t passed = 0; passed < 10; ++passed) {
    waiting.put(writes, 1, passed);
    EXPECT_EQ(waiting.ask(*policy, 10), passed < 3 ? reads : writes);
    EXPECT_EQ(waiting.ask(*usual, 10), passed < 8 ? reads : writes);
  }
}

TEST(Arbitration, OutOfOrderGoesByOrigin) {
  const auto policy = make("out_of_order");
  const std::uint32_t order[] = {policy->lane(Read, Origin::Host), policy->lane(Read, Origin::Map),
                                 policy->lane(Program, Origin::Host), policy->lane(Read, Origin::Gc),
                                 policy->lane(Read, Origin::Scrub)};
  Waiting waiting;
  for (std::uint32_t i = 5; i-- > 0;) {  // the least urgent command has waited longest
    waiting.put(order[i], 10 - i);
    EXPECT_EQ(waiting.ask(*policy, 1'000'000'000), order[i]);
  }
  EXPECT_EQ(policy->lane(Read, Origin::Rmw), policy->lane(Program, Origin::Host));
  EXPECT_EQ(policy->lane(Erase, Origin::Gc), policy->lane(Read, Origin::Merge));
  const auto other = make("out_of_order", {{"gc", std::int64_t{0}}, {"host_read", std::int64_t{7}}});
  EXPECT_EQ(other->lane(Program, Origin::Gc), 0U);
  EXPECT_EQ(other->lane(Read, Origin::Host), 7U);
}

TEST(Arbitration, OutOfOrderServesTheOldestOfThoseOverdue) {
  const auto policy = make("out_of_order", {{"bound", std::int64_t{4}}, {"max_wait", std::int64_t{1000}}});
  Waiting waiting;
  waiting.put(0, 900);
  waiting.put(3, 100, 3);
  waiting.put(4, 50, 3);
  EXPECT_EQ(waiting.ask(*policy, 1000), 0U);
  EXPECT_EQ(waiting.ask(*policy, 1050), 4U);  // lane 4 has waited 1000
  waiting.put(4, 1040, 3);
  EXPECT_EQ(waiting.ask(*policy, 1099), 0U);
  EXPECT_EQ(waiting.ask(*policy, 1100), 3U);
  waiting.put(3, 1090, 4);  // lane 3 was passed 4 times
  EXPECT_EQ(waiting.ask(*policy, 1100), 3U);
  waiting.put(4, 1040, 4);
  EXPECT_EQ(waiting.ask(*policy, 1100), 4U);  // so was lane 4, and its command is older
}

TEST(Arbitration, AnUnknownNameListsTheValidOnes) {
  try {
    Family<Arbitration>::make({"read_frist", {}}, {1});
    FAIL();
  } catch (const UnknownPart& error) {
    EXPECT_NE(std::string(error.what()).find("read_first"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace flashloom::arbitration_test
