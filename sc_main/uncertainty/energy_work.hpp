// What the parts of a device did in a run, as far as their energy follows from it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/energy/energy_report.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// The books of a run, short: parts that draw alike are one.
struct EnergyWork {
  /// All parts of one kind whose names differ in numbers only: power_figures() is the same for them.
  struct Part {
    std::string name{};  ///< of the first of them
    std::string kind{};
    std::vector<double> seconds{};  ///< in each state but "off", all of them together
    std::vector<double> counts{};   ///< of each operation
  };
  double seconds = 0;  ///< of the books
  double bytes = 0;    ///< that the host read and wrote in them
  std::vector<Part> parts{};
};

EnergyWork energy_work(const EnergyReport& books, double bytes);
/// Through the pipe of a child process, and back: the same doubles.
nlohmann::ordered_json work_json(const EnergyWork& work);
EnergyWork work_from(const nlohmann::ordered_json& json);

/// What comes of it: the figures of `energy` in result.json.
struct EnergyFigures {
  double total_j = 0;
  double background_j = 0;
  double average_w = 0;
  double j_per_gb = 0;
  std::map<std::string, double> operations{};  ///< J, by row
  std::map<std::string, double> kinds{};       ///< J, by kind of component
};

/// With the figures of `config`; as recomputed_energy() says it of all components, to rounding. Throws
/// std::invalid_argument as that does.
EnergyFigures energy_of(const EnergyWork& work, const DeviceConfig& config);

}  // namespace flashloom
