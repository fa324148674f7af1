// flashloom nbd: a drive that programs of this machine use through the network block device protocol.
#pragma once

#include <ostream>

#include "sc_main/options/nbd_options.hpp"

namespace flashloom {

/// Serves until it is told to end; returns the exit code of the options' command, or 0. Throws SimulationFailure if
/// nbdkit ended before.
int nbd_command(const NbdOptions& options, std::ostream& out);

}  // namespace flashloom
