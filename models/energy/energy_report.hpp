// The report of a run: what each component did, and its energy.
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

/// Activity and energy of a component.
struct ComponentEnergy {
  struct State {
    std::string name;
    Picoseconds residency = 0;
    std::uint64_t intervals = 0;  ///< times entered, including reservations that were cut
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
  std::vector<State> states;  ///< the last one is "off"; residencies add up to the reported time exactly
  std::vector<Operation> operations;
};

/// A row of the ledger: one operation, summed over all components.
struct OperationEnergy {
  double joules = 0;
  std::uint64_t count = 0;      ///< sum of the counts of PowerOperations
  std::uint64_t intervals = 0;  ///< sum of the intervals of PowerStates
};

/// The energy report. total_j = sum of the components = sum of the operations + background, to rounding.
struct EnergyReport {
  bool enabled = true;
  Picoseconds begin = 0;  ///< EnergyLedger::begin()
  Picoseconds end = 0;
  double total_j = 0;
  double background_j = 0;
  double regulated_j = 0;  ///< of the components behind the device's regulators
  double average_w = 0;
  /// Highest mean power over any `peak_window` between `begin` and `end`, see PeakWindow and PowerRecord; average_w for
  /// a shorter run.
  double peak_w = 0;
  Picoseconds peak_window = 0;
  std::vector<ComponentEnergy> components;
  std::map<std::string, OperationEnergy> operations;  ///< without background
  PowerSeries power;
};

/// For regulators of that efficiency (std::invalid_argument: not in (0, 1]). Their only state is "loss".
PowerFigures regulator_figures(double efficiency);

/// Adds a component to the report: `done` gives residencies, intervals and counts; everything else is computed here.
/// Regulators come after all others, since their loss is a share of what those draw.
void charge(EnergyReport& report, ComponentEnergy done, const PowerFigures& figures);

/// Recomputes a report with other figures: activity stays, joules and average power change. Exact if the figures do not
/// affect behaviour or timing. `figures` returns a component's figures, with as many states and operations as before
/// (std::invalid_argument). Power over time and its peak are unknown: `power` is empty, `peak_w` 0.
EnergyReport recomputed_energy(const EnergyReport& books,
                               const std::function<PowerFigures(const ComponentEnergy&)>& figures);

}  // namespace flashloom
