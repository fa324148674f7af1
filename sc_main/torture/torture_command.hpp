// The command that searches for data lost in power cuts.
#pragma once

#include <ostream>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Cuts the power of a device repeatedly, and verifies its data. Returns the exit code of the program; exceptions as in
/// sc_main/cli/commands.hpp.
int torture_command(const TortureOptions& options, std::ostream& out);

}  // namespace flashloom
