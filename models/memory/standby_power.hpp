// Power of a memory that is not in use.
#pragma once

#include "models/energy/power_figures.hpp"
#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Watts: background plus mean refresh power.
inline double standby_power(const MemoryConfig& config) {
  if (config.refresh_interval == 0) return config.background_power;
  return config.background_power + config.refresh_energy / (static_cast<double>(config.refresh_interval) * 1e-12);
}

/// The states: standby, and for a memory that sleeps (MemoryConfig::sleeps()) power_down and self_refresh.
inline std::vector<PowerState> standby_states(const MemoryConfig& config) {
  std::vector<PowerState> states = {{"standby", standby_power(config), kBackground}};
  if (!config.sleeps()) return states;
  const double refresh = standby_power(config) - config.background_power;
  states.push_back({"power_down", config.power_down_power + refresh, kBackground, true});
  states.push_back({"self_refresh", config.self_refresh_power, kBackground, true});
  return states;
}

}  // namespace flashloom
