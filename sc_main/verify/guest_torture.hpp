// flashloom torture --linux: cuts the power of a working Linux at any instant, and checks the drive with a new Linux.
#pragma once

#include <ostream>

#include "sc_main/verify/torture_options.hpp"

namespace flashloom {

/// Cuts the power as often as the options say; returns the exit code of the program. Set by the room `attach`; null in a
/// program without it.
inline int (*guest_torture)(const TortureOptions& options, std::ostream& out) = nullptr;

}  // namespace flashloom
