#include "sc_main/run/workload_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "policies/nearest.hpp"
#include "sc_main/config/generator_choice.hpp"
#include "sc_main/config/load.hpp"
#include "sc_main/config/part_choice.hpp"
#include "sc_main/run/fio_jobs.hpp"
#include "workloads/first_requests.hpp"
#include "workloads/random.hpp"
#include "workloads/traces/trace_format.hpp"
#include "workloads/workload_error.hpp"

namespace flashloom {
namespace {

constexpr const char* kParameters = "parameters";
constexpr const char* kFormatOptions = "format_options";
constexpr std::uint32_t kMaxQueues = 1024;

ParameterSpec text(const char* name, const char* help, std::vector<std::string> choices = {}) {
  return {.name = name, .default_value = std::string(), .choices = std::move(choices), .help = help};
}

ParameterSpec integer(const char* name, double minimum, double maximum, const char* help) {
  return {.name = name,
          .default_value = std::int64_t{0},
          .minimum = minimum,
          .maximum = maximum,
          .choices = {},
          .help = help};
}

ParameterSpec time_key(const char* name, const char* help) {
  return {.name = name,
          .default_value = std::int64_t{0},
          .dimension = Dimension::Time,
          .minimum = 0,
          .maximum = 9e18,
          .choices = {},
          .help = help};
}

const std::vector<ParameterSpec>& job_keys() {
  static const std::vector<ParameterSpec> keys = {
      text("name", "of the job in results; default: job1, job2, ..."),
      text("trace", "block trace"),
      text("fio", "fio job file"),
      text("generator", "workload generator"),
      text("format", "of the trace; default: found out"),
      text("address_fit", "addresses of the trace beyond the region", {"error", "wrap", "scale"}),
      text("offset", "begin of the job's region: a size, or a share of the device"),
      text("size", "of the job's region; default: to the end of the device"),
      integer("queue", 0, kMaxQueues - 1, "submission queue; default: one of its own"),
      integer("iodepth", 1, 65536, "closed loop: requests in flight; default: host.iodepth"),
      text("replay", "by arrival times or one after the other", {"timed", "closed"}),
      {.name = "speedup",
       .default_value = 1.0,
       .minimum = 1e-6,
       .maximum = 1e6,
       .choices = {},
       .help = "arrival times are divided by it"},
      time_key("start", "when the job begins"),
      time_key("stop", "when it ends, since the begin of the run"),
      time_key("runtime", "when it ends, since its own begin"),
      integer("requests", 1, 1e15, "end after so many")};
  return keys;
}

/// What belongs to one kind of source only.
const std::map<std::string, WorkloadJob::Source>& keys_of_sources() {
  static const std::map<std::string, WorkloadJob::Source> keys = {{"format", WorkloadJob::Source::Trace},
                                                                  {kFormatOptions, WorkloadJob::Source::Trace},
                                                                  {"address_fit", WorkloadJob::Source::Trace},
                                                                  {kParameters, WorkloadJob::Source::Generator}};
  return keys;
}

const char* key_of(WorkloadJob::Source source) {
  switch (source) {
    case WorkloadJob::Source::Trace:
      return "trace";
    case WorkloadJob::Source::Fio:
      return "fio";
    case WorkloadJob::Source::Generator:
      break;
  }
  return "generator";
}

/// Reads one [[job]] table.
class JobReader {
 public:
  JobReader(const ConfigNode& node, std::string path, const std::string& folder)
      : node_(node), path_(std::move(path)), folder_(folder) {
    job_.where = node.where;
  }

  WorkloadJob read(const std::string& default_name) {
    ConfigNode common = node_;
    std::erase_if(common.table(),
                  [](const auto& entry) { return entry.first == kParameters || entry.first == kFormatOptions; });
    values_ = read_parameters(common, path_, job_keys(), "a job has no such key");
    job_.name = values_.contains("name") ? get<std::string>("name") : default_name;
    if (job_.name.empty()) fail("name", "is empty");
    read_source();
    refuse_foreign_keys();
    read_region();
    read_times();
    if (values_.contains("queue")) job_.queue = static_cast<std::uint32_t>(get<std::int64_t>("queue"));
    if (values_.contains("iodepth")) job_.iodepth = static_cast<std::uint32_t>(get<std::int64_t>("iodepth"));
    if (values_.contains("requests")) job_.requests = static_cast<std::uint64_t>(get<std::int64_t>("requests"));
    if (values_.contains("speedup")) job_.speedup = get<double>("speedup");
    if (values_.contains("replay")) job_.replay = get<std::string>("replay");
    job_.replay_where = where_of("replay");
    return std::move(job_);
  }

