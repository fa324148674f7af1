#include "sc_main/program/run/open_workload.hpp"

#include <algorithm>
#include <filesystem>

#include "controllers/ftl/features/fdp/handles/reclaim_handles.hpp"
#include "controllers/host/placing_source.hpp"
#include "policies/registry.hpp"
#include "policies/streams/streams.hpp"
#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/device_geometry.hpp"
#include "sc_main/assembly/config/verbose.hpp"
#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/fio_jobs.hpp"
#include "sc_main/program/run/trace_jobs.hpp"
#include "sc_main/program/run/workload_file.hpp"
#include "workloads/first_requests.hpp"
#include "workloads/interruption.hpp"
#include "workloads/reads_of_zones.hpp"

namespace flashloom {
namespace {

void add_inputs(Workload& workload, const std::vector<std::string>& paths) {
  ContentHash all;
  for (const std::string& path : paths) {
    workload.inputs.push_back(
        {.file = std::filesystem::path(path).filename().string(), .hash = content_hash_of_file(path)});
    all.add(workload.inputs.back().hash);
  }
  workload.hash = paths.size() == 1 ? workload.inputs.front().hash : all.text();
}

/// The jobs of --workload or --generate.
std::vector<WorkloadJob> described_jobs(const RunOptions& options) {
  if (!options.workload.empty()) return read_workload_file(options.workload);
  std::vector<WorkloadJob> jobs;
  if (!options.generate.empty()) jobs.push_back(read_generator_shorthand(options.generate));
  return jobs;
}

void add_described(Workload& workload, const RunOptions& options, const DeviceConfig& config,
                   const DeviceSpace& space) {
  const std::vector<WorkloadJob> jobs = described_jobs(options);
  std::vector<std::string> paths;
  if (!options.workload.empty()) paths.push_back(options.workload);
  for (const WorkloadJob& job : jobs) {
    const bool is_file = job.source != WorkloadJob::Source::Generator;
    if (is_file) paths.push_back(job.path);
    workload.sources.push_back({job.name,
                                job.source == WorkloadJob::Source::Fio     ? "job"
                                : job.source == WorkloadJob::Source::Trace ? "trace"
                                                                           : "generator",
                                is_file ? std::filesystem::path(job.path).filename().string() : job.generator->name});
  }
  if (!paths.empty()) add_inputs(workload, paths);
  open_workload_jobs(workload, jobs, config, space);
}

/// Wraps a source in the placement policy of host.placement, if that is active.
std::unique_ptr<RequestSource> placed(std::unique_ptr<RequestSource> source, const DeviceConfig& config) {
  HostPlacer placer{.policy = nullptr, .directive = RequestDirective::DataPlacement, .identifiers = {}};
  placer.identifiers = placement_identifiers(config.ftl.fdp);
  if (placer.identifiers.empty()) {
    placer.directive = RequestDirective::Streams;
    const std::uint32_t streams = Family<StreamPolicy>::make(config.ftl.streams, {})->count();
    for (std::uint32_t stream = 1; stream <= streams; ++stream)
      placer.identifiers.push_back(static_cast<std::uint16_t>(stream));
  }
  placer.policy = Family<HostPlacementPolicy>::make(
      config.host.placement, {.identifiers = static_cast<std::uint32_t>(placer.identifiers.size()),
                              .capacity = host_capacity_bytes(config),
                              .page_bytes = config.ftl.mapping_unit});
  if (!placer.policy->active()) return source;
  return std::make_unique<PlacingSource>(std::move(source), std::move(placer));
}

/// For --verbose: tells how the command line was understood.
void tell_workload(const Workload& workload) {
  tell("workload: " + workload.kind + " " + workload.file +
       (workload.expected_requests == 0 ? std::string()
                                        : ", " + std::to_string(workload.expected_requests) + " requests"));
  for (const WorkloadInput& input : workload.inputs) tell("  reads " + input.file + ", " + input.hash);
  for (const HostJob& job : workload.jobs)
    tell("  job " + job.name + ": iodepth " + std::to_string(job.iodepth) + ", queue " + std::to_string(job.queue));
  for (const Workload::InertOption& option : workload.inert_options)
    tell("  inert " + option.option + (option.value.empty() ? "" : "=") + option.value + ": " + option.meaning);
}

// Bytes written in each zone by Preconditioner, which fills the first zones.
std::vector<std::uint64_t> filled_zones(const DeviceConfig& config, const DeviceSpace& space) {
  if (config.precondition.fill == 0) return {};
  const std::uint64_t filled =
      filled_units(config.precondition, space.capacity / config.ftl.mapping_unit) * config.ftl.mapping_unit;
  std::vector<std::uint64_t> written;
  for (std::uint64_t start = 0; start < space.capacity; start += space.zones.bytes)
    written.push_back(std::min(std::max(filled, start) - start, space.zones.capacity));
  return written;
}

}  // namespace

bool reads_traces(const Workload& workload) {
  return workload.kind == "trace" || std::any_of(workload.sources.begin(), workload.sources.end(),
                                                 [](const Workload::Source& job) { return job.kind == "trace"; });
}

DeviceSpace device_space(const DeviceConfig& config) {
  DeviceSpace space{.capacity = host_capacity_bytes(config),
                    .sector_size = config.host_interface.sector_size,
                    .namespaces = config.host_interface.namespaces};
  if (!space.namespaces.empty()) space.capacity = space.namespaces.front();
  space.placement_identifiers = placement_identifiers(config.ftl.fdp);
  if (const auto zones = zones_of(config)) {
    space.zones.bytes = std::uint64_t{zones->zone_units} * config.ftl.mapping_unit;
    space.zones.capacity = std::uint64_t{zones->capacity_units} * config.ftl.mapping_unit;
    space.zones.max_open = zones->max_open;
    space.zones.max_active = zones->max_active;
    space.zones.written = filled_zones(config, space);
    space.zones.random_area = std::uint64_t{zones->random_units} * config.ftl.mapping_unit;
    space.zones.random_granule = std::uint64_t{zones->random_granule} * config.ftl.mapping_unit;
  }
  return space;
}

void raise_queues(const RunOptions& options, DeviceConfig& config) {
  if (config.host_interface.kind.name == "sata") return;  // SATA has one queue
  const auto jobs = described_jobs(options);
  if (!jobs.empty()) config.host.queues = std::max(config.host.queues, queues_needed(jobs));
}

std::uint64_t count_requests(Workload workload) {
  std::uint64_t count = 0;
  Request request;
  for (HostJob& job : workload.jobs)
    for (; job.source->next(request); ++count) give_up_if_interrupted();
  return count;
}

Workload open_workload(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space) {
  Workload workload;
  if (!options.workload.empty()) {
    workload.kind = "workload";
    workload.file = std::filesystem::path(options.workload).filename().string();
    add_described(workload, options, config, space);
  } else if (!options.generate.empty()) {
    workload.kind = "generator";
    workload.file = options.generate;
    workload.hash = content_hash(options.generate);
    add_described(workload, options, config, space);
  } else if (!options.job.empty()) {
    workload.kind = "job";
    add_inputs(workload, {options.job});
    workload.file = workload.inputs.front().file;
    add_fio_jobs(workload, options.job, options.sections, config, space, options.data);
  } else {
    workload.kind = "trace";
    std::vector<std::string> paths;
    for (const TraceSpec& trace : options.traces.traces) paths.push_back(trace.path);
    add_inputs(workload, paths);
    workload.file = trace_names(options.traces);
    workload.jobs =
        open_trace_jobs(options.traces, options.address_fit, config, space, !options.untimed, workload.trace_notes);
  }
  for (HostJob& job : workload.jobs)
    job.source =
        first_requests(for_zones(placed(std::move(job.source), config), space.zones.bytes), options.max_requests);
  for (const HostJob& job : workload.jobs) {
    const std::uint64_t expected = job.source->expected_requests();
    if (expected == 0) {
      workload.expected_requests = 0;
      break;
    }
    workload.expected_requests += expected;
  }
  for (const HostJob& job : workload.jobs)
    if (options.untimed && job.runtime != 0 && options.max_requests == 0 && job.source->expected_requests() == 0)
      throw UsageError("--untimed: job " + job.name +
                       " ends by its runtime, and there is no time; give --max-requests");
  tell_workload(workload);
  return workload;
}

}  // namespace flashloom
