#include "sc_main/run/workload.hpp"

#include <filesystem>

#include "sc_main/config/content_hash.hpp"
#include "sc_main/run/fio_jobs.hpp"
#include "sc_main/run/trace_jobs.hpp"

namespace flashloom {
namespace {

// The first so many requests of a source.
class FirstRequests final : public RequestSource {
 public:
  FirstRequests(std::unique_ptr<RequestSource> source, std::uint64_t requests)
      : source_(std::move(source)), left_(requests) {}

  bool next(Request& request) override { return left_ != 0 && source_->next(request) && left_-- != 0; }
  std::uint64_t expected_requests() const override { return std::min(source_->expected_requests(), left_); }
  SourcePosition position() const override { return source_->position(); }

 private:
  std::unique_ptr<RequestSource> source_;
  std::uint64_t left_;
};

std::unique_ptr<RequestSource> limited(std::unique_ptr<RequestSource> source, std::uint64_t requests) {
  if (requests == 0) return source;
  return std::make_unique<FirstRequests>(std::move(source), requests);
}

void add_inputs(Workload& workload, const std::vector<std::string>& paths) {
  ContentHash all;
  for (const std::string& path : paths) {
    workload.inputs.push_back(
        {.file = std::filesystem::path(path).filename().string(), .hash = content_hash_of_file(path)});
    all.add(workload.inputs.back().hash);
  }
  workload.hash = paths.size() == 1 ? workload.inputs.front().hash : all.text();
}

}  // namespace

Workload open_workload(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space) {
  const bool is_trace = options.job.empty();
  Workload workload;
  workload.kind = is_trace ? "trace" : "job";
  if (is_trace) {
    std::vector<std::string> paths;
    for (const TraceSpec& trace : options.traces.traces) paths.push_back(trace.path);
    add_inputs(workload, paths);
    workload.file = trace_names(options.traces);
    workload.jobs = open_trace_jobs(options.traces, options.address_fit, config, space);
  } else {
    add_inputs(workload, {options.job});
    workload.file = workload.inputs.front().file;
    add_fio_jobs(workload, options.job, config, space);
  }
  for (HostJob& job : workload.jobs) job.source = limited(std::move(job.source), options.max_requests);
  for (const HostJob& job : workload.jobs) {
    const std::uint64_t expected = job.source->expected_requests();
    if (expected == 0) {
      workload.expected_requests = 0;
      break;
    }
    workload.expected_requests += expected;
  }
  return workload;
}

}  // namespace flashloom
