// What a memory draws while nobody uses it.
#pragma once

#include "models/memory/memory_config.hpp"

namespace flashloom {

/// Watts: background and refresh, the mean of it.
inline double standby_power(const MemoryConfig& config) {
  if (config.refresh_interval == 0) return config.background_power;
  return config.background_power + config.refresh_energy / (static_cast<double>(config.refresh_interval) * 1e-12);
}

}  // namespace flashloom
