// Common parts of the modules for other SystemC models: device file, initial state, error reports.
#pragma once

#include <exception>
#include <string>

#include "sc_main/assembly/config/fronts.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/library/ssd.hpp"
#include "sc_main/assembly/report/workload.hpp"

namespace flashloom {

/// Loads a device file with its overrides; it must describe a single SSD that `front` can drive. Throws ConfigError.
LoadedConfig load_ssd(const std::string& device, const SsdOptions& options, Front front);

/// Reports an exception inside a module to the kernel, in the process in which it happened; this ends sc_start().
[[noreturn]] void report_failure(const std::string& module, const std::exception_ptr& failure);

/// The workload named in a result: the platform.
Workload platform_workload();

}  // namespace flashloom
