#include "sc_main/program/run/segment_folder.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "controllers/host/job_mix.hpp"
#include "policies/memory_archive.hpp"
#include "sc_main/assembly/config/content_hash.hpp"
#include "sc_main/assembly/config/json_text.hpp"
#include "sc_main/assembly/config/writer.hpp"
#include "sc_main/assembly/plugins/plugin.hpp"
#include "sc_main/assembly/version.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "sc_main/program/run/result_folder.hpp"
#include "workloads/byte_stream.hpp"
#include "workloads/later_requests.hpp"
#include "workloads/zstd_file.hpp"

namespace flashloom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kFolderSchema = "flashloom.segments/1";
constexpr const char* kPlanFile = "segments.json";
constexpr std::size_t kLongestPieceText = 1 << 10;

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

/// A saved request; its ranges are in a separate list.
struct KeptRequest {
  std::uint64_t offset, length, arrival_ps;
  std::uint16_t range_count;
  RequestKind kind;
  std::uint8_t fua, stream;
  RequestDirective directive;
  std::uint16_t identifier;
};

/// The saved requests of one job.
struct KeptRequests {
  std::vector<KeptRequest> requests;
  std::vector<RequestRange> ranges;

  void add(const Request& request) {
    requests.push_back({.offset = request.offset,
                        .length = request.length,
                        .arrival_ps = request.arrival_ps,
                        .range_count = request.range_count,
                        .kind = request.kind,
                        .fua = request.fua,
                        .stream = request.stream,
                        .directive = request.directive,
                        .identifier = request.identifier});
    ranges.insert(ranges.end(), request.ranges, request.ranges + request.range_count);
  }
  void state(StateArchive& archive) { archive(requests, ranges); }
};

class KeptSource final : public RequestSource {
 public:
  explicit KeptSource(KeptRequests kept) : kept_(std::move(kept)) {}

  bool next(Request& request) override {
    if (next_ == kept_.requests.size()) return false;
    const KeptRequest& kept = kept_.requests[next_++];
    request = {.offset = kept.offset,
               .length = kept.length,
               .arrival_ps = kept.arrival_ps,
               .kind = kept.kind,
               .fua = kept.fua != 0,
               .stream = kept.stream,
               .directive = kept.directive,
               .identifier = kept.identifier,
               .range_count = kept.range_count,
               .ranges = kept.range_count == 0 ? nullptr : kept_.ranges.data() + range_};
    range_ += kept.range_count;
    return true;
  }

 private:
  KeptRequests kept_;
  std::size_t next_ = 0;
  std::size_t range_ = 0;
};

void add_flattened(StateKeys& keys, const Json& value, const std::string& path) {
  if (!value.is_structured() || value.empty()) {
    keys.emplace_back(path, json_text(value));
    return;
  }
  std::size_t number = 0;
  for (const auto& [name, field] : value.items())
    add_flattened(keys, field, path.empty() ? name : path + '.' + (value.is_array() ? std::to_string(number++) : name));
}

std::string text_of(const TraceSpec& trace) {
  std::string text = fs::path(trace.path).filename().string() + ",format=" + trace.format;
  for (const auto& [name, value] : trace.parameters) text += "," + name + "=" + value;
  if (trace.offset) text += ",offset=" + std::to_string(*trace.offset);
  if (trace.size) text += ",size=" + std::to_string(*trace.size);
  return text;
}

}  // namespace

StateKeys identity_of_run(const RunOptions& options, const LoadedConfig& config, const Workload& workload) {
  StateKeys keys = {{"the program", flashloom_version() + (" " + content_hash_of_file("/proc/self/exe"))}};
  for (const LoadedPlugin& plugin : loaded_plugins()) keys.emplace_back("plug-in " + plugin.file, plugin.hash);
  keys.emplace_back("--segments", std::to_string(options.sample.segments));
  add_flattened(keys, effective_json(config.device), "");
  keys.emplace_back("seed", std::to_string(config.device.seed));
  keys.emplace_back("the workload", workload.kind + " " + workload.file + " " + workload.hash);
  for (const WorkloadInput& input : workload.inputs) keys.emplace_back("input " + input.file, input.hash);
  for (std::size_t trace = 0; trace < options.traces.traces.size(); ++trace)
    keys.emplace_back("--trace " + std::to_string(trace + 1), text_of(options.traces.traces[trace]));
  keys.emplace_back("--concat", options.traces.concat ? std::to_string(options.traces.gap_ps) + " ps" : "no");
  keys.emplace_back("--address-fit", std::to_string(static_cast<int>(options.address_fit)));
  keys.emplace_back("--max-requests", std::to_string(options.max_requests));
  keys.emplace_back("--state", options.state.empty() ? "none" : content_hash_of_file(options.state));
  return keys;
}

SegmentFolder::SegmentFolder(std::string path, StateKeys run, std::size_t segments)
    : path_(std::move(path)), run_(std::move(run)), segments_(segments) {
  refresh();
}

