// Couples the simulated time of a machine to the wall time of the person at its terminal.
#pragma once

#include <cstdint>
#include <utility>

#include "models/common/types.hpp"

namespace flashloom {

/// Simulated time runs ahead of wall time by kLead at most. It does not catch up: wall time for which the simulation
/// computes, or the guest, is lost when simulated time moves on.
class TerminalPace {
 public:
  static constexpr Picoseconds kLead = kSecond / 100;

  /// The time that the machine, which is at `now`, may reach at wall time `wall`: nanoseconds of a monotonic clock.
  Picoseconds horizon(Picoseconds now, std::int64_t wall) {
    Picoseconds horizon = base_ + static_cast<Picoseconds>(wall - wall_) * kPsInNs;
    if (std::exchange(seen_, now) == now || horizon <= now + kLead) return horizon;
    wall_ = wall;
    return base_ = now + kLead;
  }

 private:
  static constexpr Picoseconds kPsInNs = 1000;
  Picoseconds base_ = kLead;
  std::int64_t wall_ = 0;
  Picoseconds seen_ = kNever;  // the machine's time at the last call
};

}  // namespace flashloom
