// The steps of a run in segments that are exchanged through a folder: each step may be a process on any computer.
#pragma once

#include <memory>

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/state/state_file.hpp"
#include "sc_main/program/run/segment_folder.hpp"

namespace flashloom {

class Progress;

/// The folder of --segments-folder; null without that option. Throws UsageError if a saved state does not hold
/// everything with which a segment begins.
std::unique_ptr<SegmentFolder> segment_folder(const RunOptions& options, const LoadedConfig& config,
                                              const Workload& workload);

/// Does the step of --segments-only; without that option does all missing steps in child processes. True: all pieces
/// are there, and the run can be merged. `requests`: of the run. Throws SimulationFailure with the error of each
/// segment that failed; UsageError if a piece that another step makes is missing, or the run is too short.
bool simulate_segments(SegmentFolder& folder, const RunOptions& options, const LoadedConfig& config,
                       const DeviceSpace& space, std::uint64_t requests, Progress& progress);

}  // namespace flashloom
