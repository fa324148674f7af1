#include "sc_main/program/run/uncertain_run.hpp"

#include <memory>
#include <thread>

#include "sc_main/assembly/config/validate.hpp"
#include "sc_main/assembly/config/verbose.hpp"
#include "sc_main/assembly/report/report.hpp"
#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/child_process.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "sc_main/program/run/part_jobs.hpp"
#include "workloads/byte_stream.hpp"

namespace flashloom {
namespace {

using Json = nlohmann::ordered_json;

EnergyWork work_of(Simulation& simulation, const EnergyReport& books) {
  return energy_work(books, count(simulation.totals_in_window().moved()));
}

Json run_once_more(const RunOptions& options, const DeviceConfig& config, const ConfigOrigins& origins) {
  validate_device(config, origins);
  const PartJobs* const own_jobs = part_jobs(config);
  const DeviceSpace space = own_jobs != nullptr ? own_jobs->space(config) : device_space(config);
  // Opened again: files opened before the fork would share their positions.
  Workload workload = open_workload(options, config, space);
  const auto state = options.state.empty() ? nullptr : std::make_unique<StateReader>(options.state);
  Simulation simulation(config, {.bytes = options.data, .bytes_memory = options.data_memory, .keep_versions = false});
  begin_state(simulation, state.get());
  if (own_jobs != nullptr) {
    own_jobs->hand_over(*simulation.part(), std::move(workload.jobs), options, config, space);
    simulation.run_part();
  } else {
    simulation.run(std::move(workload.jobs));
  }
  if (simulation.oracle() != nullptr && simulation.oracle()->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + simulation.oracle()->first_mismatch());
  return work_json(work_of(simulation, simulation.close_books()));
}

}  // namespace

std::unique_ptr<UncertaintyPlan> uncertainty_plan(const RunOptions& options, const DeviceConfig& config) {
  if (options.uncertainty.samples == 0) return nullptr;
  if (config.array.present())
    throw UsageError("--uncertainty: is of one drive, not of an array; set array.level=\"none\"");
  if (config.ranges.empty())
    throw UsageError("--uncertainty: no key of " + options.device +
                     " has a range; a device file has them in [TABLE.uncertainty], a command line in "
                     "--set nand.uncertainty.program_current=\"17 mA to 35 mA\"");
  return std::make_unique<UncertaintyPlan>(config, options.uncertainty);
}

std::vector<RerunOutcome> run_again(const RunOptions& options, const LoadedConfig& config,
                                    const UncertaintyPlan& plan) {
  std::vector<RerunOutcome> outcomes;
  if (plan.reruns() == 0) return outcomes;
  tell("--uncertainty: " + std::to_string(plan.reruns()) + " runs with other values of keys that act on time");
  const auto body = [&](std::size_t rerun) -> Json {
    try {
      return run_once_more(options, plan.config_of_rerun(rerun), config.origins);
    } catch (const std::exception& error) {
      return {{"failure", error.what()}};
    }
  };
  keep_inputs_whole();
  try {
    for (const Json& answer : in_children(plan.reruns(), std::thread::hardware_concurrency(), body)) {
      if (answer.contains("failure"))
        outcomes.push_back({.failure = answer["failure"].get<std::string>()});
      else
        outcomes.push_back({.work = work_from(answer)});
    }
  } catch (const std::runtime_error& error) {
    throw SimulationFailure(std::string("--uncertainty: a run with other values: ") + error.what());
  }
  return outcomes;
}

std::string add_uncertainty(Json& result, UncertaintyPlan& plan, Simulation& simulation,
                            const std::vector<RerunOutcome>& reruns) {
  if (simulation.stopped()) plan.hold_all();
  auto [json, csv] = energy_bands(plan, work_of(simulation, simulation.books()), reruns);
  result["energy"]["uncertainty"] = std::move(json);
  return csv;
}

}  // namespace flashloom
