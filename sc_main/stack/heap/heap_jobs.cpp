// A workload for the object heap: its jobs as processes.

#include "controllers/ssd/firmware.hpp"
#include "sc_main/assembly/config/document.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/part_jobs.hpp"
#include "sc_main/stack/heap/heap_part.hpp"
#include "workloads/objects/block_objects.hpp"

namespace flashloom {
namespace {

/// Numbers the objects of a source from `first` on.
class NumberedFrom final : public ObjectSource {
 public:
  NumberedFrom(std::unique_ptr<ObjectSource> source, std::uint32_t first) : source_(std::move(source)), first_(first) {}
  bool next(ObjectRequest& request) override {
    if (!source_->next(request)) return false;
    request.object += first_;
    return true;
  }
  std::uint64_t expected_requests() const override { return source_->expected_requests(); }
  std::uint64_t objects() const override { return source_->objects(); }

 private:
  std::unique_ptr<ObjectSource> source_;
  std::uint32_t first_;
};

void refuse_on_heap(const RunOptions& options) {
  const auto refuse = [](bool given, const std::string& option, const std::string& why) {
    if (given) throw UsageError(option + ": " + why + "; without the heap: --set heap.nvram.kind=none");
  };
  refuse(options.untimed, "--untimed", "the object heap needs time");
  refuse(options.data, "--data", "objects have no bytes that fio wrote");
  refuse(options.alone, "--alone", "is of jobs on a device, not of processes on the object heap");
  refuse(!options.io_log.empty(), "--io-log", "has the requests of a host, and the object heap is in its place");
}

DeviceSpace heap_space(const DeviceConfig& config) {
  const std::uint64_t bytes = heap_layout(config, capacity_bytes(config)).heap_bytes();
  return {.capacity = bytes - bytes % config.heap.object, .sector_size = config.host_interface.sector_size};
}

/// Makes each job a process with its own objects: those of its source if it has any, else blocks of heap.object bytes
/// of its address space. Throws ConfigError for more objects than heap.objects, and UsageError for jobs with start
/// times, runtimes, rates or rules between jobs.
std::vector<HeapJob> heap_jobs(std::vector<HostJob> jobs, const RunOptions& options, const DeviceConfig& config,
                               const DeviceSpace& space) {
  std::vector<HeapJob> processes;
  std::uint64_t objects = 0;
  for (HostJob& job : jobs) {
    if (job.start_delay != 0 || job.runtime != 0 || job.ramp_time != 0 || job.ramp_bytes != 0 ||
        job.pacing != nullptr || job.flow_weight != 0 || job.rules.stonewall || !job.rules.wait_for.empty() ||
        job.rules.ends != JobRules::Ends::Nothing)
      throw UsageError("job " + job.name +
                       ": processes of the object heap begin together and go on to their end: no start, runtime, ramp, "
                       "rate, flow, or rules between jobs");
    if (job.objects == nullptr)
      job.objects = std::make_unique<ObjectsOfBlocks>(std::move(job.source), config.heap.object, space.capacity,
                                                      job.open_loop ? config.host.speedup : 0);
    const auto first = static_cast<std::uint32_t>(objects);
    objects += job.objects->objects();
    if (objects > config.heap.objects)
      throw ConfigError("job " + job.name, "heap.objects",
                        std::to_string(config.heap.objects) + " are fewer than the workload's; valid: at least " +
                            std::to_string(objects));
    processes.push_back({.name = job.name,
                         .source = std::make_unique<NumberedFrom>(std::move(job.objects), first),
                         .requests = options.max_requests});
  }
  return processes;
}

constexpr PartJobs kHeapJobs = {.refuse = refuse_on_heap,
                                .space = heap_space,
                                .hand_over = [](StackPart& part, std::vector<HostJob> jobs, const RunOptions& options,
                                                const DeviceConfig& config, const DeviceSpace& space) {
                                  static_cast<HeapPart&>(part).take(heap_jobs(std::move(jobs), options, config, space));
                                }};
[[maybe_unused]] const auto* const heap_jobs_are_set = heap_part_jobs = &kHeapJobs;

}  // namespace
}  // namespace flashloom
