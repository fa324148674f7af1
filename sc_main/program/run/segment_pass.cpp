#include "sc_main/program/run/segment_pass.hpp"

#include <algorithm>

#include "sc_main/program/sample/job_shares.hpp"

namespace flashloom {

SegmentPlan plan_segments(RunPass& pass, std::uint64_t requests, std::uint64_t segments) {
  return {requests, segments, pass.relaxation(), pass.share_of_time()};
}

// The shares are measured in a shorter window: to measure them in a whole segment, the instant clock would have to wait
// for its end, and no two segments could be simulated in parallel.
void go_to_segment(RunPass& pass, const SegmentPlan& plan, std::size_t segment) {
  pass.carry_out_to_window(plan.begin(segment));
  pass.come_to_rest();
  if (!pass.goes_by_shares()) return;
  const std::uint64_t warm_up = plan.warm_up();
  const std::uint64_t length = warm_up + std::max(warm_up, std::min(kTellsShares, plan.lengths()[segment]));
  const WindowShape shape{.warm_up = warm_up, .length = length, .parts = {length, length, length, length, length}};
  pass.share_as_in(pass.take(pass.fork_window(shape), "the begin of " + segment_name(segment, plan.segments())));
}

void go_to_end(RunPass& pass, const SegmentPlan& plan) {
  pass.carry_out_to_window(plan.requests());
  pass.come_to_rest();
}

WindowShape segment_shape(const SegmentPlan& plan, std::size_t segment, std::uint64_t at) {
  const std::uint64_t late = std::min(at - plan.begin(segment), plan.warm_up(segment));
  const std::uint64_t warm_up = plan.warm_up(segment) - late;
  WindowShape shape{.warm_up = warm_up, .length = plan.lengths()[segment] + warm_up, .parts = plan.parts(segment)};
  for (std::uint64_t& end : shape.parts) end -= std::min(end, late);
  return shape;
}

std::string segment_name(std::size_t segment, std::size_t segments) {
  return "segment " + std::to_string(segment + 1) + " of " + std::to_string(segments);
}

}  // namespace flashloom
