// A run that no single process simulates completely on the timed clock.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/program/run/run_pass.hpp"

namespace flashloom {

class SplitRun {
 public:
  virtual ~SplitRun() = default;

  /// Carries out the workload's jobs, in place of Simulation::run(). `requests`: of all jobs; 0: limited by their
  /// runtime. False: the run is not suited (too short, for example), and nothing was done but reading requests ahead.
  /// Throws SimulationFailure.
  virtual bool run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) = 0;
  /// The measured statistics of each job, for Simulation::adopt().
  virtual std::vector<HostStatistics> job_statistics() const = 0;
  /// Puts the measurements into a result of the simulation, with a description of how they were made.
  virtual void complete(nlohmann::ordered_json& result) const = 0;
};

class SegmentFolder;

/// Makes the run that the command line asks for; null: an ordinary run. The arguments outlive it. `folder`: has all
/// segments of the run; null: none has been simulated.
std::unique_ptr<SplitRun> split_run(const SampleOptions& options, const LoadedConfig& config, Simulation& simulation,
                                    const SegmentFolder* folder = nullptr);
/// To be called before the simulation is made. Throws UsageError with the reason if such a run is not possible.
void check_split_run(const SampleOptions& options, const DeviceConfig& config, const Workload& workload);

}  // namespace flashloom
