// flashloom linux: a Linux machine with modelled drives, in simulated time.
#pragma once

#include <ostream>

#include "sc_main/options/linux_options.hpp"

namespace flashloom {

/// Boots the machine; returns the exit code of the guest's script, as a shell's $?.
int linux_command(const LinuxOptions& options, std::ostream& out);

}  // namespace flashloom
