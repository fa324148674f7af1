#include "controllers/host/host_driver.hpp"

#include <algorithm>

namespace flashloom {
namespace {

constexpr std::uint64_t kProgressStep = 1024;

// Waits on the host's own clock.
class Until final : public Timer {
 public:
  Until(TimerQueue& timers, Picoseconds at) : timers_(timers), at_(at) {}
  bool await_ready() const { return at_ <= kernel_now(); }
  void await_suspend(std::coroutine_handle<> waiter) {
    waiter_ = waiter;
    runtime_ = &Runtime::current();
    timers_.schedule(*this, at_);
  }
  void await_resume() const noexcept {}
  void on_timer() override { runtime_->wake(waiter_); }

 private:
  TimerQueue& timers_;
  Picoseconds at_;
  std::coroutine_handle<> waiter_{};
  Runtime* runtime_ = nullptr;
};

}  // namespace

void to_command(const Request& request, IoCommand& command) {
  switch (request.kind) {
    case RequestKind::Read:
      command.operation = IoOperation::Read;
      break;
    case RequestKind::Write:
      command.operation = IoOperation::Write;
      break;
    case RequestKind::Trim:
      command.operation = IoOperation::Trim;
      break;
    case RequestKind::Flush:
      command.operation = IoOperation::Flush;
      break;
  }
  command.status = IoStatus::Ok;
  command.offset = request.kind == RequestKind::Flush ? 0 : request.offset;
  command.length = request.kind == RequestKind::Flush ? 0 : request.length;
  command.fua = request.fua;
  command.stream = request.stream;
}

// A command in flight or waiting to be used again. Its completion always goes through the timer queue, so that a device
// which answers at once cannot recurse into the next submission.
struct HostDriver::Io final : IoCommand, Timer {
  HostDriver* driver = nullptr;
  std::vector<SectorToken> contents;
  std::coroutine_handle<> waiter{};
  bool measured = true;

  void on_timer() override {
    at.complete = kernel_now();
    driver->runtime_.wake(waiter);
  }
};

struct HostDriver::Job {
  std::uint32_t number = 0;
  HostJob job;
  HostStatistics statistics;
  Picoseconds begin = 0;
  // Open loop.
  struct Waiting {
    Request request;
    Picoseconds arrival;
  };
  boost::circular_buffer<Waiting> backlog;
  WaitList backlog_space;
  std::uint32_t slots = 0;  // coroutines that send its requests
  std::uint32_t turn = 0;   // of its queues
  bool exhausted = false;
};

struct HostDriver::Submission {
  HostDriver& driver;
  Io& io;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) const {
    io.waiter = waiter;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    (*driver.sockets_[io.queue])->nb_transport_fw(io, phase, delay);
    if (phase == tlm::END_REQ) io.at.accepted = kernel_now();
  }
  void await_resume() const noexcept {}
};

HostDriver::HostDriver(const sc_core::sc_module_name& name, const HostConfig& config, std::uint32_t sector_bytes,
                       std::uint32_t in_flight_limit, Oracle* oracle)
    : sc_module(name),
      config_(config),
      sector_bytes_(sector_bytes),
      in_flight_limit_(in_flight_limit),
      oracle_(oracle),
      timers_("timers") {
  for (std::uint32_t queue = 0; queue < config.queues; ++queue) {
    sockets_.push_back(std::make_unique<BlockInitiatorSocket>(("queue" + std::to_string(queue)).c_str()));
    sockets_.back()->bind(*this);
  }
}

HostDriver::~HostDriver() = default;

std::uint32_t HostDriver::jobs() const { return static_cast<std::uint32_t>(jobs_.size()); }

const HostJob& HostDriver::job(std::uint32_t number) const { return jobs_[number].job; }

const HostStatistics& HostDriver::statistics(std::uint32_t number) const { return jobs_[number].statistics; }

HostStatistics HostDriver::statistics() const {
  if (jobs_.empty()) return {};
  HostStatistics sum = jobs_.front().statistics;
  for (std::size_t i = 1; i < jobs_.size(); ++i) sum += jobs_[i].statistics;
  return sum;
}

void HostDriver::start(std::vector<HostJob> jobs, std::function<void()> done) {
  done_ = std::move(done);
  ++active_;  // until all are started
  for (HostJob& given : jobs) {
    Job& job = jobs_.emplace_back();
    job.number = static_cast<std::uint32_t>(jobs_.size() - 1);
    job.job = std::move(given);
    if (job.job.ramp_time != 0) ++ramps_;
  }
  for (Job& job : jobs_) {
    if (job.job.start_delay == 0) {
      begin(job);
    } else {
      ++active_;
      runtime_.spawn([this, &job] { return begin_later(job); });
    }
  }
  end_part();
}

Task<void> HostDriver::begin_later(Job& job) {
  co_await Until(timers_, kernel_now() + job.job.start_delay);
  begin(job);
  end_part();
}

void HostDriver::begin(Job& job) {
  job.begin = kernel_now();
  job.statistics.begin = job.begin + job.job.ramp_time;
  job.statistics.end = job.begin;
  if (job.job.ramp_time != 0) runtime_.spawn([this, &job] { return ramp(job.statistics.begin); });
  if (job.job.open_loop) {
    job.backlog.set_capacity(config_.backlog);
    ++active_;
    runtime_.spawn([this, &job] { return arrivals(job); });
  } else {
    for (std::uint32_t i = 0; i < job.job.iodepth; ++i) open_slot(job);
  }
}

