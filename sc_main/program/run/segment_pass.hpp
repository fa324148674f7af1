// Advances a pass from segment to segment of a run; used both to fork the segments and to save their initial states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sc_main/program/run/run_pass.hpp"
#include "sc_main/program/sample/segment_plan.hpp"

namespace flashloom {

/// The plan for a device and a workload; carries out no request.
SegmentPlan plan_segments(RunPass& pass, std::uint64_t requests, std::uint64_t segments);
/// Carries out the requests before a segment's warm-up. With several jobs, a child then simulates the next requests to
/// measure the jobs' shares.
void go_to_segment(RunPass& pass, const SegmentPlan& plan, std::size_t segment);
/// Carries out the rest of the run after the last segment's begin.
void go_to_end(RunPass& pass, const SegmentPlan& plan);

/// The window of a segment, for simulate_window(). `at`: requests carried out, which may be a few more than planned.
WindowShape segment_shape(const SegmentPlan& plan, std::size_t segment, std::uint64_t at);
/// "segment 3 of 8", counted from 1.
std::string segment_name(std::size_t segment, std::size_t segments);

}  // namespace flashloom
