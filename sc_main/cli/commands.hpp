// The commands of flashloom that simulate nothing (run/ and torture/ have the others). Each returns the exit code of
// the program; bad input is thrown as ConfigError, WorkloadError, StateError, UnknownPart or UsageError, which cli_main
// turns into a message and exit code 2.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// The arguments of `flashloom list`: registered families of parts, and presets, formats, generators, ...
std::vector<std::string> list_families();
int list_command(const ListOptions& options, std::ostream& out);
int version_command(const VersionOptions& options, std::ostream& out);
/// Prints a shell's script for the completion of command lines.
int completion_command(const CompletionOptions& options, std::ostream& out);
/// Called by such a script: prints the candidates, one per line, as docs/reference/commands.md describes.
int complete_command(const CompleteOptions& options, std::ostream& out);
/// Reads devices from stdin, one JSON array ["DEVICE", "PATH=VALUE", ...] per line, and prints for each an error
/// message as JSON, "" if the device is valid. For the dry runs of studies.
int check_command(const CheckDevicesOptions& options, std::ostream& out);
int config_command(const ConfigOptions& options, std::ostream& out);
int trace_info_command(const TraceInfoOptions& options, std::ostream& out);
int trace_convert_command(const TraceConvertOptions& options, std::ostream& out);
/// Prints the requests of a fio job file, without a simulation.
int workload_command(const WorkloadOptions& options, std::ostream& out);
/// Runs a trace through cache replacement policies, without time.
int cache_command(const CacheOptions& options, std::ostream& out);
/// Counts the correlated data of a trace in a write buffer, without time.
int cold_command(const ColdOptions& options, std::ostream& out);

/// Replaces this process by the Python command that fits a device to measurements (exec); never returns. Throws
/// UsageError if there is no Python.
int fit_command(const FitOptions& options);

/// The whole program; `arguments`: without the program's name. Returns the exit code: 0 done, 1 the run failed or the
/// disk is full, 2 bad input (message on `err`), 130 interrupted.
int cli_main(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace flashloom
