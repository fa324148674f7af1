// The pass's way from segment to segment of a run: of a process that forks them, and of one that saves where
// they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sc_main/run/run_pass.hpp"
#include "sc_main/sample/segment_plan.hpp"

namespace flashloom {

/// As device and workload ask for; nothing is carried out for it.
SegmentPlan plan_segments(RunPass& pass, std::uint64_t requests, std::uint64_t segments);
/// Carries out what comes before a segment's warm-up. Where several jobs run, the shares that they then have of the
/// requests are found by the next requests, which a child simulates.
void go_to_segment(RunPass& pass, const SegmentPlan& plan, std::size_t segment);
/// What comes behind the last segment's begin.
void go_to_end(RunPass& pass, const SegmentPlan& plan);

/// For simulate_window(): of a segment to which the pass has come, at so many requests, where that is a few too many.
WindowShape segment_shape(const SegmentPlan& plan, std::size_t segment, std::uint64_t at);
/// "segment 3 of 8", counted from 1.
std::string segment_name(std::size_t segment, std::size_t segments);

}  // namespace flashloom
