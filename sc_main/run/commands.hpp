// The commands of flashloom that simulate. Each returns the exit code of the program; exceptions as in
// sc_main/cli/commands.hpp.
#pragma once

#include <ostream>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Simulates a workload on a device.
int run_command(const RunOptions& options, std::ostream& out);
/// Preconditions a device and writes its state.
int precondition_command(const PreconditionOptions& options, std::ostream& out);
/// Writes until the device is worn out.
int endurance_command(const EnduranceOptions& options, std::ostream& out);

}  // namespace flashloom
