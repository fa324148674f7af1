// Power of each state and energy of each operation of a component: a function of the configuration alone.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace flashloom {

/// A state of a component: its power, and the operation to which its energy is charged ("background" for the power of
/// an idle component).
struct PowerState {
  std::string name;  ///< "idle", "read", "program", ...
  double watts = 0;
  std::string operation;  ///< ledger row: "nand.read", "cpu", "link", ... or kBackground
  bool resting = false;   ///< the component is idle in it: EnergyMeter::busy_until() does not count it
};
inline constexpr const char* kBackground = "background";

/// An operation with a fixed energy, in addition to the states' (a DRAM burst, an NVRAM write).
struct PowerOperation {
  std::string name;       ///< "read"
  double joules = 0;      ///< each time it is counted (a count may be bytes)
  std::string operation;  ///< ledger row
};

/// Everything that a component's energy depends on except its activity. A component has a static
/// `power_figures(config)`, used by its constructor and for recomputing energy (recomputed_energy()).
struct PowerFigures {
  std::vector<PowerState> states;
  std::vector<PowerOperation> operations{};
  double spread_watts = 0;  ///< maximum power of operations that take time (EnergyMeter::count()), on top of the states
  bool regulated = true;    ///< behind the device's regulators (EnergyLedger), if there are any
  /// For the regulators only: joules lost for each joule of what is behind them, charged to the row of state 0.
  double loss = 0;

  /// Energy of state `i` over so many seconds, in J; `regulated_j`: of all components behind the regulators.
  double state_joules(std::size_t i, double seconds, double regulated_j) const {
    return states[i].watts * seconds + (i == 0 ? loss * regulated_j : 0);
  }
};

}  // namespace flashloom