 private:
  template <class T>
  const T& get(const std::string& key) const {
    return std::get<T>(values_.at(key));
  }

  std::string where_of(const std::string& key) const {
    const ConfigNode* node = node_.find(key);
    return node == nullptr ? node_.where : node->where;
  }

  [[noreturn]] void fail(const std::string& key, const std::string& message) const {
    throw ConfigError(where_of(key), path_ + "." + key, message);
  }

  void read_source() {
    std::vector<WorkloadJob::Source> given;
    for (const auto source : {WorkloadJob::Source::Trace, WorkloadJob::Source::Fio, WorkloadJob::Source::Generator})
      if (values_.contains(key_of(source))) given.push_back(source);
    if (given.empty())
      throw ConfigError(node_.where, path_, "job \"" + job_.name + "\" says no source; give trace, fio or generator");
    if (given.size() > 1)
      fail(key_of(given[1]), "does not go together with " + std::string(key_of(given[0])) + "; a job has one source");
    job_.source = given.front();
    job_.source_where = where_of(key_of(job_.source));
    const std::string& name = get<std::string>(key_of(job_.source));
    if (job_.source == WorkloadJob::Source::Generator) {
      read_generator(name);
      return;
    }
    if (name.empty()) fail(key_of(job_.source), "is empty");
    job_.path = (std::filesystem::path(folder_) / name).string();
    if (values_.contains("format")) job_.format = get<std::string>("format");
    if (values_.contains("address_fit")) {
      const std::string& fit = get<std::string>("address_fit");
      job_.address_fit = fit == "wrap" ? AddressFit::Wrap : fit == "scale" ? AddressFit::Scale : AddressFit::Error;
    }
    if (const ConfigNode* options = node_.find(kFormatOptions)) read_format_options(*options);
  }

  void read_format_options(const ConfigNode& options) {
    if (!options.is_table()) fail(kFormatOptions, "must be a table; it is " + std::string(options.type_name()));
    for (const auto& [key, value] : options.table()) {
      if (!std::holds_alternative<std::string>(value.value))
        throw ConfigError(value.where, path_ + "." + kFormatOptions + "." + key,
                          "must be a string; it is " + std::string(value.type_name()));
      job_.format_options[key] = std::get<std::string>(value.value);
    }
  }

  void read_generator(const std::string& name) {
    job_.generator = find_generator(name);
    if (job_.generator == nullptr) {
      std::vector<std::string> names;
      for (const Generator& generator : generators()) names.push_back(generator.name);
      const auto near = nearest_names(name, names, 1);
      fail("generator", "unknown generator \"" + name + "\"" +
                            (near.empty() ? "" : " (did you mean \"" + near.front() + "\"?)") +
                            "; valid: " + join_names(names));
    }
    const ConfigNode* parameters = node_.find(kParameters);
    if (parameters == nullptr) return;
    if (!parameters->is_table()) fail(kParameters, "must be a table; it is " + std::string(parameters->type_name()));
    job_.parameters = read_generator_parameters(*parameters, path_ + "." + kParameters, *job_.generator);
    for (const auto& [key, value] : parameters->table()) job_.parameter_where[key] = value.where;
  }

  void refuse_foreign_keys() const {
    for (const auto& [key, source] : keys_of_sources())
      if (node_.find(key) != nullptr && source != job_.source)
        fail(key,
             "says something of a " + std::string(key_of(source)) + "; the job's source is a " + key_of(job_.source));
    if (job_.source != WorkloadJob::Source::Fio) return;
    for (const char* const key : {"iodepth", "replay", "speedup"})
      if (values_.contains(key)) fail(key, "a fio job says that itself");
  }

  Extent read_extent(const std::string& key) const {
    const std::string& value = get<std::string>(key);
    try {
      if (!value.ends_with("%")) return {.bytes = parse_exact(Quantity::Bytes, value)};
      Extent extent{.share = parse_real(Quantity::Ratio, value)};
      if (extent.share > 1) fail(key, value + " is out of range; valid: 0 % .. 100 %");
      return extent;
    } catch (const QuantityError& error) {
      fail(key, std::string(error.what()) + ", or a share of the device like \"25 %\"");
    }
  }

