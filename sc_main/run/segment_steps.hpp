// The steps of a run in segments whose hand-over is a folder: each may be a process of its own, on any computer.
#pragma once

#include <memory>

#include "sc_main/run/segment_folder.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/state/state_file.hpp"

namespace flashloom {

class Progress;

/// What --segments-folder names; null: it is not given. `device` as in load_device(). Throws UsageError where a saved
/// state does not hold all that a segment begins with.
std::unique_ptr<SegmentFolder> segment_folder(const RunOptions& options, const LoadedConfig& config,
                                              const Workload& workload);

/// Does what --segments-only asks for; without it, in child processes, all that is not there yet. True: all pieces are
/// there, and the run can be put together. `requests`: of the run. Throws SimulationFailure, which says what each
/// segment that failed did; UsageError where a piece is missing that another step makes, or the run is too short.
bool simulate_segments(SegmentFolder& folder, const RunOptions& options, const LoadedConfig& config,
                       const DeviceSpace& space, std::uint64_t requests, Progress& progress);

}  // namespace flashloom
