// flashloom nbd: serves a drive to other programs by the network block device protocol.
#pragma once

#include <ostream>

#include "sc_main/options/nbd_options.hpp"

namespace flashloom {

/// Serves until a signal, or until the options' command ends; returns the exit code of the command, or 0. Throws
/// SimulationFailure if nbdkit ends before.
int nbd_command(const NbdOptions& options, std::ostream& out);

}  // namespace flashloom
