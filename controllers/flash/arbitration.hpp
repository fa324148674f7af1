// Family "arbitration": chooses the next command of a die among the waiting ones.
//
// A policy sorts commands into lanes by operation and origin; each lane of a die keeps the order of arrival, and the
// policy chooses between the lanes. Programs of one block, which flash requires in order, have one origin and so share
// a lane. Firmware itself waits, before it submits, for all other conditions of flash (program after erase, read after
// program, no erase under a read).
#pragma once

#include <array>
#include <cstdint>

#include "models/onfi/onfi_command.hpp"

namespace flashloom {

struct ArbitrationContext {
  std::uint32_t dies = 0;  ///< dies of the channel
  /// Time that a command of one page occupies a die, mean over page types: array and data. By FlashOperation.
  std::array<Picoseconds, kFlashOperations> service{1, 1, 1};
};

/// Lanes of a die; a lower one is more urgent wherever dies compete (power, bus).
inline constexpr std::uint32_t kLanes = 32;

struct ArbitrationLane {
  OnfiCommand* first = nullptr;  ///< has waited longest; null for an empty lane
  std::uint32_t passed = 0;      ///< commands of the die that were started while it was waiting as the first
};

/// What waits at a die.
struct DieQueues {
  std::uint32_t die = 0;  ///< position on the channel, below ArbitrationContext::dies
  Picoseconds now = 0;
  std::uint32_t waiting = 0;               ///< bit i: lane i holds something
  const ArbitrationLane* lanes = nullptr;  ///< kLanes of them
};

class Arbitration {
 public:
  static constexpr const char* kFamily = "arbitration";
  using Context = ArbitrationContext;
  virtual ~Arbitration() = default;

  /// The lane of a kind of command, below kLanes. Asked once for each kind, before the first command. Programs of one
  /// origin share a lane with erases of that origin.
  virtual std::uint32_t lane(FlashOperation operation, Origin origin) const = 0;
  /// The lane whose first command the die gets. Asked only when several lanes hold something; must be one of them.
  /// The call changes nothing: the same question has the same answer.
  virtual std::uint32_t choose(const DieQueues& queues) const = 0;
  /// Whether a read that choose() has chosen suspends the program or erase, of lane `running_lane`, that its die is
  /// busy with. Called only for dies that support it (nand.program_suspend, nand.erase_suspend).
  virtual bool suspends(std::uint32_t /*running_lane*/, std::uint32_t /*waiting_lane*/) const { return false; }
  /// Whether dies get the bus by the urgency of their lanes; else in order of arrival.
  virtual bool orders_bus() const { return false; }

  /// Host reads of a flow (OnfiCommand::flow) are in lane(Read, Host) + flow modulo this, so that a flow need not wait
  /// for the reads of others; 1: all in one lane. Programs of all flows share a lane.
  virtual std::uint32_t flow_lanes() const { return 1; }
  /// True: the policy counts what each flow gets. Then arrived() and started() are called.
  virtual bool counts_service() const { return false; }
  /// May set command.tag. `idle`: the die has nothing else.
  virtual void arrived(std::uint32_t /*die*/, OnfiCommand& /*command*/, bool /*idle*/) {}
  virtual void started(std::uint32_t /*die*/, const OnfiCommand& /*command*/) {}
};

}  // namespace flashloom
