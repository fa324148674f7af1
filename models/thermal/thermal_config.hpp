// A device file's [thermal] table: heat paths, and the firmware's throttling.
#pragma once

#include <string>
#include <vector>

#include "models/common/types.hpp"

namespace flashloom {

/// Temperatures in degrees Celsius, capacities in J/K, resistances in K/W. The defaults are those of a bare M.2 drive
/// (weak; docs/thermal.md derives them).
struct ThermalConfig {
  std::string model = "none";  ///< "none": no temperatures; "rc": three nodes and the ambient
  double ambient = 25;
  double controller_capacity = 2.0;
  double nand_capacity = 4.0;
  double board_capacity = 10.0;
  double controller_to_board = 5.0;
  double nand_to_board = 3.0;
  double board_to_ambient = 13.0;
  double controller_to_ambient = 0;             ///< separate path, e.g. a heat sink on the package; 0: none
  double nand_to_ambient = 0;                   ///< same
  std::vector<double> start_temperatures;       ///< controller, NAND, board; none: equilibrium with the idle device
  Picoseconds step = 10 * kMillisecond;         ///< minimum interval between temperature updates
  std::string sensor = "hottest";               ///< for the composite temperature: "hottest", "controller" or "nand"
  std::vector<double> throttle = {80.0, 85.0};  ///< composite temperature at which each level begins
  std::vector<double> duty = {0.75, 0.4};  ///< of each level: share of the time in which flash operations may start
  std::vector<double> link = {1.0, 1.0};   ///< of each level: maximum utilisation of the link
  double hysteresis = 4.0;                 ///< K below its threshold at which a level ends
  Picoseconds period = 10 * kMillisecond;  ///< of the duty cycle
  bool on() const { return model != "none"; }
};

/// Throws ConfigProblem for inconsistent levels. No check if the model is off.
void check_config(const ThermalConfig& thermal);

}  // namespace flashloom
