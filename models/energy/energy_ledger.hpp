// The energy ledger: every component reports its states and operations here; joules are computed once, at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/power_timeline.hpp"

namespace flashloom {

/// A state of a component: its power, and the operation that its energy is charged to ("background" when it is
/// what the component draws while nobody uses it).
struct PowerState {
  std::string name;       ///< "idle", "read", "program", ...
  double watts = 0;
  std::string operation;  ///< ledger row: "nand.read", "cpu", "link", ... or kBackground
};
inline constexpr const char* kBackground = "background";

/// An operation with a fixed energy, beside the states' (a DRAM burst, an NVRAM write).
struct PowerOperation {
  std::string name;      ///< "read"
  double joules = 0;     ///< each time it is counted (a count may be bytes)
  std::string operation; ///< ledger row
};

/// The account of one component (a die, a channel, a DRAM, a core, the link).
///
/// Residency law: the sum over the states of a meter's residencies is the simulated time, exactly. A meter begins in
/// state 0 at time 0. Two ways to report, not to be mixed by one component:
///  * `change(state, at)`: enters `state` at `at`; calls must come in time order;
///  * `busy(state, from, to)`: was in `state` during [from, to), else in state 0; intervals of one meter must not
///    overlap. `to` may lie after now (a reservation).
class EnergyMeter {
 public:
  EnergyMeter(std::string name, std::string kind, std::vector<PowerState> states, std::vector<PowerOperation> operations,
              PowerTimeline& timeline);

  void change(std::uint32_t state, Picoseconds at);
  void busy(std::uint32_t state, Picoseconds from, Picoseconds to);
  /// Counts `n` operations at `at` (for the power timeline).
  void count(std::uint32_t operation, std::uint64_t n, Picoseconds at);
  /// Cuts a reservation short: the last `busy` interval ends at `at` (a power cut).
  void truncate(Picoseconds at);
  /// Device power is off in [from, to): nothing is drawn; the time is booked in an extra state "off".
  void off(Picoseconds from, Picoseconds to);
};

/// Owns the meters, closes the books.
class EnergyLedger {
 public:
  /// `kind` groups components in reports ("nand", "channel", "dram", "nvram", "cpu", "link", "hdd").
  EnergyMeter& add(std::string name, std::string kind, std::vector<PowerState> states,
                   std::vector<PowerOperation> operations = {});
};

}  // namespace flashloom
