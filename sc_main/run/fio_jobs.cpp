#include "sc_main/run/fio_jobs.hpp"

#include <algorithm>
#include <map>

#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"

namespace flashloom {
namespace {

JobRules rules_of(const FioSource& source) {
  const FioJob& job = source.job();
  JobRules rules;
  rules.stonewall = job.stonewall && source.instance().first_of_job;
  rules.wait_for = job.wait_for;
  rules.group = source.instance().group;
  if (job.exitall)
    rules.ends = job.exit_what == FioExitWhat::Group       ? JobRules::Ends::Group
                 : job.exit_what == FioExitWhat::Stonewall ? JobRules::Ends::Running
                                                           : JobRules::Ends::All;
  return rules;
}

void note(Workload& workload, const std::string& option, const std::string& value, const std::string& meaning) {
  const auto same = [&](const Workload::InertOption& other) {
    return other.option == option && other.value == value && other.meaning == meaning;
  };
  if (std::none_of(workload.inert_options.begin(), workload.inert_options.end(), same))
    workload.inert_options.push_back({option, value, meaning});
}

void note_inert(Workload& workload, const FioJob& job) {
  for (const auto& [option, value] : job.inert) note(workload, option, value, find_fio_option(option)->help);
  if (job.given("ioengine"))
    note(workload, "ioengine", job.ioengine,
         job.synchronous ? "the host driver stands for it: one request in flight, as the engine is synchronous"
                         : "the host driver stands for it: iodepth requests in flight");
  if (job.synchronous && job.iodepth > 1)
    note(workload, "iodepth", std::to_string(job.iodepth),
         job.ioengine + " is synchronous" + (job.given("ioengine") ? "" : " (fio's default engine)") +
             ": one request in flight");
}

/// The name that results of a group have: its first job's, told apart where several groups begin with the same.
std::string group_name(const std::string& first, std::uint32_t group, std::map<std::uint32_t, std::string>& names) {
  const auto found = names.find(group);
  if (found != names.end()) return found->second;
  const bool taken =
      std::any_of(names.begin(), names.end(), [&first](const auto& other) { return other.second == first; });
  return names[group] = taken ? first + " (group " + std::to_string(group) + ")" : first;
}

}  // namespace

void add_fio_jobs(Workload& workload, const std::string& path, const DeviceConfig& config, const DeviceSpace& space) {
  std::map<std::uint32_t, std::string> groups;
  for (auto& source : open_fio_jobs(read_fio_jobs(path), space, config.seed)) {
    const FioJob& given = source->job();
    const FioInstance& instance = source->instance();
    if (instance.first_of_job) note_inert(workload, given);
    HostJob job;
    job.name = given.name;
    if (given.group_reporting) job.group = group_name(given.name, instance.group, groups);
    job.iodepth = given.depth();
    job.queue = instance.number % config.host.queues;
    job.stream = static_cast<std::uint8_t>(instance.number);
    job.name_space = namespace_of(given, space);
    job.start_delay = source->start_delay_ps();
    job.ramp_time = given.ramp_ps;
    job.runtime = given.runtime_ps == 0 ? 0 : given.ramp_ps + given.runtime_ps;
    job.rules = rules_of(*source);
    job.flow_weight = given.flow;
    job.flow = given.flow_id;
    job.flow_sleep = given.flow_sleep_ps;
    if (source->paced()) job.pacing = source.get();
    job.source = std::move(source);
    workload.jobs.push_back(std::move(job));
  }
}

}  // namespace flashloom
