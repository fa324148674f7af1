// flashloom torture --linux: cuts the power of a working Linux at any instant, and checks the drive with a new Linux.
#pragma once

#include <ostream>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Cuts the power as often as the options say; returns the exit code of the program.
int linux_torture_command(const TortureOptions& options, std::ostream& out);

}  // namespace flashloom