void SegmentFolder::refresh() {
  const std::string path = (fs::path(path_) / kPlanFile).string();
  if (plan_ || !is_there(path)) return;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  StateKeys there;
  try {
    const Json json = Json::parse(text.str());
    if (const auto schema = json.at("schema").get<std::string>(); schema != kFolderSchema)
      throw StateError(path + ": is of schema \"" + schema + "\", and this program reads \"" + kFolderSchema +
                       "\"; take another folder");
    for (const auto& [key, value] : json.at("run").items()) there.emplace_back(key, value.get<std::string>());
    plan_.emplace(json.at("requests").get<std::vector<std::uint64_t>>(), json.at("warm_up").get<std::uint64_t>());
  } catch (const Json::exception& error) {
    throw StateError(path + ": is damaged; take another folder, or remove this one");
  } catch (const std::invalid_argument& error) {
    throw StateError(path + ": is damaged (" + error.what() + "); take another folder, or remove this one");
  }
  if (const std::string differs = difference(there, run_, "in the folder"); !differs.empty())
    throw StateError(path_ + ": the segments are of another run: " + differs);
  if (plan_->segments() != segments_) throw StateError(path + ": is damaged; take another folder, or remove this one");
}

void SegmentFolder::make() const {
  std::error_code error;
  fs::create_directories(path_, error);
  if (error || !fs::is_directory(path_, error))
    throw UsageError("--segments-folder: cannot write into '" + path_ + "'" + (error ? ": " + error.message() : ""));
}

void SegmentFolder::begin(const SegmentPlan& plan) {
  plan_ = plan;
  make();
  const std::string path = (fs::path(path_) / kPlanFile).string();
  if (is_there(path)) return;
  Json run = Json::object();
  for (const auto& [key, value] : run_) run[key] = value;
  const Json json = {
      {"schema", kFolderSchema}, {"warm_up", plan.warm_up()}, {"requests", plan.lengths()}, {"run", run}};
  write_whole(path, json_text(json, 1) + "\n");
}

std::string SegmentFolder::file(std::size_t segment, const char* ending) const {
  const std::string name = segment == segments_ ? "end" : "segment-" + std::to_string(segment + 1);
  return (fs::path(path_) / (name + ending)).string();
}

std::string SegmentFolder::state(std::size_t segment) const { return file(segment, ".state"); }

bool SegmentFolder::has_state(std::size_t segment) const { return is_there(state(segment)); }

bool SegmentFolder::has_answer(std::size_t segment) const { return is_there(file(segment, ".answer")); }

bool SegmentFolder::complete() const {
  for (std::size_t segment = 0; segment < segments_; ++segment)
    if (!has_answer(segment)) return false;
  return has_state(segments_);
}

void SegmentFolder::write_piece(const std::string& path, const std::string& bytes) const {
  try {
    ZstdFile file(path);
    const Json text = {{"schema", kFolderSchema}, {"file", fs::path(path).filename().string()}, {"run", hash_of(run_)}};
    file.write_text(json_text(text) + "\n");
    file.write(bytes.data(), bytes.size());
    file.end_frame();
    file.close();
  } catch (const StreamError& error) {
    throw StateError(path + ": " + error.what());
  }
}

std::string SegmentFolder::read_piece(const std::string& path) const {
  const std::string anew = "; remove it, and the same command makes it anew";
  if (!is_there(path)) throw StateError(path + ": is missing; --segments-only pass makes it");
  try {
    const Json text = Json::parse(ZstdFile::read_text(path, kLongestPieceText), nullptr, false);
    if (!text.is_object() || text.value("run", "") != hash_of(run_) ||
        text.value("file", "") != fs::path(path).filename().string())
      throw StateError(path + ": is damaged, or of another run" + anew);
    const auto stream = open_byte_stream(path);
    std::string bytes;
    std::vector<char> part(std::size_t{1} << 18);
    while (const std::size_t n = stream->read(part.data(), part.size())) bytes.append(part.data(), n);
    return bytes;
  } catch (const StreamError& error) {
    throw StateError(path + ": " + error.what() + anew);
  }
}

void SegmentFolder::write_jobs(std::size_t segment, InstantPass& pass, const Workload& workload) const {
  MemoryWriter archive;
  pass.state(archive);
  std::vector<KeptRequests> jobs;
  if (reads_traces(workload) && segment < segments_) {
    pass.read_ahead(plan_->lengths()[segment] + plan_->warm_up(segment));
    for (std::size_t job = 0; job < workload.jobs.size(); ++job)
      pass.source(job).for_each_waiting([&kept = jobs.emplace_back()](const Request& request) { kept.add(request); });
  }
  archive(jobs);
  pass.learned(archive);
  write_piece(file(segment, ".jobs"), archive.bytes);
}

void SegmentFolder::read_jobs(std::size_t segment, InstantPass& pass) const {
  const std::string bytes = read_piece(file(segment, ".jobs"));
  MemoryReader archive(bytes);
  pass.state(archive);
  std::vector<KeptRequests> of_the_segment;
  archive(of_the_segment);
  pass.learned(archive);
}

void SegmentFolder::read_jobs(std::size_t segment, Workload& workload) const {
  const std::string bytes = read_piece(file(segment, ".jobs"));
  MemoryReader archive(bytes);
  JobMix mix(workload.jobs);
  std::vector<KeptRequests> kept;
  archive(mix, kept);
  for (std::size_t job = 0; job < workload.jobs.size(); ++job) {
    if (job < kept.size())
      workload.jobs[job].source = std::make_unique<KeptSource>(std::move(kept[job]));
    else
      drop_requests(*workload.jobs[job].source, mix.taken(job));
  }
}

void SegmentFolder::write_answer(std::size_t segment, const std::string& answer) const {
  write_piece(file(segment, ".answer"), answer);
}

WindowAnswer SegmentFolder::read_answer(std::size_t segment) const {
  return parse_window(read_piece(file(segment, ".answer")));
}

}  // namespace flashloom
