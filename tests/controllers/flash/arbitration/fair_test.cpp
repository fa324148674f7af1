// The arbitration "fair" on one die that serves one command at a time: shares, delays and idle flows, worked by hand.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "controllers/flash/arbitration.hpp"
#include "policies/registry.hpp"

namespace flashloom::fair_test {
namespace {

using enum FlashOperation;

constexpr Picoseconds kRead = 50;
constexpr Picoseconds kProgram = 600;
constexpr Picoseconds kErase = 3000;

/// A die under the policy: commands wait in the policy's lanes, and the die serves them one after the other.
class Die {
 public:
  explicit Die(double device_weight = 1.0, std::int64_t read_bound = 0)
      : policy_(Family<Arbitration>::make(
            {"fair", ParameterValues({{"device_weight", device_weight}, {"read_bound", read_bound}})},
            {.dies = 1, .service = {kRead, kProgram, kErase}})) {}

  void submit(FlashOperation operation, Origin origin, std::uint32_t flow) {
    OnfiCommand& command = commands_.emplace_back();
    command.operation = operation;
    command.origin = origin;
    command.flow = flow;
    command.at.queued = now_;
    policy_->arrived(0, command, waiting() == 0);
    std::uint32_t lane = policy_->lane(operation, origin);
    if (operation == Read && origin == Origin::Host) lane += flow % policy_->flow_lanes();
    queues_[lane].push_back(&command);
  }

  /// Serves the command that the policy chooses, and returns it.
  const OnfiCommand& serve() {
    std::array<ArbitrationLane, kLanes> lanes{};
    std::uint32_t mask = 0;
    for (auto& [lane, queue] : queues_)
      if (!queue.empty()) {
        lanes[lane] = {queue.front(), passed_[lane]};
        mask |= 1U << lane;
      }
    const std::uint32_t choice = policy_->choose({.die = 0, .now = now_, .waiting = mask, .lanes = lanes.data()});
    OnfiCommand& command = *queues_.at(choice).front();
    queues_.at(choice).pop_front();
    for (std::uint32_t& passed : passed_) ++passed;
    passed_[choice] = 0;
    policy_->started(0, command);
    constexpr Picoseconds kTimes[] = {kRead, kProgram, kErase};
    const Picoseconds time = kTimes[static_cast<std::size_t>(command.operation)];
    now_ += time;
    used_[command.flow] += time;
    return command;
  }

  std::size_t waiting() const {
    std::size_t sum = 0;
    for (const auto& [lane, queue] : queues_) sum += queue.size();
    return sum;
  }
  Picoseconds now() const { return now_; }
  Picoseconds used(std::uint32_t flow) { return used_[flow]; }

 private:
  std::unique_ptr<Arbitration> policy_;
  std::deque<OnfiCommand> commands_;
  std::map<std::uint32_t, std::deque<OnfiCommand*>> queues_;
  std::array<std::uint32_t, kLanes> passed_{};  // counted for every lane, as if it always held a command
  std::map<std::uint32_t, Picoseconds> used_;
  Picoseconds now_ = 0;
};

TEST(Fair, FlowsThatAlwaysWaitGetEqualTime) {
  Die die;
  for (int i = 0; i < 4; ++i) die.submit(Read, Origin::Host, 1);
  for (int i = 0; i < 64; ++i) die.submit(Read, Origin::Host, 2);
  for (int i = 0; i < 16; ++i) die.submit(Program, Origin::Host, 3);
  for (int i = 0; i < 20'000; ++i) {
    const OnfiCommand& served = die.serve();
    die.submit(served.operation, served.origin, served.flow);
  }
  for (const std::uint32_t flow : {1U, 2U, 3U})
    EXPECT_NEAR(static_cast<double>(die.used(flow)) / static_cast<double>(die.now()), 1.0 / 3, 0.002) << flow;
}

// A flow that starts waits for at most one command of the other flow, however many that has queued.
TEST(Fair, AFlowThatComesWaitsForOneOfEachOther) {
  Die die;
  for (int i = 0; i < 1000; ++i) die.submit(Read, Origin::Host, 7);
  for (int i = 0; i < 10; ++i) die.serve();
  for (int round = 0; round < 20; ++round) {
    die.submit(Read, Origin::Host, 9);
    int behind = 0;
    while (die.serve().flow != 9) ++behind;
    EXPECT_LE(behind, 1);
  }
}

// A flow that was idle has gained no credit: from its next command on it gets an equal share.
TEST(Fair, IdleTimeIsNoCredit) {
  Die die;
  for (int i = 0; i < 100; ++i) die.submit(Read, Origin::Host, 1);
  for (int i = 0; i < 100; ++i) die.serve();
  for (int i = 0; i < 100; ++i) die.submit(Read, Origin::Host, 1);
  for (int i = 0; i < 100; ++i) die.submit(Read, Origin::Host, 2);
  std::map<std::uint32_t, int> served;
  for (int i = 0; i < 40; ++i) ++served[die.serve().flow];
  EXPECT_NEAR(served[1], 20, 1);
  EXPECT_NEAR(served[2], 20, 1);
}

// Two readers and a writer with a bound of 8: of nine commands eight are reads, four of each reader.
TEST(Fair, ReadsPassProgramsUpToTheBound) {
  Die die(1.0, 8);
  for (int i = 0; i < 40; ++i) {
    die.submit(Read, Origin::Host, 1);
    if (i % 4 == 0) die.submit(Read, Origin::Host, 2);
    die.submit(Program, Origin::Host, 3);
  }
  std::map<std::uint32_t, int> served;
  for (int i = 0; i < 9'000; ++i) {
    const OnfiCommand& command = die.serve();
    ++served[command.flow];
    die.submit(command.operation, command.origin, command.flow);
  }
  EXPECT_NEAR(served[3], 1000, 2);
  EXPECT_NEAR(served[1], 4000, 10);
  EXPECT_NEAR(served[2], 4000, 10);
}

TEST(Fair, ProgramsKeepTheirOrder) {
  Die die;
  for (std::uint32_t i = 0; i < 12; ++i) die.submit(Program, Origin::Host, i % 3);
  for (std::uint32_t i = 0; i < 12; ++i) EXPECT_EQ(die.serve().flow, i % 3);
}

TEST(Fair, GarbageCollectionHasItsWeight) {
  for (const double weight : {0.5, 1.0, 3.0}) {
    Die die(weight);
    for (int i = 0; i < 32; ++i) {
      die.submit(Read, Origin::Host, 1);
      die.submit(Program, Origin::Gc, kNoFlow);
    }
    for (int i = 0; i < 20'000; ++i) {
      const OnfiCommand& served = die.serve();
      die.submit(served.operation, served.origin, served.flow);
    }
    EXPECT_NEAR(static_cast<double>(die.used(kNoFlow)) / static_cast<double>(die.used(1)), weight, 0.02 * weight);
  }
}

}  // namespace
}  // namespace flashloom::fair_test
