#include "models/channel/protocol_checker.hpp"

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "models/nand/nand_config.hpp"

namespace flashloom::protocol_checker_test {
namespace {

/// Figures of the default device: command cycles 175 ns, tR 50 us, data 4096 ns.
class ProtocolChecker : public testing::Test {
 protected:
  using Events = std::vector<std::tuple<int, OnfiPhase, Picoseconds>>;
  ProtocolChecker() {
    for (std::uint32_t die = 0; die < 2; ++die) {
      reads[die].address.die = Die{die};
      reads[die].bytes = 4096;
      reads[die].units = 1;
    }
  }
  void feed(const Events& events) {
    for (const auto& [command, phase, at] : events) checker.on_phase(reads[command], phase, at);
  }
  /// Expects exactly one error, with this text.
  void expect(const std::string& rule) {
    ASSERT_EQ(checker.errors().size(), 1U) << (checker.errors().empty() ? "" : checker.errors()[1]);
    EXPECT_NE(checker.errors()[0].find(rule), std::string::npos) << checker.errors()[0];
  }

  static constexpr Picoseconds kEnd = 175'000, kReady = 50'175'000;
  NandConfig config;
  NandGeometry geometry{config, 4096};
  NandTiming timing{config, geometry};
  OnfiProtocolChecker checker{geometry, timing};
  OnfiCommand reads[2];
};

TEST_F(ProtocolChecker, AcceptsARead) {
  feed({{0, OnfiPhase::BeginRequest, 0},
        {0, OnfiPhase::BusGranted, 0},
        {0, OnfiPhase::EndRequest, kEnd},
        {0, OnfiPhase::BeginResponse, kReady},
        {0, OnfiPhase::BeginData, kReady},
        {0, OnfiPhase::EndResponse, kReady + 4'096'000}});
  EXPECT_TRUE(checker.errors().empty());
  EXPECT_EQ(checker.open(), 0U);
}

TEST_F(ProtocolChecker, SeesTwoOnTheBus) {
  feed({{0, OnfiPhase::BeginRequest, 0},
        {1, OnfiPhase::BeginRequest, 0},
        {0, OnfiPhase::BusGranted, 0},
        {1, OnfiPhase::BusGranted, kEnd - 1}});
  expect("die 1, bus granted at 174999 ps: the bus is in use");
}

TEST_F(ProtocolChecker, SeesASecondCommandOnADie) {
  feed({{0, OnfiPhase::BeginRequest, 0}, {0, OnfiPhase::BeginRequest, 5}});
  expect("has a command already");
}

TEST_F(ProtocolChecker, SeesAShortArrayTime) {
  feed({{0, OnfiPhase::BeginRequest, 0},
        {0, OnfiPhase::BusGranted, 0},
        {0, OnfiPhase::EndRequest, kEnd},
        {0, OnfiPhase::BeginResponse, kReady - 1}});
  expect("array time of the wrong length");
}

TEST_F(ProtocolChecker, SeesShortCommandCyclesAndData) {
  feed({{0, OnfiPhase::BeginRequest, 0}, {0, OnfiPhase::BusGranted, 0}, {0, OnfiPhase::EndRequest, kEnd - 1}});
  expect("data-in cycles of the wrong length");
}

TEST_F(ProtocolChecker, SeesAMissingPhase) {
  feed({{0, OnfiPhase::BeginRequest, 0},
        {0, OnfiPhase::BusGranted, 0},
        {0, OnfiPhase::EndRequest, kEnd},
        {0, OnfiPhase::BeginData, kEnd + 1}});
  expect("phase out of order");
}

TEST_F(ProtocolChecker, SeesTimeGoingBack) {
  feed({{0, OnfiPhase::BeginRequest, 10}, {1, OnfiPhase::BeginRequest, 9}});
  expect("out of time order");
}

TEST_F(ProtocolChecker, SeesAPhaseOfNoCommand) {
  feed({{0, OnfiPhase::EndResponse, 10}});
  expect("no such command");
}

}  // namespace
}  // namespace flashloom::protocol_checker_test
