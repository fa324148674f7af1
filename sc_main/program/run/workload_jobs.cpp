// Opens the jobs of a workload file.
#include <algorithm>
#include <utility>

#include "sc_main/program/options/trace_columns.hpp"
#include "sc_main/program/run/fio_jobs.hpp"
#include "sc_main/program/run/workload_file.hpp"
#include "workloads/first_requests.hpp"
#include "workloads/later_requests.hpp"
#include "workloads/random.hpp"
#include "workloads/size_text.hpp"
#include "workloads/traces/trace_format.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

/// Gives the requests of one job its stream number, and divides their arrival times by its speedup.
class JobSource final : public RequestSource {
 public:
  JobSource(std::unique_ptr<RequestSource> source, std::uint8_t stream, double speedup)
      : source_(std::move(source)), stream_(stream), speedup_(speedup) {}

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    request.stream = stream_;
    if (speedup_ != 1)
      request.arrival_ps = static_cast<std::uint64_t>(static_cast<double>(request.arrival_ps) / speedup_);
    return true;
  }
  std::uint64_t pass_reads(std::uint64_t most, std::uint64_t& bytes) override {
    return source_->pass_reads(most, bytes);
  }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }
  bool timed() const override { return source_->timed(); }
  bool knows_zones() const override { return source_->knows_zones(); }

 private:
  std::unique_ptr<RequestSource> source_;
  std::uint8_t stream_;
  double speedup_;
};

std::uint64_t bytes_of(const Extent& extent, const DeviceSpace& space) {
  if (extent.share == 0) return extent.bytes;
  const auto bytes = static_cast<std::uint64_t>(extent.share * static_cast<double>(space.capacity));
  const std::uint64_t at_most = std::min(bytes, space.capacity);
  return at_most - at_most % space.sector_size;
}

/// Opens the sources of one job.
class JobOpener {
 public:
  JobOpener(const WorkloadJob& given, std::size_t number, const DeviceConfig& config, const DeviceSpace& space)
      : given_(given), number_(number), config_(config), space_(space) {
    constexpr std::uint64_t kSeedStream = 0x6a6f6273;  // keeps seeds distinct from those of a single fio job file
    constexpr std::uint64_t kGivenSeeds = 0x73656564;  // and given seeds from those by number
    seed_ = given.seed ? derived_seed(derived_seed(config.seed, kGivenSeeds), *given.seed)
                       : derived_seed(config.seed, kSeedStream + number);
  }

  void open(Workload& workload) {
    fit_region();
    const std::size_t first = workload.jobs.size();
    try {
      if (given_.source == WorkloadJob::Source::Fio)
        fio(workload);
      else
        workload.jobs.push_back(given_.source == WorkloadJob::Source::Trace ? trace(workload.trace_notes)
                                                                            : generator());
    } catch (const WorkloadError& error) {
      if (error.line() != 0) throw;  // the error names its own place
      throw ConfigError(given_.source_where, given_.name, error.what());
    }
    for (std::size_t i = first; i < workload.jobs.size(); ++i) {
      HostJob& job = workload.jobs[i];
      job.group = given_.name;
      job.offset = begin_ + offset_;
      job.name_space = name_space_;
      if (given_.saved) job.saved = given_.saved;
      if (given_.after.empty()) {
        job.start_delay += given_.start;
      } else {
        job.rules.after = given_.after;
        job.rules.pause = given_.start;
      }
      if (given_.runtime != 0) job.runtime = job.runtime == 0 ? given_.runtime : std::min(job.runtime, given_.runtime);
      job.source = first_requests(std::move(job.source), given_.requests);
    }
  }

 private:
  /// Narrows the address space to the job's namespace.
  void choose_namespace() {
    const std::vector<std::uint64_t> sizes = std::exchange(space_.namespaces, {});
    if (sizes.empty() && given_.name_space > 1)
      throw ConfigError(given_.name_space_where, given_.name + ".namespace",
                        "the device has one namespace; host_interface.namespaces says others");
    if (sizes.empty()) return;
    name_space_ = std::max(given_.name_space, 1U);
    if (name_space_ > sizes.size())
      throw ConfigError(
          given_.name_space_where, given_.name + ".namespace",
          "is none of the device's " + std::to_string(sizes.size()) + "; valid: 1 .. " + std::to_string(sizes.size()));
    space_.capacity = sizes[name_space_ - 1];
    begin_ = namespace_begin(config_.host_interface.namespaces, name_space_);
  }

