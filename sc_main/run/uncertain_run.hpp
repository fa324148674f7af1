// The runs with other values of keys that act on time, which the error bars of energy take.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "controllers/host/host_driver.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/options/run_options.hpp"
#include "sc_main/system/simulation.hpp"
#include "sc_main/uncertainty/energy_bands.hpp"

namespace flashloom {

/// Of --uncertainty; null without. Throws UsageError if no key has a range.
std::unique_ptr<UncertaintyPlan> uncertainty_plan(const RunOptions& options, const DeviceConfig& config);

/// Runs everything that the plan needs beside the run itself, each in a process of its own (in_children()): before there
/// is a simulation in this one. A run that cannot be, or fails, says so in its outcome. Throws SimulationFailure if one
/// of them ends by a signal.
std::vector<RerunOutcome> run_again(const RunOptions& options, const LoadedConfig& config, const UncertaintyPlan& plan);

/// Adds `energy.uncertainty` to the result; returns uncertainty.csv. `plan` keeps values if the run was interrupted: what
/// other runs did in full does not go with it.
std::string add_uncertainty(nlohmann::ordered_json& result, UncertaintyPlan& plan, Simulation& simulation,
                            const std::vector<RerunOutcome>& reruns);

}  // namespace flashloom
