#include "models/energy/energy_report.hpp"

#include <stdexcept>
#include <utility>

namespace flashloom {

// Input power is output power / efficiency.
PowerFigures regulator_figures(double efficiency) {
  if (!(efficiency > 0 && efficiency <= 1)) throw std::invalid_argument("energy: an efficiency lies in (0, 1]");
  return {.states = {{"loss", 0, "regulator"}}, .regulated = false, .loss = 1 / efficiency - 1};
}

void charge(EnergyReport& report, ComponentEnergy done, const PowerFigures& figures) {
  const auto book = [&report](const std::string& row, double joules, std::uint64_t count, std::uint64_t intervals) {
    if (row == kBackground) {
      report.background_j += joules;
      return;
    }
    OperationEnergy& operation = report.operations[row];
    operation.joules += joules;
    operation.count += count;
    operation.intervals += intervals;
  };
  // The last state is "off".
  if (done.states.size() != figures.states.size() + 1 || done.operations.size() != figures.operations.size())
    throw std::invalid_argument("energy: " + done.name + ": figures of another component");
  done.joules = 0;
  for (std::size_t i = 0; i < figures.states.size(); ++i) {
    ComponentEnergy::State& state = done.states[i];
    state.joules = figures.state_joules(i, in_seconds(state.residency), report.regulated_j);
    done.joules += state.joules;
    book(figures.states[i].operation, state.joules, 0, state.intervals);
  }
  for (std::size_t i = 0; i < figures.operations.size(); ++i) {
    ComponentEnergy::Operation& operation = done.operations[i];
    operation.joules = figures.operations[i].joules * static_cast<double>(operation.count);
    done.joules += operation.joules;
    book(figures.operations[i].operation, operation.joules, operation.count, 0);
  }
  if (figures.regulated) report.regulated_j += done.joules;
  report.total_j += done.joules;
  report.average_w = report.end == report.begin ? 0 : report.total_j / in_seconds(report.end - report.begin);
  report.components.push_back(std::move(done));
}

EnergyReport recomputed_energy(const EnergyReport& books,
                               const std::function<PowerFigures(const ComponentEnergy&)>& figures) {
  EnergyReport report;
  report.enabled = books.enabled;
  report.begin = books.begin;
  report.end = books.end;
  report.peak_window = books.peak_window;
  for (const ComponentEnergy& component : books.components) charge(report, component, figures(component));
  return report;
}

}  // namespace flashloom
