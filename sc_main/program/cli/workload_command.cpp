// flashloom workload: prints the requests of a fio job file, or the jobs of a workload file, without a simulation.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/day_info.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/program/options/command_entry.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/options/workload_options.hpp"
#include "sc_main/program/run/workload_file.hpp"
#include "workloads/file_sink.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"
#include "workloads/first_requests.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kUnlimited = 1'000'000;  // requests printed of a job that only its runtime ends

const char* action(RequestKind kind) {
  switch (kind) {
    case RequestKind::Read:
      return "read";
    case RequestKind::Write:
      return "write";
    case RequestKind::Trim:
      return "trim";
    default:  // fio's log has no write zeroes, and fio jobs send no zone commands
      break;
  }
  return "sync";
}

/// Writes fio's I/O log, version 2. Concurrent jobs take turns, one request each; a stonewall lets earlier jobs end
/// first.
void write_iolog(std::ostream& out, std::vector<std::unique_ptr<FioSource>>& sources, const WorkloadOptions& options) {
  out << "fio version 2 iolog\ndevice add\ndevice open\n";
  struct Job {
    FioSource* source;
    std::uint64_t left;
  };
  std::vector<Job> running;
  const auto send_all = [&] {
    while (!running.empty()) {
      for (Job& job : running) {
        Request request;
        if (job.left == 0 || !job.source->next(request)) {
          job.source = nullptr;
          continue;
        }
        --job.left;
        if (request.range_count == 0)
          out << fmt::format("device {} {} {}\n", action(request.kind), request.offset, request.length);
        for (std::uint32_t i = 0; i < request.range_count; ++i)
          out << fmt::format("device trim {} {}\n", request.ranges[i].offset, request.ranges[i].length);
      }
      std::erase_if(running, [](const Job& job) { return job.source == nullptr; });
    }
  };
  for (const auto& source : sources) {
    if (!options.name.empty() && source->job().name != options.name) continue;
    if (source->job().stonewall && source->instance().first_of_job) send_all();
    const std::uint64_t most = source->job().time_based ? kUnlimited : ~std::uint64_t{0};
    running.push_back({source.get(), options.max_requests != 0 ? options.max_requests : most});
  }
  send_all();
  out << "device close\n";
}

void describe_workload(const WorkloadOptions& options, const DeviceSpace& space, std::ostream& out) {
  const std::vector<WorkloadJob> jobs = read_workload_file(options.job);
  DeviceConfig config;
  config.seed = options.seed;
  config.host.queues = queues_needed(jobs);
  Workload workload;
  open_workload_jobs(workload, jobs, config, space);
  DayAnalysis analysis;
  for (HostJob& job : workload.jobs) {
    job.source = first_requests(std::move(job.source), options.max_requests);
    analysis.add(job.name, *job.source, job.offset);
    job.source.reset();
  }
  const std::string name = std::filesystem::path(options.job).filename().string();
  if (options.json)
    out << json_text(to_json(analysis, name), 2) << '\n';
  else
    out << to_text(analysis, name);
}

int workload_command(const WorkloadOptions& options, std::ostream& out) {
  const DeviceSpace space{.capacity = options.device_size, .sector_size = options.sector_size};
  if (options.job.ends_with(".toml")) {
    describe_workload(options, space, out);
    return 0;
  }
  const std::vector<FioJob> jobs = read_fio_jobs(options.job, options.sections);
  auto sources = open_fio_jobs(jobs, space, options.seed);
  if (!options.name.empty() &&
      std::none_of(jobs.begin(), jobs.end(), [&](const FioJob& job) { return job.name == options.name; }))
    throw UsageError("--name: " + options.job + " has no job \"" + options.name + "\"");
  if (options.out.empty()) {
    write_iolog(out, sources, options);
    return 0;
  }
  if (same_file(options.job, options.out)) throw UsageError("--out: " + options.out + " is the job file itself");
  FileSink file(options.out);
  write_iolog(file.out(), sources, options);
  file.commit();
  return 0;
}

const RegisterCommand registered_workload(kWorkloadCommand, workload_command);

}  // namespace
}  // namespace flashloom
