// The activity of a device's parts in a run, from which their energy can be computed.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/energy/energy_report.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Condensed energy report of a run: parts with the same power figures are summed.
struct EnergyWork {
  /// All parts of one kind whose names differ only in numbers: they have the same power_figures().
  struct Part {
    std::string name{};  ///< of the first of them
    std::string kind{};
    std::vector<double> seconds{};  ///< in each state but "off", sum over the parts
    std::vector<double> counts{};   ///< of each operation
  };
  double seconds = 0;  ///< duration of the report
  double bytes = 0;    ///< that the host read and wrote in that time
  std::vector<Part> parts{};
};

EnergyWork energy_work(const EnergyReport& books, double bytes);
/// To JSON, for the pipe of a child process, and back to the same doubles.
nlohmann::ordered_json work_json(const EnergyWork& work);
EnergyWork work_from(const nlohmann::ordered_json& json);

/// The figures of `energy` in result.json.
struct EnergyFigures {
  double total_j = 0;
  double background_j = 0;
  double average_w = 0;
  double j_per_gb = 0;
  std::map<std::string, double> operations{};  ///< J, by row
  std::map<std::string, double> kinds{};       ///< J, by kind of component
};

/// The energy of a run with the power figures of `config`: equal to recomputed_energy() of all components, up to
/// rounding. Throws std::invalid_argument as that does.
EnergyFigures energy_of(const EnergyWork& work, const DeviceConfig& config);

}  // namespace flashloom
