// The unit that costs are given in: the CPU time of one timed SC_METHOD wake of the SystemC kernel in use.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// CPU time of this process so far, in seconds.
double cpu_seconds();

/// Runs 64 methods, each with an event of its own on which it notifies itself anew at pseudo-random distances, so that
/// nearly every wake is a time step of its own; no model, no payload. Returns `samples` measurements of the CPU
/// nanoseconds a wake, each over `wakes` wakes. Uses up the one simulation that a process has.
std::vector<double> measure_wakes(std::uint32_t samples, std::uint64_t wakes);

}  // namespace flashloom