// Not an active part: a run does not wait for the end of its ramps.
Task<void> HostDriver::ramp(Picoseconds end) {
  co_await Until(timers_, end);
  if (--ramps_ == 0 && ramps_over_) ramps_over_();
}

void HostDriver::end_part() {
  if (--active_ != 0) return;
  timers_.cancel_all();  // ramps that were longer than the run
  done_();
}

HostDriver::Io& HostDriver::take_io() {
  if (free_ios_.empty()) {
    Io& created = ios_.emplace_back();
    created.driver = this;
    free_ios_.push_back(&created);
  }
  Io& io = *free_ios_.back();
  free_ios_.pop_back();
  return io;
}

void HostDriver::prepare(Job& job, Io& io, const Request& request, Picoseconds arrival) {
  to_command(request, io);
  if (io.operation != IoOperation::Flush) io.offset += job.job.offset;
  io.queue = static_cast<std::uint16_t>(job.job.queue + job.turn);
  job.turn = job.turn + 1 == job.job.queues ? 0 : job.turn + 1;
  io.at.arrival = arrival;
  io.measured = arrival >= job.statistics.begin;
  if (oracle_ != nullptr) {
    const std::size_t sectors = io.operation == IoOperation::Trim ? 0 : io.length / sector_bytes_;
    if (io.contents.size() < sectors) io.contents.resize(sectors);
    io.tokens = io.contents.data();
  }
}

// The next request of the job that may be sent now: from the source, or for an open loop from those that have arrived.
bool HostDriver::take(Job& job, Io& io) {
  const Picoseconds now = kernel_now();
  if (job.job.open_loop) {
    if (job.backlog.empty()) return false;
    const Job::Waiting next = job.backlog.front();
    job.backlog.pop_front();
    prepare(job, io, next.request, next.arrival);
    job.backlog_space.wake_one();
    return true;
  }
  if (job.exhausted || (job.job.runtime != 0 && now - job.begin >= job.job.runtime)) return false;
  Request request;
  if (!job.job.source->next(request)) {
    job.exhausted = true;
    return false;
  }
  prepare(job, io, request, now);
  return true;
}

void HostDriver::open_slot(Job& job) {
  ++active_;
  ++job.slots;
  runtime_.spawn([this, &job] { return slot(job); });
}

Task<void> HostDriver::slot(Job& job) {
  Io& io = take_io();
  while (take(job, io)) {
    while (!powered_) co_await power_.wait();
    if (config_.submit_latency != 0) co_await Until(timers_, kernel_now() + config_.submit_latency);
    note_submission(job, io);
    co_await Submission{*this, io};
    if (oracle_ != nullptr) oracle_->completed(io);
    if (config_.complete_latency != 0) {
      co_await Until(timers_, kernel_now() + config_.complete_latency);
      io.at.complete = kernel_now();
    }
    record(job, io);
  }
  free_ios_.push_back(&io);
  --job.slots;
  end_part();
}

Task<void> HostDriver::arrivals(Job& job) {
  Request request;
  while (job.job.source->next(request)) {
    const auto after = config_.speedup == 1.0
                           ? request.arrival_ps
                           : static_cast<Picoseconds>(static_cast<double>(request.arrival_ps) / config_.speedup);
    if (job.job.runtime != 0 && after >= job.job.runtime) break;
    const Picoseconds arrival = job.begin + after;
    co_await Until(timers_, arrival);
    while (job.backlog.full()) co_await job.backlog_space.wait();
    job.backlog.push_back({request, arrival});
    if (job.slots < in_flight_limit_) open_slot(job);
  }
  end_part();
}

void HostDriver::note_submission(Job& job, Io& io) {
  const Picoseconds now = kernel_now();
  HostStatistics& statistics = job.statistics;
  if (io.measured && now - config_.submit_latency > io.at.arrival) {
    ++statistics.late;
    statistics.max_lateness = std::max(statistics.max_lateness, now - config_.submit_latency - io.at.arrival);
  }
  ++statistics.requests;
  if (oracle_ != nullptr) oracle_->submitted(io);
  io.at.submit = now;
  for (HostObserver* const observer : observers_) observer->submitted(io, job.number);
}

void HostDriver::record(Job& job, Io& io) {
  HostStatistics& statistics = job.statistics;
  ++statistics.completions;
  statistics.end = io.at.complete;
  if (io.status == IoStatus::Ok) {
    if (io.measured) {
      HostStatistics::Operation& operation = statistics.operations[static_cast<std::size_t>(io.operation)];
      ++operation.ios;
      operation.bytes += io.length;
      operation.latency.add(io.at.complete - io.at.arrival);
      operation.slat.add(io.at.accepted - io.at.arrival);
      operation.clat.add(io.at.complete - io.at.accepted);
    } else {
      ++statistics.unmeasured;
    }
  } else if (io.status == IoStatus::PowerLost) {
    ++statistics.power_lost;
  } else {
    ++statistics.media_errors;
  }
  for (HostObserver* const observer : observers_) observer->completed(io, job.number, io.measured);
  if (++completions_ % kProgressStep == 0 && progress_) progress_(completions_);
}

tlm::tlm_sync_enum HostDriver::nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  Io& io = static_cast<Io&>(command);
  if (phase == tlm::END_REQ) {
    io.at.accepted = kernel_now() + delay.value();
    return tlm::TLM_ACCEPTED;
  }
  timers_.schedule(io, kernel_now() + delay.value());
  return tlm::TLM_COMPLETED;
}

void HostDriver::power_back() {
  powered_ = true;
  power_.wake_all();
}

}  // namespace flashloom
