// Measures the unit of costs: the CPU time of one timed SC_METHOD wake of the SystemC kernel in use.
#pragma once

#include <cstdint>
#include <vector>

namespace flashloom {

/// CPU time of this process so far, in seconds.
double cpu_seconds();

/// Runs 64 methods without model or payload. Each notifies its own event again after a pseudo-random delay, so that
/// nearly every wake is a separate time step. Returns `samples` measurements of the CPU nanoseconds a wake, each over
/// `wakes` wakes. Uses up the one simulation that a process has.
std::vector<double> measure_wakes(std::uint32_t samples, std::uint64_t wakes);

}  // namespace flashloom