  void fit_region() {
    choose_namespace();
    offset_ = bytes_of(given_.offset, space_);
    region_.sector_size = space_.sector_size;
    if (offset_ % space_.sector_size != 0)
      throw ConfigError(given_.offset_where, given_.name + ".offset", "is no whole number of sectors");
    if (space_.zones.bytes != 0 && offset_ % space_.zones.bytes != 0)
      throw ConfigError(given_.offset_where, given_.name + ".offset",
                        "is no begin of a zone; valid: a multiple of " + size_text(space_.zones.bytes));
    region_.zones = space_.zones;
    region_.placement_identifiers = space_.placement_identifiers;
    if (offset_ >= space_.capacity)
      throw ConfigError(given_.offset_where, given_.name + ".offset",
                        "lies beyond the device (" + std::to_string(space_.capacity) + " bytes)");
    region_.capacity = given_.size ? bytes_of(*given_.size, space_) : space_.capacity - offset_;
    if (region_.capacity == 0 || region_.capacity % space_.sector_size != 0)
      throw ConfigError(given_.size_where, given_.name + ".size", "is no whole number of sectors, at least one");
    if (region_.capacity > space_.capacity - offset_)
      throw ConfigError(given_.size_where, given_.name + ".size",
                        "does not fit: the device holds " + size_text(space_.capacity - offset_) + " from offset " +
                            size_text(offset_) + " on");
  }

  void fio(Workload& workload) {
    constexpr std::uint32_t kApart = 1U << 20U;  // keeps group and flow numbers of different files distinct
    DeviceConfig config = config_;
    config.seed = seed_;
    const std::size_t first = workload.jobs.size();
    add_fio_jobs(workload, given_.path, {}, config, region_, false);
    for (std::size_t i = first; i < workload.jobs.size(); ++i) {
      workload.jobs[i].rules.group += static_cast<std::uint32_t>(number_) * kApart;
      workload.jobs[i].flow += static_cast<std::uint32_t>(number_) * kApart;
    }
  }

  HostJob trace(const std::shared_ptr<TraceNotes>& notes) {
    TraceOptions options{.format = given_.format, .parameters = given_.format_options, .notes = notes};
    add_columns_beside(given_.path, options.format, options.parameters);
    HostJob job = common(config_.host.replay == "timed");
    const auto open = [this, options, timed = job.open_loop] {
      auto source = open_trace(given_.path, options);
      if (timed && !source->timed())
        throw ConfigError(given_.replay_where, given_.name + ".replay",
                          "the trace has no times, so a timed replay cannot place its requests; say \"closed\"");
      return source;
    };
    job.source = std::make_unique<JobSource>(
        later_requests(fit_addresses(open, region_, given_.address_fit), given_.skip), job.stream, given_.speedup);
    return job;
  }

  HostJob generator() {
    GeneratedWorkload made = open_generator(
        given_, {.space = region_, .seed = seed_, .endless = given_.runtime != 0 || given_.requests != 0});
    if (given_.replay == "timed" && !made.timed)
      throw ConfigError(given_.replay_where, given_.name + ".replay",
                        "generator \"" + given_.generator->name + "\" gives no arrival times here");
    HostJob job = common(made.timed);
    job.source = std::make_unique<JobSource>(std::move(made.source), job.stream, given_.speedup);
    job.objects = std::move(made.objects);
    job.accounts = made.accounts;
    return job;
  }

  HostJob common(bool timed) const {
    HostJob job;
    job.name = given_.name;
    job.iodepth = given_.iodepth != 0 ? given_.iodepth : config_.host.iodepth;
    job.open_loop = given_.replay ? *given_.replay == "timed" : timed;
    job.stream = static_cast<std::uint8_t>(number_);
    return job;
  }

  const WorkloadJob& given_;
  std::size_t number_;
  const DeviceConfig& config_;
  DeviceSpace space_;
  std::uint64_t seed_ = 0;
  std::uint64_t offset_ = 0;  // in the namespace
  std::uint32_t name_space_ = 0;
  std::uint64_t begin_ = 0;  // of the namespace
  DeviceSpace region_;
};

}  // namespace

GeneratedWorkload open_generator(const WorkloadJob& job, const GeneratorContext& context) {
  try {
    return make_generator(*job.generator, job.parameters, context);
  } catch (const GeneratorError& error) {
    const auto where = job.parameter_where.find(error.parameter());
    throw ConfigError(where == job.parameter_where.end() ? job.source_where + " (default)" : where->second,
                      job.name + ".parameters." + error.parameter(), error.what());
  }
}

void open_workload_jobs(Workload& workload, const std::vector<WorkloadJob>& jobs, const DeviceConfig& config,
                        const DeviceSpace& space) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::uint32_t queue = jobs[i].queue.value_or(static_cast<std::uint32_t>(i) % config.host.queues);
    if (queue >= config.host.queues)
      throw ConfigError(
          jobs[i].where, jobs[i].name + ".queue",
          std::to_string(queue) + " is none of the host's queues, 0 .. " + std::to_string(config.host.queues - 1));
    const std::size_t first = workload.jobs.size();
    JobOpener(jobs[i], i, config, space).open(workload);
    for (std::size_t j = first; j < workload.jobs.size(); ++j) {
      workload.jobs[j].queue = queue;
      // There is no other job to use the queues.
      if (jobs.size() == 1 && !jobs[i].queue) workload.jobs[j].queues = config.host.queues;
    }
  }
}

}  // namespace flashloom