  void read_region() {
    job_.offset_where = where_of("offset");
    job_.size_where = where_of("size");
    if (values_.contains("offset")) job_.offset = read_extent("offset");
    if (values_.contains("size")) job_.size = read_extent("size");
  }

  void read_times() {
    const auto time = [this](const char* key) {
      return values_.contains(key) ? static_cast<Picoseconds>(get<std::int64_t>(key)) : Picoseconds{0};
    };
    job_.start = time("start");
    job_.runtime = time("runtime");
    if (!values_.contains("stop")) return;
    if (values_.contains("runtime")) fail("stop", "does not go together with runtime");
    if (time("stop") <= job_.start) fail("stop", "does not lie after the start");
    job_.runtime = time("stop") - job_.start;
  }

  const ConfigNode& node_;
  std::string path_;
  const std::string& folder_;
  std::map<std::string, ParameterValue> values_;
  WorkloadJob job_;
};

/// Requests of one job of a file: its number, and times as it says.
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
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  SourcePosition position() const override { return source_->position(); }
  std::uint64_t clamped_times() const override { return source_->clamped_times(); }
  bool timed() const override { return source_->timed(); }

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
    constexpr std::uint64_t kSeedStream = 0x6a6f6273;  // apart from the seeds of a single job file
    seed_ = derived_seed(config.seed, kSeedStream + number);
  }

  void open(Workload& workload) {
    fit_region();
    const std::size_t first = workload.jobs.size();
    try {
      if (given_.source == WorkloadJob::Source::Fio)
        fio(workload);
      else
        workload.jobs.push_back(given_.source == WorkloadJob::Source::Trace ? trace() : generator());
    } catch (const WorkloadError& error) {
      if (error.line() != 0) throw;  // it has a place of its own
      throw ConfigError(given_.source_where, given_.name, error.what());
    }
    for (std::size_t i = first; i < workload.jobs.size(); ++i) {
      HostJob& job = workload.jobs[i];
      job.group = given_.name;
      job.offset = offset_;
      job.start_delay += given_.start;
      if (given_.runtime != 0) job.runtime = job.runtime == 0 ? given_.runtime : std::min(job.runtime, given_.runtime);
      job.source = first_requests(std::move(job.source), given_.requests);
    }
  }

 private:
  void fit_region() {
    offset_ = bytes_of(given_.offset, space_);
    region_.sector_size = space_.sector_size;
    if (offset_ % space_.sector_size != 0)
      throw ConfigError(given_.offset_where, given_.name + ".offset", "is no whole number of sectors");
    if (offset_ >= space_.capacity)
      throw ConfigError(given_.offset_where, given_.name + ".offset",
                        "lies beyond the device (" + std::to_string(space_.capacity) + " bytes)");
    region_.capacity = given_.size ? bytes_of(*given_.size, space_) : space_.capacity - offset_;
    if (region_.capacity == 0 || region_.capacity % space_.sector_size != 0)
      throw ConfigError(given_.size_where, given_.name + ".size", "is no whole number of sectors, at least one");
    if (region_.capacity > space_.capacity - offset_)
      throw ConfigError(given_.size_where, given_.name + ".size",
                        "does not fit: the device holds " + std::to_string(space_.capacity - offset_) +
                            " bytes from offset " + std::to_string(offset_) + " on");
  }

  void fio(Workload& workload) {
    constexpr std::uint32_t kApart = 1U << 20U;  // groups and flows of one file are none of another's
    DeviceConfig config = config_;
    config.seed = seed_;
    const std::size_t first = workload.jobs.size();
    add_fio_jobs(workload, given_.path, config, region_);
    for (std::size_t i = first; i < workload.jobs.size(); ++i) {
      workload.jobs[i].rules.group += static_cast<std::uint32_t>(number_) * kApart;
      workload.jobs[i].flow += static_cast<std::uint32_t>(number_) * kApart;
    }
  }

