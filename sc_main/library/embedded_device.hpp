// What the modules for models of others share: their device file, the state that they begin from, how they fail.
#pragma once

#include <exception>
#include <string>

#include "sc_main/config/fronts.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/library/ssd.hpp"
#include "sc_main/run/workload.hpp"

namespace flashloom {

/// The device file with its overrides, of an SSD alone that `front` can drive. Throws ConfigError.
LoadedConfig load_ssd(const std::string& device, const SsdOptions& options, Front front);

/// What went wrong inside a module is a report of the kernel at the process in which it happened, and ends sc_start().
[[noreturn]] void report_failure(const std::string& module, const std::exception_ptr& failure);

/// A result wants to know what the commands came from.
Workload platform_workload();

}  // namespace flashloom
