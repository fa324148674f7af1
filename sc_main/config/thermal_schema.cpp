// The keys of [thermal].
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_thermal(std::vector<ConfigKey>& keys) {
  constexpr double kColdest = -55;  // C
  constexpr double kHottest = 200;  // C
  constexpr double kLeastPath = 0.01;
  constexpr double kMostPath = 1e4;
  constexpr double kLeastHeat = 1e-3;
  constexpr double kMostHeat = 1e4;
  TableBuilder(keys, "thermal")
      .choice("model", FLASHLOOM_MEMBER(thermal.model), {"none", "rc"},
              "temperatures: none, or three nodes (controller, NAND, board) and the ambient as an RC network")
      .key("ambient", FLASHLOOM_MEMBER(thermal.ambient), Quantity::Temperature, {kColdest, 150}, "around the drive")
      .key("controller_capacity", FLASHLOOM_MEMBER(thermal.controller_capacity), Quantity::HeatCapacity,
           {kLeastHeat, kMostHeat}, "of the controller's package, with DRAM and NVRAM")
      .key("nand_capacity", FLASHLOOM_MEMBER(thermal.nand_capacity), Quantity::HeatCapacity, {kLeastHeat, kMostHeat},
           "of all NAND packages")
      .key("board_capacity", FLASHLOOM_MEMBER(thermal.board_capacity), Quantity::HeatCapacity, {kLeastHeat, kMostHeat},
           "of the board, and of a heat sink on all of it")
      .key("controller_to_board", FLASHLOOM_MEMBER(thermal.controller_to_board), Quantity::ThermalResistance,
           {kLeastPath, kMostPath}, "from the controller to the board")
      .key("nand_to_board", FLASHLOOM_MEMBER(thermal.nand_to_board), Quantity::ThermalResistance,
           {kLeastPath, kMostPath}, "from the NAND packages together to the board")
      .key("board_to_ambient", FLASHLOOM_MEMBER(thermal.board_to_ambient), Quantity::ThermalResistance,
           {kLeastPath, kMostPath}, "from the board to the ambient: a heat sink or an air stream makes it small")
      .key("controller_to_ambient", FLASHLOOM_MEMBER(thermal.controller_to_ambient), Quantity::ThermalResistance,
           {0, kMostPath}, "from the controller's package straight to the ambient; 0 K/W: no such path")
      .key("nand_to_ambient", FLASHLOOM_MEMBER(thermal.nand_to_ambient), Quantity::ThermalResistance, {0, kMostPath},
           "from the NAND packages straight to the ambient; 0 K/W: no such path")
      .key("start_temperatures", FLASHLOOM_MEMBER(thermal.start_temperatures), Quantity::Temperature,
           {kColdest, kHottest},
           "of controller, NAND and board when the timed run begins; []: in equilibrium with the idle device")
      .time("step", FLASHLOOM_MEMBER(thermal.step), 1e6, "temperatures are looked at so often at most", 1e12)
      .choice("sensor", FLASHLOOM_MEMBER(thermal.sensor), {"hottest", "controller", "nand"},
              "what the composite temperature is of, by which the drive throttles: the hotter of controller and NAND, "
              "or one of them")
      .key("throttle", FLASHLOOM_MEMBER(thermal.throttle), Quantity::Temperature, {kColdest, kHottest},
           "composite temperatures from which on the throttling levels hold, rising; []: the drive never throttles")
      .key("duty", FLASHLOOM_MEMBER(thermal.duty), Quantity::Ratio, {0.01, 1},
           "of each level: share of the time in which flash commands may begin")
      .key("link", FLASHLOOM_MEMBER(thermal.link), Quantity::Ratio, {0.01, 1},
           "of each level: share of the time that each direction of the link may be in use")
      .key("hysteresis", FLASHLOOM_MEMBER(thermal.hysteresis), Quantity::TemperatureDifference, {0, 100},
           "a level is left so far below its temperature")
      .time("period", FLASHLOOM_MEMBER(thermal.period), 1e9, "of the duty cycle", 1e12);
}

}  // namespace flashloom
