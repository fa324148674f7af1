#include "sc_main/program/run/workload_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "policies/nearest.hpp"
#include "sc_main/assembly/config/generator_choice.hpp"
#include "sc_main/assembly/config/load.hpp"
#include "sc_main/assembly/config/part_choice.hpp"

namespace flashloom {
namespace {

constexpr const char* kParameters = "parameters";
constexpr const char* kFormatOptions = "format_options";
constexpr std::uint32_t kMaxQueues = 1024;
constexpr std::uint32_t kMaxNamespaces = 1024;

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
      integer("namespace", 1, kMaxNamespaces, "of the device; its region lies in it; default: the first"),
      integer("queue", 0, kMaxQueues - 1, "submission queue; default: one of its own"),
      integer("iodepth", 1, 65536, "closed loop: requests in flight; default: host.iodepth"),
      text("replay", "by arrival times or one after the other", {"timed", "closed"}),
      {.name = "speedup",
       .default_value = 1.0,
       .minimum = 1e-6,
       .maximum = 1e6,
       .choices = {},
       .help = "arrival times are divided by it"},
      {.name = "saved",
       .default_value = 0.0,
       .minimum = 0,
       .maximum = 1,
       .choices = {},
       .help = "share of its data that compression saves; default: what a fio job says, or compression.saved"},
      text("after", "an earlier job, after whose end this one begins"),
      time_key("start", "when the job begins; with after: so long after that job's end"),
      time_key("stop", "when it ends, since the begin of the run"),
      time_key("runtime", "when it ends, since its own begin"),
      integer("skip", 0, 1e15, "requests at the trace's begin that are left out"),
      integer("requests", 1, 1e15, "end after so many"),
      integer("seed", 0, 1e15, "of its random choices, in place of its number in the file")};
  return keys;
}

/// Keys that belong to one kind of source only.
const std::map<std::string, WorkloadJob::Source>& keys_of_sources() {
  static const std::map<std::string, WorkloadJob::Source> keys = {{"format", WorkloadJob::Source::Trace},
                                                                  {kFormatOptions, WorkloadJob::Source::Trace},
                                                                  {"address_fit", WorkloadJob::Source::Trace},
                                                                  {"skip", WorkloadJob::Source::Trace},
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
    job_.name_space_where = where_of("namespace");
    if (values_.contains("namespace")) job_.name_space = static_cast<std::uint32_t>(get<std::int64_t>("namespace"));
    if (values_.contains("queue")) job_.queue = static_cast<std::uint32_t>(get<std::int64_t>("queue"));
    if (values_.contains("iodepth")) job_.iodepth = static_cast<std::uint32_t>(get<std::int64_t>("iodepth"));
    if (values_.contains("requests")) job_.requests = static_cast<std::uint64_t>(get<std::int64_t>("requests"));
    if (values_.contains("skip")) job_.skip = static_cast<std::uint64_t>(get<std::int64_t>("skip"));
    if (values_.contains("seed")) job_.seed = static_cast<std::uint64_t>(get<std::int64_t>("seed"));
    if (values_.contains("speedup")) job_.speedup = get<double>("speedup");
    if (values_.contains("saved")) job_.saved = get<double>("saved");
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
    job_.path = (std::filesystem::path(folder_) / in_environment(name)).string();
    if (values_.contains("format")) job_.format = get<std::string>("format");
    if (values_.contains("address_fit")) {
      const std::string& fit = get<std::string>("address_fit");
      job_.address_fit = fit == "wrap" ? AddressFit::Wrap : fit == "scale" ? AddressFit::Scale : AddressFit::Error;
    }
    if (const ConfigNode* options = node_.find(kFormatOptions)) read_format_options(*options);
  }

  /// Replaces NAME in "$NAME/rest" with that environment variable.
  std::string in_environment(const std::string& path) const {
    if (!path.starts_with('$')) return path;
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string name = path.substr(1, slash - 1);
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr || *value == '\0')
      fail(key_of(job_.source), "needs the environment variable " + name + ": set it to a folder");
    return value + path.substr(slash);
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
      fail("generator",
           "unknown generator \"" + name + "\"" + did_you_mean(name, names) + "; valid: " + join_names(names));
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
    if (values_.contains("after")) job_.after = get<std::string>("after");
    job_.after_where = where_of("after");
    if (!values_.contains("stop")) return;
    if (!job_.after.empty()) fail("stop", "counts from the begin of the run; a job after another one says runtime");
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

/// `table` with the entries that only `defaults` has; nested tables are merged likewise.
ConfigNode with_defaults(const ConfigNode& table, const ConfigNode& defaults) {
  ConfigNode merged = table;
  for (const auto& [key, value] : defaults.table()) {
    const auto same = [wanted = &key](const auto& entry) { return entry.first == *wanted; };
    const auto found = std::find_if(merged.table().begin(), merged.table().end(), same);
    if (found == merged.table().end())
      merged.table().emplace_back(key, value);
    else if (found->second.is_table() && value.is_table())
      found->second = with_defaults(found->second, value);
  }
  return merged;
}

}  // namespace

std::vector<WorkloadJob> read_workload_text(const std::string& text_of_file, const std::string& name,
                                            const std::string& folder) {
  const ConfigNode document = parse_document(text_of_file, name);
  const ConfigNode* tables = nullptr;
  const ConfigNode* common = nullptr;
  for (const auto& [key, node] : document.table()) {
    if (key == "description" && std::holds_alternative<std::string>(node.value)) continue;
    if (key == "common" && node.is_table()) {
      common = &node;
    } else if (key == "job") {
      tables = &node;
    } else {
      throw ConfigError(node.where, key,
                        "no such key; a workload file has [[job]] tables, a table [common] and a description");
    }
  }
  if (tables == nullptr) throw ConfigError(document.where, {}, "no jobs; write a [[job]] table for each");
  const auto* list = std::get_if<ConfigNode::Array>(&tables->value);
  if (list == nullptr || !std::all_of(list->begin(), list->end(), [](const auto& n) { return n.is_table(); }))
    throw ConfigError(tables->where, "job", "must be tables, each written [[job]]");
  std::vector<WorkloadJob> jobs;
  std::vector<std::string> names;
  for (const ConfigNode& given : *list) {
    const ConfigNode table = common == nullptr ? given : with_defaults(given, *common);
    WorkloadJob job = JobReader(table, "job", folder).read("job" + std::to_string(jobs.size() + 1));
    if (std::find(names.begin(), names.end(), job.name) != names.end())
      throw ConfigError(table.where, "job.name", "\"" + job.name + "\" is the name of an earlier job");
    if (!job.after.empty() && std::find(names.begin(), names.end(), job.after) == names.end())
      throw ConfigError(job.after_where, "job.after",
                        "there is no job \"" + job.after + "\" before this one" +
                            (names.empty() ? "" : "; valid: " + join_names(names)));
    names.push_back(job.name);
    jobs.push_back(std::move(job));
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

std::uint32_t queues_needed(const std::vector<WorkloadJob>& jobs) {
  std::uint32_t queues = 1;
  for (std::uint32_t i = 0; i < jobs.size(); ++i)
    queues = std::max(queues, std::min(jobs[i].queue.value_or(i) + 1, kMaxQueues));
  return queues;
}

}  // namespace flashloom
