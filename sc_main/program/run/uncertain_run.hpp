// Additional runs with other values of keys that affect timing, for the error bars of energy.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/uncertainty/energy_bands.hpp"

namespace flashloom {

/// The plan of --uncertainty; null without that option. Throws UsageError if no key has a range.
std::unique_ptr<UncertaintyPlan> uncertainty_plan(const RunOptions& options, const DeviceConfig& config);

/// Does the plan's additional runs, each in a child process (in_children()); to be called before this process makes a
/// simulation. The outcome of an invalid or failed run has its message. Throws SimulationFailure if a signal ends one.
std::vector<RerunOutcome> run_again(const RunOptions& options, const LoadedConfig& config, const UncertaintyPlan& plan);

/// Adds `energy.uncertainty` to the result; returns uncertainty.csv. If the run was interrupted, the `plan` holds all
/// values fixed that need runs of their own, since those complete runs are not comparable with a partial one.
std::string add_uncertainty(nlohmann::ordered_json& result, UncertaintyPlan& plan, Simulation& simulation,
                            const std::vector<RerunOutcome>& reruns);

}  // namespace flashloom
