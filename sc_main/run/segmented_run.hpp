// flashloom run --segments: all of a run in time, in stretches that are simulated beside each other.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/run/split_run.hpp"

namespace flashloom {

class SegmentedRun final : public SplitRun {
 public:
  SegmentedRun(std::uint64_t segments, const LoadedConfig& config, Simulation& simulation)
      : segments_(segments), config_(config), simulation_(simulation) {}

  /// The instant clock comes to the begin of each segment, or rather to the warm-up before it, which the segment before it
  /// simulates, too. Too short: segments would be shorter than two warm-ups.
  bool run(std::vector<HostJob>& jobs, std::uint64_t requests, RunPass::Progress progress) override;
  std::vector<HostStatistics> job_statistics() const override;
  void complete(nlohmann::ordered_json& result) const override;

 private:
  struct Seam;
  std::vector<Seam> seams() const;

  std::uint64_t segments_;
  const LoadedConfig& config_;
  Simulation& simulation_;
  std::uint64_t warm_up_ = 0;
  std::uint64_t length_ = 0;  // of a segment, in requests; the last one may have more
  std::vector<WindowAnswer> answers_;
};

}  // namespace flashloom
