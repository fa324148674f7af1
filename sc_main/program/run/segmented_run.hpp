// flashloom run --segments: simulates all of a run on the timed clock, in segments that run in parallel.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "sc_main/program/run/split_run.hpp"
#include "sc_main/program/sample/segment_plan.hpp"

namespace flashloom {

class SegmentedRun final : public SplitRun {
 public:
  /// `folder`: has the answers of all segments, and `simulation` the state at the end; null: run() forks the segments.
  SegmentedRun(std::uint64_t segments, const LoadedConfig& config, Simulation& simulation, const SegmentFolder* folder)
      : segments_(segments), config_(config), simulation_(simulation), folder_(folder) {}

  /// The instant clock advances to the begin of each segment's warm-up, which the previous segment also simulates.
  /// False if a segment would be shorter than two warm-ups.
  bool run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) override;
  std::vector<HostStatistics> job_statistics() const override;
  void complete(nlohmann::ordered_json& result) const override;

 private:
  struct Seam;
  std::vector<Seam> seams() const;

  std::uint64_t segments_;
  const LoadedConfig& config_;
  Simulation& simulation_;
  const SegmentFolder* folder_;
  std::optional<SegmentPlan> plan_;
  std::vector<WindowAnswer> answers_;
};

}  // namespace flashloom
