#include "models/channel/bus_energy.hpp"

namespace flashloom {

double bus_energy_per_byte(const NandConfig& config) {
  const double transfers = 8.0 / config.bus_width;  // of a byte
  const double lines = config.bus_activity * config.bus_width + config.bus_strobes;
  const double capacitance =
      config.bus_capacitance + static_cast<double>(config.ways) * config.dies * config.bus_die_capacitance;
  return transfers * lines * capacitance * config.io_voltage * (config.bus_swing * config.io_voltage) / 2;
}

double bus_watts(const NandConfig& config) {
  return bus_energy_per_byte(config) * static_cast<double>(config.transfer_rate) * config.bus_width / 8;
}

}  // namespace flashloom
