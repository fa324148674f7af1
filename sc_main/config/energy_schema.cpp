// Keys about the computation of energy.
#include "sc_main/config/table_builder.hpp"

namespace flashloom {

void describe_nand_energy(std::vector<ConfigKey>& keys) {
  TableBuilder(keys, "nand")
      .choice("energy_model", FLASHLOOM_MEMBER(nand.energy_model), {"current", "bits"},
              "energy of array operations: voltage x current x time, or an energy for each byte read, programmed and "
              "erased beside the idle power")
      .key("idle_power", FLASHLOOM_MEMBER(nand.idle_power), Quantity::Power, {0, 100},
           "each die whenever its array is idle, with energy_model bits always; 0 W: array_voltage x standby_current")
      .key("plane_current_share", FLASHLOOM_MEMBER(nand.plane_current_share), Quantity::Ratio, {0, 1},
           "energy_model current: share of the current that each further plane of an operation adds")
      .draws_only(true)
      .key("read_energy", FLASHLOOM_MEMBER(nand.read_energy), Quantity::EnergyPerByte, {0, 1},
           "energy_model bits: each byte of the pages that are sensed; one value a page type, lower page first, or one "
           "for all")
      .key("program_energy", FLASHLOOM_MEMBER(nand.program_energy), Quantity::EnergyPerByte, {0, 1},
           "energy_model bits: each byte of the pages programmed; one value a page type, or one for all")
      .key("erase_energy", FLASHLOOM_MEMBER(nand.erase_energy), Quantity::EnergyPerByte, {0, 1},
           "energy_model bits: each byte that the erased block holds")
      .key("slc_read_energy", FLASHLOOM_MEMBER(nand.slc_read_energy), Quantity::EnergyPerByte, {0, 1},
           "read_energy of blocks in pseudo-SLC mode; 0 J/B: that of the lower page")
      .key("slc_program_energy", FLASHLOOM_MEMBER(nand.slc_program_energy), Quantity::EnergyPerByte, {0, 1},
           "program_energy of blocks in pseudo-SLC mode; 0 J/B: that of the lower page")
      .choice(
          "bus_energy_model", FLASHLOOM_MEMBER(nand.bus_energy_model), {"current", "capacitance"},
          "energy of a channel's wires: io_voltage x bus_current while they are in use, or the charge that each byte "
          "moves, which grows with the dies of the channel")
      .key("bus_activity", FLASHLOOM_MEMBER(nand.bus_activity), Quantity::Ratio, {0, 1},
           "share of the data lines that change with a transfer; random data: 50 %")
      .draws_only(true)
      .count("bus_strobes", FLASHLOOM_MEMBER(nand.bus_strobes), 0, 16,
             "lines that change with every transfer: DQS and its complement; with RE of data-out 4")
      .draws_only(true)
      .key("bus_capacitance", FLASHLOOM_MEMBER(nand.bus_capacitance), Quantity::Capacitance, {0, 1e-9},
           "a line, without dies: pad of the controller and trace")
      .key("bus_die_capacitance", FLASHLOOM_MEMBER(nand.bus_die_capacitance), Quantity::Capacitance, {0, 1e-10},
           "that each die of the channel adds to a line")
      .key("bus_swing", FLASHLOOM_MEMBER(nand.bus_swing), Quantity::Ratio, {0.05, 1},
           "of io_voltage, that a line goes up and down: 1 from rail to rail, 0.5 terminated to half of it")
      .draws_only(true)
      .key("bus_termination_power", FLASHLOOM_MEMBER(nand.bus_termination_power), Quantity::Power, {0, 10},
           "of a channel's terminations while data move");
}

}  // namespace flashloom
