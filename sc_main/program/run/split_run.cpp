#include "sc_main/program/run/split_run.hpp"

#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/sampled_run.hpp"
#include "sc_main/program/run/segmented_run.hpp"

namespace flashloom {

std::unique_ptr<SplitRun> split_run(const SampleOptions& options, const LoadedConfig& config, Simulation& simulation,
                                    const SegmentFolder* folder) {
  if (options.on) return std::make_unique<SampledRun>(options, config, simulation);
  if (options.segments != 0) return std::make_unique<SegmentedRun>(options.segments, config, simulation, folder);
  return nullptr;
}

void check_split_run(const SampleOptions& options, const DeviceConfig& config, const Workload& workload) {
  if (options.on) check_carried_out("--sample", config, workload.jobs, true);
  if (options.segments == 0) return;
  check_carried_out("--segments", config, workload.jobs, false);
  if (workload.jobs.front().runtime != 0)
    throw UsageError("--segments: job " + workload.jobs.front().name +
                     " ends by time, so that it is not known how many requests come; give size= in place of runtime=");
}

}  // namespace flashloom