  HostJob trace() {
    const TraceOptions options{.format = given_.format, .parameters = given_.format_options};
    HostJob job = common(config_.host.replay == "timed");
    const auto open = [this, options, timed = job.open_loop] {
      auto source = open_trace(given_.path, options);
      if (timed && !source->timed())
        throw ConfigError(given_.replay_where, given_.name + ".replay",
                          "the trace has no times, so a timed replay cannot place its requests; say \"closed\"");
      return source;
    };
    job.source =
        std::make_unique<JobSource>(fit_addresses(open, region_, given_.address_fit), job.stream, given_.speedup);
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
  std::uint64_t offset_ = 0;
  DeviceSpace region_;
};

}  // namespace

std::vector<WorkloadJob> read_workload_text(const std::string& text_of_file, const std::string& name,
                                            const std::string& folder) {
  const ConfigNode document = parse_document(text_of_file, name);
  const ConfigNode* tables = nullptr;
  for (const auto& [key, node] : document.table()) {
    if (key == "description" && std::holds_alternative<std::string>(node.value)) continue;
    if (key != "job")
      throw ConfigError(node.where, key, "no such key; a workload file has [[job]] tables and a description");
    tables = &node;
  }
  if (tables == nullptr) throw ConfigError(document.where, {}, "no jobs; write a [[job]] table for each");
  const auto* list = std::get_if<ConfigNode::Array>(&tables->value);
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const auto& n) { return n.is_table(); }))
    throw ConfigError(tables->where, "job", "must be tables, each written [[job]]");
  std::vector<WorkloadJob> jobs;
  std::set<std::string> names;
  for (const ConfigNode& table : *list) {
    jobs.push_back(JobReader(table, "job", folder).read("job" + std::to_string(jobs.size() + 1)));
    if (!names.insert(jobs.back().name).second)
      throw ConfigError(table.where, "job.name", "\"" + jobs.back().name + "\" is the name of an earlier job");
  }
  return jobs;
}

std::vector<WorkloadJob> read_workload_file(const std::string& path) {
  return read_workload_text(read_text_file(path, "workload file"), path,
                            std::filesystem::path(path).parent_path().string());
}

WorkloadJob read_generator_shorthand(const std::string& given) {
  const std::string where = "--generate " + given;
  const std::size_t colon = given.find(':');
  ConfigNode job{ConfigNode::Table{}, where};
  job.table().emplace_back("generator", ConfigNode{given.substr(0, colon), where});
  ConfigNode parameters{ConfigNode::Table{}, where};
  // A comma ends a value only where the next parameter follows: sizes with weights have commas too.
  for (std::size_t begin = colon; begin != std::string::npos && begin + 1 < given.size();) {
    const std::size_t equals = given.find('=', begin + 1);
    if (equals == std::string::npos)
      throw ConfigError(where, {}, "parameters are written name=value, as in mix:read=70 %,size=8 KiB");
    std::size_t next = given.find('=', equals + 1);
    std::size_t end = next == std::string::npos ? std::string::npos : given.rfind(',', next);
    if (end != std::string::npos && end < equals) end = std::string::npos;
    const std::string value = given.substr(equals + 1, end == std::string::npos ? end : end - equals - 1);
    parameters.table().emplace_back(given.substr(begin + 1, equals - begin - 1), parse_value(value, where));
    begin = end;
  }
  job.table().emplace_back(kParameters, std::move(parameters));
  return JobReader(job, "job", {}).read(given.substr(0, colon));
}

GeneratedWorkload open_generator(const WorkloadJob& job, const GeneratorContext& context) {
  try {
    return make_generator(*job.generator, job.parameters, context);
  } catch (const GeneratorError& error) {
    const auto where = job.parameter_where.find(error.parameter());
    throw ConfigError(where == job.parameter_where.end() ? job.source_where + " (default)" : where->second,
                      job.name + "." + kParameters + "." + error.parameter(), error.what());
  }
}

std::uint32_t queues_needed(const std::vector<WorkloadJob>& jobs) {
  std::uint32_t queues = 1;
  for (std::uint32_t i = 0; i < jobs.size(); ++i)
    queues = std::max(queues, std::min(jobs[i].queue.value_or(i) + 1, kMaxQueues));
  return queues;
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
      // Nobody else is there to use them.
      if (jobs.size() == 1 && !jobs[i].queue) workload.jobs[j].queues = config.host.queues;
    }
  }
}

}  // namespace flashloom
