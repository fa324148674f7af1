// flashloom torture --linux: a Linux at work whose power is cut at any instant, and a fresh one that looks what is left.
#pragma once

#include <ostream>

#include "sc_main/options/options.hpp"

namespace flashloom {

/// Cuts as often as the options say; returns the exit code of the program.
int linux_torture_command(const TortureOptions& options, std::ostream& out);

}  // namespace flashloom
