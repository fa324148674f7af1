// Checks of single parts of a device file, for validate_device().
#pragma once

#include "models/cpu/cpu_config.hpp"
#include "models/memory/memory_config.hpp"
#include "sc_main/config/reader.hpp"

namespace flashloom {

/// Throw ConfigError for what no controller, and no DRAM, can be.
void validate_cpu(const CpuConfig& cpu, const ConfigOrigins& origins);
void validate_dram(const DramConfig& dram, const ConfigOrigins& origins);

}  // namespace flashloom
