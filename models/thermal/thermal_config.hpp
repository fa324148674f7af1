// A device file's [thermal] table: heat paths, and the firmware's throttling.
#pragma once

#include <string>
#include <vector>

#include "models/common/quantity.hpp"
#include "models/common/types.hpp"

namespace flashloom {

/// Temperatures in degrees Celsius, capacities in J/K, resistances in K/W. The defaults are those of a bare M.2 drive
/// (weak; docs/reference/thermal.md derives them).
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

  /// The keys of [thermal].
  template <class Keys>
  static void describe(Keys& keys) {
    constexpr double kColdest = -55;  // C
    constexpr double kHottest = 200;
    constexpr double kLeastPath = 0.01;
    constexpr double kMostPath = 1e4;
    constexpr double kLeastHeat = 1e-3;
    constexpr double kMostHeat = 1e4;
    keys.timed_only()
        .choice("model", &ThermalConfig::model, {"none", "rc"},
                "temperatures: none, or three nodes (controller, NAND, board) and the ambient as an RC network")
        .key("ambient", &ThermalConfig::ambient, Quantity::Temperature, {kColdest, 150}, "around the drive")
        .key("controller_capacity", &ThermalConfig::controller_capacity, Quantity::HeatCapacity,
             {kLeastHeat, kMostHeat}, "of the controller's package, with DRAM and NVRAM")
        .key("nand_capacity", &ThermalConfig::nand_capacity, Quantity::HeatCapacity, {kLeastHeat, kMostHeat},
             "of all NAND packages")
        .key("board_capacity", &ThermalConfig::board_capacity, Quantity::HeatCapacity, {kLeastHeat, kMostHeat},
             "of the board, and of a heat sink on all of it")
        .key("controller_to_board", &ThermalConfig::controller_to_board, Quantity::ThermalResistance,
             {kLeastPath, kMostPath}, "from the controller to the board")
        .key("nand_to_board", &ThermalConfig::nand_to_board, Quantity::ThermalResistance, {kLeastPath, kMostPath},
             "from the NAND packages together to the board")
        .key("board_to_ambient", &ThermalConfig::board_to_ambient, Quantity::ThermalResistance, {kLeastPath, kMostPath},
             "from the board to the ambient: a heat sink or an air stream makes it small")
        .rare()
        .key("controller_to_ambient", &ThermalConfig::controller_to_ambient, Quantity::ThermalResistance,
             {0, kMostPath}, "from the controller's package straight to the ambient; 0 K/W: no such path")
        .key("nand_to_ambient", &ThermalConfig::nand_to_ambient, Quantity::ThermalResistance, {0, kMostPath},
             "from the NAND packages straight to the ambient; 0 K/W: no such path")
        .key("start_temperatures", &ThermalConfig::start_temperatures, Quantity::Temperature, {kColdest, kHottest},
             "of controller, NAND and board when the timed run begins; []: in equilibrium with the idle device")
        .samples({R"(["90 C", "85 C", "80 C"])", R"(["81 C", "40 C", "30 C"])"})
        .time("step", &ThermalConfig::step, 1e6, "temperatures are looked at so often at most", 1e12)
        .choice(
            "sensor", &ThermalConfig::sensor, {"hottest", "controller", "nand"},
            "what the composite temperature is of, by which the drive throttles: the hotter of controller and NAND, "
            "or one of them")
        .common()
        .key("throttle", &ThermalConfig::throttle, Quantity::Temperature, {kColdest, kHottest},
             "composite temperatures from which on the throttling levels hold, rising; []: the drive never throttles")
        .samples({R"(["80 C", "85 C"])", R"(["30 C", "85 C"])"})
        .key("duty", &ThermalConfig::duty, Quantity::Ratio, {0.01, 1},
             "of each level: share of the time in which flash commands may begin")
        .samples({"[0.75, 0.4]", "[0.2, 0.1]"})
        .key("link", &ThermalConfig::link, Quantity::Ratio, {0.01, 1},
             "of each level: share of the time that each direction of the link may be in use")
        .samples({"[1.0, 1.0]", "[0.5, 0.2]"})
        .key("hysteresis", &ThermalConfig::hysteresis, Quantity::TemperatureDifference, {0, 100},
             "a level is left so far below its temperature")
        .rare()
        .time("period", &ThermalConfig::period, 1e9, "of the duty cycle", 1e12);
  }
};

/// Throws ConfigProblem for inconsistent levels. No check if the model is off.
void check_config(const ThermalConfig& thermal);

}  // namespace flashloom
