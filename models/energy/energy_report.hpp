// The closed books of a run: what each component did, and what it drew.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/common/types.hpp"
#include "models/energy/power_figures.hpp"
#include "models/energy/power_timeline.hpp"

namespace flashloom {

/// What a component did and drew.
struct ComponentEnergy {
  struct State {
    std::string name;
    Picoseconds residency = 0;
    std::uint64_t intervals = 0;  ///< times that it was entered, reservations that were cut included
    double joules = 0;
  };
  struct Operation {
    std::string name;
    std::uint64_t count = 0;
    double joules = 0;
  };
  std::string name;
  std::string kind;
  double joules = 0;
  std::vector<State> states;  ///< the last one is "off"; residencies add to the time of the books exactly
  std::vector<Operation> operations;
};

/// A row of the ledger: one operation over all components.
struct OperationEnergy {
  double joules = 0;
  std::uint64_t count = 0;      ///< sum of the counts of PowerOperations
  std::uint64_t intervals = 0;  ///< sum of the intervals of PowerStates
};

/// The closed books. total_j = sum of the components = sum of the operations + background, to rounding.
struct EnergyReport {
  bool enabled = true;
  Picoseconds begin = 0;  ///< of the books: EnergyLedger::begin()
  Picoseconds end = 0;
  double total_j = 0;
  double background_j = 0;
  double regulated_j = 0;  ///< of the components that are behind the device's regulators
  double average_w = 0;
  /// Highest mean over any `peak_window` between `begin` and `end`, see PeakWindow and PowerRecord; in a run that is
  /// shorter, average_w.
  double peak_w = 0;
  Picoseconds peak_window = 0;
  std::vector<ComponentEnergy> components;
  std::map<std::string, OperationEnergy> operations;  ///< without background
  PowerSeries power;
};

/// Of regulators of that efficiency (std::invalid_argument: not in (0, 1]). Their one state is "loss".
PowerFigures regulator_figures(double efficiency);

/// Adds a component to the books: `done` says residencies, intervals and counts, all else of it is computed here.
/// Regulators come behind all others, since what they lose is a share of what those draw.
void charge(EnergyReport& report, ComponentEnergy done, const PowerFigures& figures);

/// The books with other figures: what the components did stays, joules and average power are computed anew. Exact where
/// the figures change nothing of what is done and when. `figures` of each component, with as many states and operations
/// as it had (std::invalid_argument). Power over time and its peak are not known: `power` is empty, `peak_w` 0.
EnergyReport recomputed_energy(const EnergyReport& books,
                               const std::function<PowerFigures(const ComponentEnergy&)>& figures);

}  // namespace flashloom
