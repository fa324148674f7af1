// The commands of flashloom. Each returns the exit code of the program; bad input is thrown as ConfigError,
// WorkloadError, StateError, UnknownPart or UsageError, which cli_main turns into a message and exit code 2.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sc_main/cli/options.hpp"

namespace flashloom {

/// Simulates: sc_main/run/.
int run_command(const RunOptions& options);
/// Preconditions a device and writes its state: sc_main/run/.
int precondition_command(const PreconditionOptions& options, std::ostream& out);
/// Writes until the device is worn out: sc_main/run/.
int endurance_command(const EnduranceOptions& options, std::ostream& out);
/// Cuts the power of a device over and over, and verifies: sc_main/torture/.
int torture_command(const TortureOptions& options, std::ostream& out);
int list_command(const ListOptions& options, std::ostream& out);
int config_command(const ConfigOptions& options, std::ostream& out);
int trace_info_command(const TraceInfoOptions& options, std::ostream& out);
int trace_convert_command(const TraceConvertOptions& options, std::ostream& out);
/// Prints the requests of a fio job file, without a simulation.
int workload_command(const WorkloadOptions& options, std::ostream& out);
/// Runs a trace through cache replacement policies, without time.
int cache_command(const CacheOptions& options, std::ostream& out);
/// Counts the correlated data of a trace in a write buffer, without time.
int cold_command(const ColdOptions& options, std::ostream& out);

/// The whole program: 0 done, 1 the run failed or the disk is full, 2 bad input (message on `err`). `arguments` without
/// the program's name.
int cli_main(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace flashloom
