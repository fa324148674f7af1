// A run of which not one process simulates all in time.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/run/run_pass.hpp"
#include "sc_main/run/workload.hpp"

namespace flashloom {

class SplitRun {
 public:
  virtual ~SplitRun() = default;

  /// In place of Simulation::run(): carries out the workload's jobs, of `requests` in all; 0: as many as come in their
  /// runtime. False: the run is too short for it, and nothing was done but reading requests ahead. Throws
  /// SimulationFailure.
  virtual bool run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) = 0;
  /// What each job measured, for Simulation::adopt().
  virtual std::vector<HostStatistics> job_statistics() const = 0;
  /// Puts what was measured into a result of the simulation, and says how it was.
  virtual void complete(nlohmann::ordered_json& result) const = 0;
};

class SegmentFolder;

/// As the command line asks for; null: it does not. `options` and the others outlive it. `folder`: where a run in
/// segments has been simulated to the end; null: nowhere yet.
std::unique_ptr<SplitRun> split_run(const SampleOptions& options, const LoadedConfig& config, Simulation& simulation,
                                    const SegmentFolder* folder = nullptr);
/// Before the simulation is made. Throws UsageError, which says why such a run is not possible.
void check_split_run(const SampleOptions& options, const DeviceConfig& config, const Workload& workload);

}  // namespace flashloom
