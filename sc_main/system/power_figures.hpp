// What each component of a whole system draws, by the configuration alone.
#pragma once

#include "models/energy/energy_report.hpp"
#include "sc_main/config/device_config.hpp"

namespace flashloom {

/// Of `component` in the books of a simulation of `config`, or of a configuration that differs from it only in what
/// parts draw. Components of one kind whose names differ in numbers only draw alike (energy_work()). Throws
/// std::invalid_argument for a kind of component that no simulation has.
PowerFigures power_figures(const DeviceConfig& config, const ComponentEnergy& component);

}  // namespace flashloom
