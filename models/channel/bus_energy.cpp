#include "models/channel/bus_energy.hpp"

#include <algorithm>

#include "models/nand/nand_config.hpp"

namespace flashloom {

namespace {

// For `width` lines, each loaded by `pads` die pads.
double energy_per_byte(const NandConfig& config, std::uint32_t width, double pads) {
  const double transfers = 8.0 / width;  // a byte
  const double lines = config.bus_activity * width + config.bus_strobes;
  const double capacitance = config.bus_capacitance + pads * config.bus_die_capacitance;
  return transfers * lines * capacitance * config.io_voltage * (config.bus_swing * config.io_voltage) / 2;
}

}  // namespace

double bus_energy_per_byte(const NandConfig& config) {
  return energy_per_byte(config, config.bus_width, static_cast<double>(config.ways) * config.dies);
}

double link_energy_per_byte(const NandConfig& config) {
  const NetworkConfig& network = config.network;
  if (network.link_energy != 0) return network.link_energy;
  const double bytes_per_second = static_cast<double>(config.data_rate()) / 8;
  if (config.bus_energy_model == "current") return config.io_voltage * config.bus_current / bytes_per_second;
  const double pads =
      network.topology == "vertical" ? static_cast<double>(std::max(config.ways, config.channels)) * config.dies : 2;
  return energy_per_byte(config, network.link_width != 0 ? network.link_width : config.bus_width, pads) +
         config.bus_termination_power / bytes_per_second;
}

double bus_watts(const NandConfig& config) {
  return bus_energy_per_byte(config) * static_cast<double>(config.transfer_rate) * config.bus_width / 8;
}

}  // namespace flashloom
