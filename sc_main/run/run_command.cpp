// flashloom run: device file and workload in, answers out.
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "sc_main/config/load.hpp"
#include "sc_main/run/commands.hpp"
#include "sc_main/run/heap_jobs.hpp"
#include "sc_main/run/io_log.hpp"
#include "sc_main/run/pictures.hpp"
#include "sc_main/run/progress.hpp"
#include "sc_main/run/report.hpp"
#include "sc_main/run/result_folder.hpp"
#include "sc_main/run/tenants.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/state/device_state.hpp"
#include "sc_main/system/simulation.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Linux's own figure of the address space: ru_maxrss counts what the parent had before this program was begun, too.
std::uint64_t peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::uint64_t kib = 0; word == "VmHWM:" && status >> kib) return kib * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// With a state, [precondition] is what the state was made with; says so on `note` where the device file differs.
LoadedConfig load(const RunOptions& options, std::string& note) {
  LoadedConfig config = load_device(options.device, options.overrides, options.seed);
  if (options.state.empty()) return config;
  const StateHeader header = read_state_header(options.state);
  const StateKeys own = precondition_keys(config.device);
  config = load_device(options.device, with_precondition_of(header, options.state, config), options.seed);
  require_fit(header, options.state, config.device);
  note = "  state  " + options.state + ", seed " + std::to_string(header.seed);
  if (const std::string differs = difference(header.precondition, own); !differs.empty())
    note += "; the device file's [precondition] is not used: " + differs;
  note += "\n";
  return config;
}

constexpr const char* kResultFile = "result.json";
constexpr const char* kRunFile = "run.json";

std::vector<std::unique_ptr<IoLog>> open_io_logs(const RunOptions& options, const Workload& workload) {
  std::vector<std::string> jobs;
  for (const HostJob& job : workload.jobs) jobs.push_back(job.name);
  std::vector<std::unique_ptr<IoLog>> logs;
  for (const auto& [name, form] : {std::pair{"binary", IoLog::Form::Binary}, {"csv", IoLog::Form::Csv}})
    if (options.io_log == name || options.io_log == "both")
      logs.push_back(std::make_unique<IoLog>(options.out, form, jobs));
  return logs;
}

}  // namespace

int run_command(const RunOptions& options) {
  std::string state_note;
  LoadedConfig config = load(options, state_note);
  raise_queues(options, config.device);
  if (options.untimed && config.device.power.cut_count() != 0)
    throw UsageError("--untimed: power.cut_at and power.cuts need time; take `flashloom torture`");
  if (options.untimed && config.device.host.cache.size != 0)
    throw UsageError("--untimed: host.cache writes back by time; set host.cache.size=\"0 B\"");
  const bool heap = config.device.heap.present();
  if (heap) refuse_on_heap(options);
  if (options.untimed && config.device.hdd.capacity != 0)
    throw UsageError("--untimed: a tier needs time; set hdd.capacity=\"0 B\" for the SSD alone");
  const DeviceSpace space = heap ? heap_space(config.device) : device_space(config.device);
  Workload workload = open_workload(options, config.device, space);
  RunCost cost;
  double before = cpu_seconds();
  const auto state = options.state.empty() ? nullptr : std::make_unique<StateReader>(options.state);
  cost.precondition_cpu_s = cpu_seconds() - before;  // of its checksums
  std::optional<FileLock> folder;
  if (!options.out.empty())
    folder.emplace(make_result_folder(options.out, {kResultFile, kRunFile, IoLog::file_name(IoLog::Form::Binary),
                                                    IoLog::file_name(IoLog::Form::Csv)}));

  Progress progress(options.quiet);
  const std::vector<Tenant> tenants = tenants_of(workload.jobs);
  std::vector<nlohmann::ordered_json> alone;
  if (options.alone) alone = run_alone(options, config.device, space, tenants);
  Simulation simulation(config.device);
  Pictures pictures(options, simulation);
  before = cpu_seconds();
  const PreconditionResult precondition =
      begin_state(simulation, state.get(), [&](const char* step, double share) { progress.precondition(step, share); });
  cost.precondition_cpu_s += cpu_seconds() - before;

  const auto io_logs = open_io_logs(options, workload);
  for (const auto& log : io_logs) simulation.host().attach(*log);
  progress.begin_run(workload.expected_requests);
  const auto on_progress = [&](std::uint64_t completed) { progress.run(completed); };
  simulation.host().on_progress(on_progress);
  if (heap) simulation.heap()->processes().on_progress(on_progress);
  before = cpu_seconds();
  const auto wall_before = std::chrono::steady_clock::now();
  if (options.untimed)
    simulation.run_untimed(std::move(workload.jobs), on_progress);
  else if (heap)
    simulation.run(heap_jobs(std::move(workload.jobs), options, config.device, space));
  else
    simulation.run(std::move(workload.jobs));
  cost.cpu_s = cpu_seconds() - before;
  cost.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_before).count();
  cost.kernel_deltas = TimeLoop::instance().cycles();
  cost.peak_rss_bytes = peak_rss_bytes();
  progress.end();

  nlohmann::ordered_json result = make_result(config, workload, precondition, simulation);
  const SummaryNotes notes = summary_notes(simulation);  // before an audit reads
  pictures.finish(result);
  if (simulation.oracle() != nullptr) {
    simulation.quiesce();
    const std::uint64_t audited = simulation.audit();
    result["verify"] = verify_result(*simulation.oracle(), audited, simulation.unreadable_sectors());
  }
  if (options.alone) result["tenants"] = compare_tenants(tenants, figures_of(simulation.host(), tenants), alone);
  nlohmann::ordered_json run_cost = make_run_cost(cost, result);
  run_cost["state"] = nullptr;
  if (state != nullptr) run_cost["state"] = fs::path(options.state).filename().string();
  for (const auto& [path, text] : pictures.files()) write_whole(path, text);
  if (!options.out.empty()) {
    const fs::path directory = options.out;
    for (const auto& log : io_logs) log->finish();
    for (const auto& [name, table] : make_tables(simulation, result)) write_whole(directory / name, table);
    write_whole(directory / kRunFile, run_cost.dump(2) + "\n");
    write_whole(directory / kResultFile, result.dump(2) + "\n");
    pictures.draw();
  }
  if (!options.quiet) {
    print_summary(std::cout, result, run_cost, notes);
    std::cout << state_note;
    for (const std::string& note : pictures.notes()) std::cout << "  " << note << '\n';
  }
  if (simulation.oracle() != nullptr && simulation.oracle()->mismatches() != 0)
    throw SimulationFailure("data did not verify: " + simulation.oracle()->first_mismatch());
  return 0;
}

}  // namespace flashloom
