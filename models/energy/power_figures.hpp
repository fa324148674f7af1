// What a component draws in each of its states and for each of its operations: a function of the configuration alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flashloom {

/// A state of a component: its power, and the operation that its energy is charged to ("background" when it is
/// what the component draws while nobody uses it).
struct PowerState {
  std::string name;  ///< "idle", "read", "program", ...
  double watts = 0;
  std::string operation;  ///< ledger row: "nand.read", "cpu", "link", ... or kBackground
  bool resting = false;   ///< the component does nothing meanwhile: EnergyMeter::busy_until() does not count it
};
inline constexpr const char* kBackground = "background";

/// An operation with a fixed energy, beside the states' (a DRAM burst, an NVRAM write).
struct PowerOperation {
  std::string name;       ///< "read"
  double joules = 0;      ///< each time it is counted (a count may be bytes)
  std::string operation;  ///< ledger row
};

/// All that the energy of a component depends on beside what it did. A component has a static `power_figures(config)`,
/// which its constructor uses, and whoever computes energy anew for other figures (recomputed_energy()).
struct PowerFigures {
  std::vector<PowerState> states;
  std::vector<PowerOperation> operations{};
  double spread_watts = 0;  ///< what operations that take time (EnergyMeter::count()) draw at most beside the states
  bool regulated = true;    ///< behind the regulators of the device (EnergyLedger), as far as there are any
  /// Of the regulators alone: joules lost for each joule of what is behind them, charged to the row of state 0.
  double loss = 0;

  /// What state `i` draws in so many seconds, in J; `regulated_j`: of all that is behind the regulators.
  double state_joules(std::size_t i, double seconds, double regulated_j) const {
    return states[i].watts * seconds + (i == 0 ? loss * regulated_j : 0);
  }
};

}  // namespace flashloom
