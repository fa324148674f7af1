// The power of each component of a whole system, from the configuration alone.
#pragma once

#include "models/energy/energy_report.hpp"
#include "sc_main/assembly/config/device_config.hpp"

namespace flashloom {

/// Power figures of `component`, which is in the energy report of a simulation of `config` or of a configuration with
/// other power figures only. Components of one kind whose names differ only in numbers have the same figures
/// (energy_work()). Throws std::invalid_argument for an unknown kind of component.
PowerFigures power_figures(const DeviceConfig& config, const ComponentEnergy& component);

}  // namespace flashloom
