#include "controllers/host/heap_processes.hpp"

#include <stdexcept>

#include "controllers/runtime/until.hpp"
#include "models/common/counters.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kAll = std::uint64_t{1} << 63;
constexpr std::uint64_t kProgress = 64;       // operations between two reports
constexpr std::uint32_t kFramesAProcess = 4;  // of heap.in_flight

MappingRule rule_of(const HeapConfig& config) {
  using enum MappingRule::Kind;
  return {config.mapping == "lru"       ? Lru
          : config.mapping == "never"   ? Never
          : config.mapping == "hot"     ? Hot
          : config.mapping == "process" ? Process
                                        : Accesses,
          config.mapped};
}

}  // namespace

HeapJobStatistics& HeapJobStatistics::operator+=(const HeapJobStatistics& other) {
  add(*this, other);
  return *this;
}

HeapProcesses::HeapProcesses(ObjectHeap& heap, const HeapConfig& config, std::uint32_t sector_bytes, Oracle* oracle)
    : heap_(heap),
      rule_(rule_of(config)),
      most_(config.in_flight / kFramesAProcess),
      sector_bytes_(sector_bytes),
      oracle_(oracle) {}

HeapProcesses::~HeapProcesses() { heap_.runtime().destroy_frames(); }

void HeapProcesses::start(std::vector<HeapJob> jobs, std::function<void()> done) {
  if (jobs.size() > most_)
    throw std::invalid_argument(std::to_string(jobs.size()) + " processes need heap.in_flight of at least " +
                                std::to_string(jobs.size() * kFramesAProcess) + " frames");
  done_ = std::move(done);
  start_ = begin_ = end_ = kernel_now();
  active_ = static_cast<std::uint32_t>(jobs.size());
  for (HeapJob& job : jobs) {
    Process& process = processes_.emplace_back();
    process.name = std::move(job.name);
    process.source = std::make_unique<MappingLifetime>(std::move(job.source), rule_);
    process.left = job.requests == 0 ? kAll : job.requests;
  }
  for (Process& process : processes_)
    if (take(process) && process.request.setup) {
      process.setup = true;
      ++in_setup_;
    }
  for (Process& process : processes_) heap_.runtime().spawn([&] { return run(process); });
}

// The next request into `request`; false at the end.
bool HeapProcesses::take(Process& process) {
  process.over = process.left == 0 || !process.source->next(process.request);
  if (process.over) return false;
  const ObjectOperation operation = process.request.operation;
  if (operation != ObjectOperation::Map && operation != ObjectOperation::Unmap) --process.left;
  return true;
}

// `request` has been taken already.
Task<void> HeapProcesses::run(Process& process) {
  while (!process.over) {
    if (!process.request.setup) leave_setup(process);
    const Picoseconds arrival = start_ + process.request.arrival_ps;
    if (process.request.arrival_ps != 0) co_await Until(heap_.timers(), arrival);
    const Picoseconds begin = process.request.arrival_ps != 0 ? arrival : kernel_now();
    process.working = true;
    const HeapStatus status = co_await perform(process);
    process.working = false;
    record(process, begin, status);
    take(process);
  }
  leave_setup(process);
  if (--active_ == 0) done_();
}

void HeapProcesses::leave_setup(Process& process) {
  if (!process.setup) return;
  process.setup = false;
  if (--in_setup_ != 0) return;
  begin_ = kernel_now();
  if (setup_over_) setup_over_();
}

// The oracle sees the heap as a device: its address space, in which a deleted object leaves zeroes.
void HeapProcesses::tell(Process& process) {
  if (oracle_ == nullptr) return;
  const ObjectRequest& request = process.request;
  process.command = {};
  process.command.offset = heap_.address(request.object) + request.offset;
  process.command.length = request.length;
  process.command.operation = request.operation == ObjectOperation::Read     ? IoOperation::Read
                              : request.operation == ObjectOperation::Update ? IoOperation::Write
                                                                             : IoOperation::Trim;
  if (request.operation == ObjectOperation::Delete) {
    const std::uint64_t page = heap_.layout().page_bytes;
    process.command.length = (heap_.bytes(request.object) + page - 1) / page * page;
  }
  process.tokens.resize(std::max<std::size_t>(process.tokens.size(), process.command.length / sector_bytes_));
  process.command.tokens = process.tokens.data();
  oracle_->submitted(process.command);
  process.told = true;
}

Task<HeapStatus> HeapProcesses::perform(Process& process) {
  const ObjectRequest& request = process.request;
  switch (request.operation) {
    case ObjectOperation::Create:
      return heap_.create(request.object, request.length);
    case ObjectOperation::Map:
      return heap_.map(request.object);
    case ObjectOperation::Unmap:
      return heap_.unmap(request.object);
    case ObjectOperation::Delete:
      if (heap_.exists(request.object)) tell(process);
      return heap_.remove(request.object);
    case ObjectOperation::Read:
    case ObjectOperation::Update:
      break;
  }
  if (heap_.exists(request.object)) tell(process);
  process.access = {.object = request.object,
                    .update = request.operation == ObjectOperation::Update,
                    .offset = request.offset,
                    .length = request.length,
                    .tokens = oracle_ == nullptr ? nullptr : process.tokens.data()};
  return heap_.access(process.access);
}

void HeapProcesses::record(Process& process, Picoseconds arrival, HeapStatus status) {
  const ObjectRequest& request = process.request;
  const bool failed = status == HeapStatus::MediaError;
  if (failed) process.command.status = IoStatus::MediaError;
  if (process.told) oracle_->completed(process.command);
  process.told = false;
  const bool done_before =
      process.again && ((request.operation == ObjectOperation::Create && status == HeapStatus::Exists) ||
                        (request.operation == ObjectOperation::Delete && status == HeapStatus::NotFound));
  process.again = false;
  if (status != HeapStatus::Ok && !done_before && !failed)
    throw std::runtime_error(process.name + ": " + to_string(request.operation) + " of object " +
                             std::to_string(request.object) + ": " + to_string(status));
  end_ = kernel_now();
  ++completions_;
  if (failed) {
    process.statistics.failed_bytes += request.length;
  } else if (!request.setup) {
    auto& operation = process.statistics.operations[static_cast<std::size_t>(request.operation)];
    ++operation.count;
    operation.bytes += request.length;
    operation.latency.add(end_ - arrival);
  }
  if (progress_ && completions_ % kProgress == 0) progress_(completions_);
}

void HeapProcesses::power_lost() {
  for (Process& process : processes_) {
    if (process.told) {
      process.command.status = IoStatus::PowerLost;
      oracle_->completed(process.command);
      process.told = false;
    }
    if (!process.over && process.source->restart()) ++process.left;
    process.again = process.again || process.working;
    if (process.working) ++process.statistics.struck;
    process.working = false;
  }
}

void HeapProcesses::power_back() {
  for (Process& process : processes_) {
    if (process.over) continue;
    take(process);
    heap_.runtime().spawn([&] { return run(process); });
  }
}

HeapJobStatistics HeapProcesses::statistics() const {
  HeapJobStatistics sum;
  for (const Process& process : processes_) sum += process.statistics;
  return sum;
}

}  // namespace flashloom
