// Parses and checks the command line of flashloom.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sc_main/options/cache_options.hpp"
#include "sc_main/options/cold_options.hpp"
#include "sc_main/options/compare_options.hpp"
#include "sc_main/options/fit_options.hpp"
#include "sc_main/options/help_options.hpp"
#include "sc_main/options/linux_options.hpp"
#include "sc_main/options/list_options.hpp"
#include "sc_main/options/nbd_options.hpp"
#include "sc_main/options/option_values.hpp"
#include "sc_main/options/precondition_options.hpp"
#include "sc_main/options/run_options.hpp"
#include "sc_main/options/torture_options.hpp"
#include "sc_main/options/trace_command_options.hpp"
#include "sc_main/options/workload_options.hpp"

namespace flashloom {

using CommandOptions = std::variant<RunOptions, PreconditionOptions, EnduranceOptions, TortureOptions, ListOptions,
                                    ConfigOptions, TraceInfoOptions, TraceConvertOptions, WorkloadOptions, CacheOptions,
                                    ColdOptions, CompareOptions, FitOptions, LinuxOptions, NbdOptions, InformationText,
                                    VersionOptions, CompletionOptions, CompleteOptions, CheckDevicesOptions>;

/// Parses the arguments (without the program's name). Throws UsageError.
CommandOptions parse_command_line(const std::vector<std::string>& arguments);

}  // namespace flashloom
