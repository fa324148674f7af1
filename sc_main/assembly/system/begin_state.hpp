// The state of a device before its run.
#pragma once

#include <functional>

#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

/// Brings the device into its state at the begin of a run: loads `state`, or preconditions if it is null.
PreconditionResult begin_state(Simulation& simulation, StateReader* state,
                               const std::function<void(const char* step, double share)>& progress = {});

}  // namespace flashloom
