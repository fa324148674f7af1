// flashloom run: device file and workload in, answers out.
#include <iostream>

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/run_options.hpp"
#include "sc_main/program/run/end_state.hpp"
#include "sc_main/program/run/interrupt_watch.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "sc_main/program/run/part_jobs.hpp"
#include "sc_main/program/run/progress.hpp"
#include "sc_main/program/run/run_answers.hpp"
#include "sc_main/program/run/segment_steps.hpp"
#include "sc_main/program/run/split_run.hpp"
#include "sc_main/program/run/tenants.hpp"
#include "sc_main/program/run/uncertain_run.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

int run_command(const RunOptions& options, std::ostream& out) {
  std::string state_note;
  LoadedConfig config = load_device(options.device, options.overrides, options.seed, options.state, state_note);
  raise_queues(options, config.device);
  if (options.untimed && config.device.power.cut_count() != 0)
    throw UsageError("--untimed: power.cut_at and power.cuts need time; take `flashloom torture`");
  if (options.untimed && config.device.host.cache.size != 0)
    throw UsageError("--untimed: host.cache writes back by time; set host.cache.size=\"0 B\"");
  check_end_state(options, config.device);
  const PartJobs* const own_jobs = part_jobs(config.device);
  if (own_jobs != nullptr) own_jobs->refuse(options);
  if (options.untimed && config.device.hdd.capacity != 0)
    throw UsageError("--untimed: a tier needs time; set hdd.capacity=\"0 B\" for the SSD alone");
  if (options.untimed && config.device.array.present())
    throw UsageError("--untimed: an array needs time; set array.level=\"none\" for one drive");
  const DeviceSpace space = own_jobs != nullptr ? own_jobs->space(config.device) : device_space(config.device);
  const auto uncertainty = uncertainty_plan(options, config.device);
  Workload workload = open_workload(options, config.device, space);
  check_split_run(options.sample, config.device, workload);
  std::uint64_t requests = workload.expected_requests;
  const auto segments = segment_folder(options, config, workload);
  if (segments != nullptr && segments->plan()) requests = segments->plan()->requests();
  if (options.sample.splits() && requests == 0 && workload.jobs.front().runtime == 0)
    requests = count_requests(open_workload(options, config.device, space));
  Progress progress(options.quiet);
  if (segments != nullptr) {
    progress.begin_run(requests);
    if (!simulate_segments(*segments, options, config, space, requests, progress)) return 0;
    progress.end();
  }
  RunCost cost;
  double before = CostMeter::cpu_seconds();
  const std::string from = segments != nullptr ? segments->state(options.sample.segments) : options.state;
  const auto state = from.empty() ? nullptr : std::make_unique<StateReader>(from);
  cost.precondition_cpu_s = CostMeter::cpu_seconds() - before;  // checksums of the state file
  RunAnswers answers({.out = options.out,
                      .io_log = options.io_log,
                      .pictures = options.pictures,
                      .json = options.json,
                      .quiet = options.quiet});
  EndState end_state(options, config.device);  // its file may lie in the folder of the answers

  const std::vector<Tenant> tenants = tenants_of(workload.jobs);
  std::vector<nlohmann::ordered_json> alone;
  if (options.alone) alone = run_alone(options, config.device, space, tenants);
  std::vector<RerunOutcome> reruns;
  if (uncertainty) reruns = run_again(options, config, *uncertainty);
  Simulation simulation(config.device, {.bytes = options.data,
                                        .bytes_memory = options.data_memory,
                                        .keep_versions = options.pictures.plots || !options.save_state.empty()});
  answers.record(simulation, job_names(workload.jobs));
  before = CostMeter::cpu_seconds();
  const PreconditionResult precondition =
      begin_state(simulation, state.get(), [&](const char* step, double share) { progress.precondition(step, share); });
  cost.precondition_cpu_s += CostMeter::cpu_seconds() - before;

  progress.begin_run(workload.expected_requests);
  if (!options.sample.splits()) InterruptWatch::finish_in_order();  // a split run has no partial result to report
  const auto on_progress = [&](std::uint64_t completed) {
    progress.run(completed);
    if (interrupted() && !simulation.stopped()) simulation.stop();
  };
  simulation.host().on_progress(on_progress);
  if (own_jobs != nullptr) simulation.part()->on_progress(on_progress);
  CostMeter meter;
  meter.begin();
  const std::unique_ptr<SplitRun> split = split_run(options.sample, config, simulation, segments.get());
  if (split != nullptr && split->run(workload, requests, on_progress)) {
    simulation.adopt(std::move(workload.jobs), split->job_statistics());
  } else if (options.untimed) {
    simulation.run_untimed(std::move(workload.jobs), on_progress);
  } else if (own_jobs != nullptr) {
    own_jobs->hand_over(*simulation.part(), std::move(workload.jobs), options, config.device, space);
    simulation.run_part();
  } else {
    simulation.run(std::move(workload.jobs));
  }
  meter.end(cost);
  progress.end();

  if (const std::string note = note_text(*workload.trace_notes); !note.empty())
    std::cerr << "flashloom: warning: " << workload.file << ": " << note << '\n';
  end_state.take(simulation, precondition);
  answers.take(config, workload, precondition);
  if (split != nullptr) split->complete(answers.result());
  if (uncertainty)
    answers.add_table("uncertainty.csv", add_uncertainty(answers.result(), *uncertainty, simulation, reruns));
  if (options.data) answers.result()["data"] = data_json(workload.bytes);
  answers.audit();
  if (options.alone)
    answers.result()["tenants"] = compare_tenants(tenants, figures_of(simulation.host(), tenants), alone);
  answers.write(cost, options.state);
  answers.print(end_state.to_stdout() ? std::cerr : out, state_note + end_state.note());
  answers.require_verified();
  require_data(workload.bytes);
  end_state.commit();
  answers.require_accepted();
  return simulation.stopped() ? kInterruptedCode : 0;
}

const RegisterCommand registered_run(kRunCommand, run_command);

}  // namespace
}  // namespace flashloom
