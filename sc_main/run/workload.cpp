#include "sc_main/run/workload.hpp"

#include <filesystem>

#include "sc_main/config/content_hash.hpp"
#include "sc_main/run/fio_jobs.hpp"
#include "workloads/traces/trace_format.hpp"

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

void add_trace(Workload& workload, const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space) {
  const TraceOptions trace{.format = options.format, .parameters = options.trace_parameters};
  HostJob job;
  job.name = workload.file;
  job.iodepth = config.host.iodepth;
  job.open_loop = config.host.replay == "timed";
  job.queues = config.host.queues;  // nobody else is there to use them
  job.source =
      fit_addresses([&options, trace] { return open_trace(options.trace, trace); }, space, options.address_fit);
  workload.jobs.push_back(std::move(job));
}

}  // namespace

Workload open_workload(const RunOptions& options, const DeviceConfig& config, const DeviceSpace& space) {
  const bool is_trace = options.job.empty();
  const std::string& path = is_trace ? options.trace : options.job;
  Workload workload;
  workload.kind = is_trace ? "trace" : "job";
  workload.file = std::filesystem::path(path).filename().string();
  workload.hash = content_hash_of_file(path);
  if (is_trace)
    add_trace(workload, options, config, space);
  else
    add_fio_jobs(workload, path, config, space);
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
