#include "sc_main/program/run/fio_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "workloads/fio/fio_files.hpp"
#include "workloads/fio/fio_options.hpp"
#include "workloads/fio/fio_source.hpp"
#include "workloads/fio/job_file.hpp"
#include "workloads/workload_error.hpp"

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

void note_inert(Workload& workload, const FioJob& job, bool verified, bool compresses) {
  for (const auto& [option, value] : job.inert)
    if (!verified || !is_fio_verify_option(option)) note(workload, option, value, find_fio_option(option)->help);
  if (job.saved && !compresses)
    note(workload, "buffer_compress_percentage", fmt::format("{:.0f}", *job.saved * 100),
         "of a single drive with compression.granule");
  if (job.given("ioengine"))
    note(workload, "ioengine", job.ioengine,
         job.synchronous ? "the host driver stands for it: one request in flight, as the engine is synchronous"
                         : "the host driver stands for it: iodepth requests in flight");
  if (job.synchronous && job.iodepth > 1)
    note(workload, "iodepth", std::to_string(job.iodepth),
         job.ioengine + " is synchronous" + (job.given("ioengine") ? "" : " (fio's default engine)") +
             ": one request in flight");
}

/// The name of a group in results: its first job's, with the group's number if another group has that name.
std::string group_name(const std::string& first, std::uint32_t group, std::map<std::uint32_t, std::string>& names) {
  const auto found = names.find(group);
  if (found != names.end()) return found->second;
  const bool taken =
      std::any_of(names.begin(), names.end(), [&first](const auto& other) { return other.second == first; });
  return names[group] = taken ? first + " (group " + std::to_string(group) + ")" : first;
}

// Applies the job's verify= to real bytes: wraps its source in one that reads back, which also paces the job.
void verify_bytes(Workload& workload, HostJob& job, std::unique_ptr<FioSource> source, FioVerify verify,
                  std::uint64_t seed) {
  const bool writes = source->job().rw.writes;
  const std::uint32_t number = source->instance().number;
  FioBytes& bytes = *workload.bytes.emplace_back(
      std::make_unique<FioBytes>(job.name, FioContents(std::move(verify), number, derived_seed(seed, number))));
  auto verified = std::make_unique<FioVerifiedSource>(std::move(source), bytes.contents());
  if (writes) bytes.reads_back(verified.get());
  job.bytes = &bytes;
  job.pacing = verified.get();
  job.source = std::move(verified);
}

}  // namespace

void add_fio_jobs(Workload& workload, const std::string& path, const std::vector<std::string>& sections,
                  const DeviceConfig& config, const DeviceSpace& space, bool data) {
  std::map<std::uint32_t, std::string> groups;
  for (auto& source : open_fio_jobs(read_fio_jobs(path, sections), space, config.seed)) {
    const FioJob& given = source->job();
    const FioInstance& instance = source->instance();
    std::optional<FioVerify> verify = data ? fio_verify_of(given) : std::nullopt;
    if (verify && config.power.cut_count() != 0)
      throw WorkloadError(
          given.file, given.line_of("verify"),
          "verify: expects what a power cut may lose; leave out power.cut_at and power.cuts, or verify= "
          "(verify=true of the device file knows what may be lost)");
    if (verify && given.zbd.on)
      throw WorkloadError(given.file, given.line_of("verify"),
                          "verify: with --data what is written is read back where it was, and zonemode=zbd resets "
                          "zones in between; leave out verify=, or --data (verify=true of the device file checks all "
                          "reads)");
    if (verify && given.write_as != RequestKind::Write)
      throw WorkloadError(given.file, given.line_of("write_mode"), "write_mode: with --data verify= takes write only");
    if (instance.first_of_job)
      note_inert(workload, given, verify.has_value(), config.compression.on() && !config.array.present());
    HostJob job;
    job.name = given.name;
    if (given.group_reporting) job.group = group_name(given.name, instance.group, groups);
    job.iodepth = given.depth();
    job.queue = instance.number % config.host.queues;
    job.stream = static_cast<std::uint8_t>(instance.number);
    job.saved = given.saved;
    job.name_space = namespace_of(given, space);
    job.start_delay = source->start_delay_ps();
    job.ramp_time = given.ramp_ps;
    job.ramp_bytes = given.ramp_bytes;
    job.runtime = given.runtime_ps == 0 ? 0 : given.ramp_ps + given.runtime_ps;
    job.rules = rules_of(*source);
    job.flow_weight = given.flow;
    job.ends_at_zone_error = given.ends_at_zone_error;
    job.flow = given.flow_id;
    job.flow_sleep = given.flow_sleep_ps;
    if (source->paced()) job.pacing = source.get();
    if (verify)
      verify_bytes(workload, job, std::move(source), std::move(*verify), config.seed);
    else
      job.source = std::move(source);
    workload.jobs.push_back(std::move(job));
  }
}

}  // namespace flashloom
