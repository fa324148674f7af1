#include "controllers/host/host_driver.hpp"

#include <algorithm>
#include <utility>

#include "controllers/host/host_driver_parts.hpp"
#include "controllers/runtime/until.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kProgressStep = 1024;

}  // namespace

HostDriver::HostDriver(const sc_core::sc_module_name& name, const HostConfig& config, std::uint32_t sector_bytes,
                       std::uint32_t in_flight_limit, Oracle* oracle, PayloadStore* payloads)
    : sc_module(name),
      config_(config),
      in_driver_(config.submit_cost + config.submit_latency),
      threads_(config.has_cost()),
      sector_bytes_(sector_bytes),
      in_flight_limit_(in_flight_limit),
      oracle_(oracle),
      payloads_(payloads),
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
  begin_ = kernel_now();
  active_ = static_cast<std::uint32_t>(jobs.size()) + 1;  // until all are started
  for (HostJob& given : jobs) {
    Job& job = jobs_.emplace_back();
    job.number = schedule_.add(given.name, given.start_delay, given.rules, given.group);
    job.job = std::move(given);
    accounts_ = accounts_ || job.job.accounts;
    if (threads_) job.threads.resize(job.job.queues);
    job.ramp_left = job.job.ramp_bytes;
    if (job.job.ramp_time != 0 || job.ramp_left != 0) ++ramps_;
  }
  begin_ready();
  for (const Job& job : jobs_)
    if (job.job.start_delay != 0) runtime_.spawn([this, at = begin_ + job.job.start_delay] { return begin_later(at); });
  end_job();
}

void HostDriver::begin_ready() {
  while (const auto number = schedule_.next(kernel_now() - begin_)) begin(jobs_[*number]);
  const Picoseconds over = schedule_.next_pause_over(kernel_now() - begin_);
  if (over == kNever || (pause_over_ > kernel_now() && pause_over_ <= begin_ + over)) return;
  pause_over_ = begin_ + over;
  runtime_.spawn([this, at = pause_over_] { return begin_later(at); });
}

Task<void> HostDriver::begin_later(Picoseconds at) {
  co_await Until(timers_, at);
  begin_ready();
}

void HostDriver::begin(Job& job) {
  job.begin = kernel_now();
  job.statistics.begin.value = job.ramp_left != 0 ? kNever : job.begin + job.job.ramp_time;
  job.statistics.end.value = job.begin;
  if (job.job.ramp_time != 0) runtime_.spawn([this, &job] { return ramp(job.statistics.begin.value); });
  if (job.job.flow_weight != 0) {
    const auto found =
        std::find_if(flows_.begin(), flows_.end(), [&job](const Flow& flow) { return flow.number == job.job.flow; });
    job.flow = found != flows_.end() ? &*found : &flows_.emplace_back();
    job.flow->number = job.job.flow;
    job.flow->weights += job.job.flow_weight;
  }
  ++job.parts;                            // until all slots are open
  if (job.job.source == nullptr) return;  // or until its front end ends it
  if (job.job.open_loop) {
    job.backlog.set_capacity(config_.backlog);
    ++job.parts;
    runtime_.spawn([this, &job] { return arrivals(job); });
  } else {
    for (std::uint32_t i = 0; i < job.job.iodepth; ++i) open_slot(job);
  }
  end_slot(job);
}

void HostDriver::end_slot(Job& job) {
  if (--job.parts == 0) end(job);
}

void HostDriver::end(Job& job) {
  if (job.ramp_left != 0) end_ramp(job);
  if (job.flow != nullptr) {
    job.flow->requests -= job.flow_requests;
    job.flow->weights -= job.job.flow_weight;
    job.flow->changed.wake_all();
  }
  stop(schedule_.ended(job.number, kernel_now() - begin_));
  begin_ready();
  end_job();
}

void HostDriver::stop(const std::vector<std::uint32_t>& numbers) {
  for (const std::uint32_t number : numbers) {
    Job& job = jobs_[number];
    job.stopped = true;
    if (job.flow != nullptr) job.flow->changed.wake_all();
    if (schedule_.running(number)) continue;  // its slots see it
    if (job.job.ramp_time != 0 || std::exchange(job.ramp_left, 0) != 0) ramp_over();
    --active_;
  }
}

void HostDriver::stop() { stop(schedule_.end_all(kernel_now() - begin_)); }

// Does not count as active: a run does not wait for the end of its ramps.
Task<void> HostDriver::ramp(Picoseconds end) {
  co_await Until(timers_, end);
  ramp_over();
}

void HostDriver::ramp_over() {
  if (--ramps_ == 0 && ramps_over_) ramps_over_();
}

// The ramps in bytes of a job, and of those that are reported with it.
void HostDriver::shorten_ramp(const Job& job, std::uint64_t bytes) {
  for (Job& other : jobs_) {
    const bool together = &other == &job || (!job.job.group.empty() && other.job.group == job.job.group);
    if (!together || other.ramp_left == 0) continue;
    other.ramp_left -= std::min(other.ramp_left, bytes);
    if (other.ramp_left == 0) end_ramp(other);
  }
}

// Of a ramp in bytes: they are transferred, or the job has ended before.
void HostDriver::end_ramp(Job& job) {
  job.ramp_left = 0;
  job.statistics.begin.value = kernel_now();
  ramp_over();
}

void HostDriver::end_job() {
  if (--active_ != 0) return;
  timers_.cancel_all();  // ramps that were longer than the run
  done_();
}

void HostDriver::measure_front(std::uint32_t number) {
  HostStatistics& statistics = jobs_[number].statistics;
  statistics.unmeasured += statistics.ios();
  statistics.operations = {};
  statistics.begin.value = kernel_now();
}

void HostDriver::measure_window() {
  for (Job& job : jobs_) {
    job.statistics = {};
    job.statistics.begin.value = kernel_now();
    job.statistics.end.value = kernel_now();
  }
  for (Io& io : ios_) io.measured = true;
}

void HostDriver::end_window() {
  window_ended_ = true;
  for (Job& job : jobs_) job.statistics.requests = job.statistics.completions;
}

void HostDriver::adopt(std::vector<HostJob> jobs, const std::vector<HostStatistics>& statistics) {
  for (std::size_t number = 0; number < jobs.size(); ++number) {
    Job& job = jobs_.emplace_back();
    job.job = std::move(jobs[number]);
    job.statistics = statistics[number];
  }
}

void HostDriver::adopt(const std::vector<HostStatistics>& statistics) {
  for (std::size_t number = 0; number < statistics.size(); ++number) jobs_[number].statistics = statistics[number];
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
  io.name_space = job.job.name_space;
  if (io.operation == IoOperation::WriteZeroes && !writes_zeroes_) io.operation = IoOperation::Write;
  if (request.range_count != 0) [[unlikely]]
    place_ranges(job, io, request);
  io.queue = static_cast<std::uint16_t>(job.job.queue + job.turn);
  job.turn = job.turn + 1 == job.job.queues ? 0 : job.turn + 1;
  io.at = {};
  io.at.arrival = arrival;
  io.breakdown.begin(arrival);
  io.measured = arrival >= job.statistics.begin.value;
  if (oracle_ != nullptr) [[unlikely]] {
    const std::size_t sectors = moves_data(io.operation) ? io.length / sector_bytes_ : 0;
    if (io.contents.size() < sectors) io.contents.resize(sectors);
    io.tokens = io.contents.data();
  }
}

// Copies the ranges, which belong to the source and are valid only until its next request, into the command. (Sources
// of open loops have no ranges: requests in the backlog would refer to overwritten ones.)
void HostDriver::place_ranges(const Job& job, Io& io, const Request& request) {
  if (request.ranges != io.request_ranges.data())
    io.request_ranges.assign(request.ranges, request.ranges + request.range_count);
  io.request.ranges = io.request_ranges.data();
  io.placed_ranges.clear();
  for (const RequestRange& range : io.request_ranges)
    io.placed_ranges.push_back({range.offset + job.job.offset, range.length});
  io.ranges = io.placed_ranges.data();
  io.range_count = request.range_count;
}

// The next request of the job that may be sent now: from the source, or for an open loop from those that have arrived.
bool HostDriver::take(Job& job, Io& io, bool went_on) {
  const Picoseconds now = kernel_now();
  if (job.job.open_loop) [[unlikely]] {
    if (job.backlog.empty()) return false;
    const Job::Waiting next = job.backlog.front();
    job.backlog.pop_front();
    prepare(job, io, next.request, next.arrival);
    job.backlog_space.wake_one();
    return true;
  }
  if (job.exhausted || (over(job) && !went_on)) return false;
  if (job.job.pacing != nullptr) [[unlikely]]
    job.job.pacing->advance(now - job.begin);
  if (!job.job.source->next(io.request)) {
    job.exhausted = true;
    return false;
  }
  prepare(job, io, io.request, now);
  return true;
}

bool HostDriver::over(const Job& job) const {
  return job.stopped || (job.job.runtime != 0 && kernel_now() - job.begin >= job.job.runtime);
}

// Whether the job is over when the thread gets to a request of its closed loop.
bool HostDriver::thread_runs_out(const Job& job, const Io& io) const {
  if (job.job.open_loop || job.job.runtime == 0) return false;
  return job.thread_of(io).begin() - job.begin >= job.job.runtime;
}

// When the driver submits a request that it gets now. In a closed loop the request of a busy thread arrives when the
// thread gets to it.
Picoseconds HostDriver::submitted_at(Job& job, Io& io) const {
  const Picoseconds now = kernel_now();
  if (!threads_) return now + in_driver_;
  HostThread& thread = job.thread_of(io);
  const Picoseconds begin = thread.begin();
  if (!job.job.open_loop && io.at.arrival == now && begin != now) {
    io.at.arrival = begin;
    io.breakdown.begin(begin);
    io.measured = begin >= job.statistics.begin.value;
  }
  return thread.work(config_.submit_cost) + config_.submit_latency;
}

void HostDriver::open_gate(Job& job) {
  job.closed = false;
  job.gate.wake_one();  // which wakes the next one, unless it closes the gate
}

// Whether the job sent more than its share; else its next request is counted.
bool HostDriver::ahead_of_flow(Job& job) {
  Flow& flow = *job.flow;
  if (job.flow_requests * flow.weights > job.job.flow_weight * flow.requests) return true;
  ++job.flow_requests;
  ++flow.requests;
  flow.changed.wake_all();
  return false;
}

void HostDriver::open_slot(Job& job) {
  ++job.parts;
  ++job.slots;
  runtime_.spawn([this, &job] { return slot(job); });
}

// A request with a turn has its place in its zone, which others count on: it is sent whatever ends the job. An append that
// waits for another zone opens its own, before which others must not come.
void HostDriver::take_turns(const Job& job, Io& io) {
  const Pace pace = job.job.pacing == nullptr ? Pace{} : job.job.pacing->pace();
  if (pace.after) zone_turns_->join(job.job.offset + *pace.after, false, io.after);
  if (!io.turn.taken() && ZoneTurns::concerns(io, job.job.pacing != nullptr))
    zone_turns_->join(io.offset, io.operation == IoOperation::ZoneAppend && !pace.after, io.turn);
}

Task<void> HostDriver::slot(Job& job) {
  Io& io = take_io();
  io.request = {};
  for (bool goes_on = false;;) {
    const bool went_on = std::exchange(goes_on, false);
    if (went_on) [[unlikely]]
      job.closed = false;
    while (job.closed) co_await job.gate.wait();
    if (job.flow != nullptr && !went_on) [[unlikely]] {
      job.closed = true;
      while (!over(job) && ahead_of_flow(job)) {
        if (job.job.flow_sleep == 0) {
          co_await job.flow->changed.wait();
          continue;
        }
        while (job.in_flight != 0) co_await job.drained.wait();
        co_await Until(timers_, kernel_now() + job.job.flow_sleep);
      }
      open_gate(job);
    }
    if (!take(job, io, went_on)) break;
    if (zone_turns_) [[unlikely]]
      take_turns(job, io);
    bool alone = false;
    if (job.job.pacing != nullptr) [[unlikely]] {
      const Pace pace = job.job.pacing->pace();
      if (!pace.free()) {
        job.closed = true;
        if (io.after.taken()) {
          while (!io.after.due()) co_await io.after.wait();
          zone_turns_->leave(io.after);
        }
        while (pace.drain && job.in_flight != 0) co_await job.drained.wait();
        const Picoseconds at = std::max(job.begin + pace.not_before_ps, kernel_now() + pace.pause_ps);
        const Picoseconds end = job.job.runtime == 0 ? at : job.begin + job.job.runtime;
        co_await Until(timers_, std::min(at, end));
        alone = pace.alone;
        goes_on = pace.goes_on;
        if (over(job) && !io.turn.taken()) break;  // as fio: what was not due by then is not sent
        prepare(job, io, io.request, kernel_now());
        if (!alone) job.closed = false;
      }
    }
    if (threads_ && !io.turn.taken() && thread_runs_out(job, io)) [[unlikely]]
      break;
    if (!job.closed) job.gate.wake_one();
    ++job.in_flight;
    if (io.turn.taken()) [[unlikely]]
      while (!io.turn.due()) co_await io.turn.wait();
    do {
      while (!powered_) co_await power_.wait();
      if (in_driver_ != 0 || threads_) [[unlikely]]
        co_await Until(timers_, submitted_at(job, io));
    } while (!powered_);  // a cut found it in the driver
    note_submission(job, io, io.measured, in_driver_);
    if (job.job.bytes != nullptr) [[unlikely]]
      put_bytes(job, io);
    co_await Submission{*this, io};
    if (oracle_ != nullptr) [[unlikely]]
      oracle_->completed(io);
    if (job.job.bytes != nullptr) [[unlikely]]
      get_bytes(job, io);
    if (config_.complete_latency != 0 || config_.complete_cost != 0) [[unlikely]] {
      co_await Until(timers_, kernel_now() + config_.complete_latency);
      if (config_.complete_cost != 0) co_await Until(timers_, job.thread_of(io).work(config_.complete_cost));
      io.at.complete = kernel_now();
      io.breakdown.attribute(LatencyPart::Host, io.at.complete);
    }
    if (io.turn.taken() && !goes_on) [[unlikely]]
      zone_turns_->leave(io.turn);
    record(job, io, io.measured);
    if (accounts_ && io.status == IoStatus::Ok) [[unlikely]]
      totals_.application_bytes += application_bytes(job.job, io.request);
    if (--job.in_flight == 0) job.drained.wake_all();
    if (alone && !goes_on) open_gate(job);
  }
  if (io.turn.taken()) zone_turns_->leave(io.turn);  // the request that the job's end came before
  open_gate(job);
  free_ios_.push_back(&io);
  --job.slots;
  end_slot(job);
}

Task<void> HostDriver::arrivals(Job& job) {
  Request request;
  while (!job.stopped && job.job.source->next(request)) {
    const auto after = config_.speedup == 1.0
                           ? request.arrival_ps
                           : static_cast<Picoseconds>(static_cast<double>(request.arrival_ps) / config_.speedup);
    if (job.job.runtime != 0 && after >= job.job.runtime) break;
    const Picoseconds arrival = job.begin - job.job.arrived_before + after;
    co_await Until(timers_, arrival);
    while (job.backlog.full()) co_await job.backlog_space.wait();
    job.backlog.push_back({request, arrival});
    if (job.slots < in_flight_limit_) open_slot(job);
  }
  end_slot(job);
}

// `in_driver`: time that the request spent in the driver before it is sent.
void HostDriver::note_submission(Job& job, IoCommand& io, bool measured, Picoseconds in_driver) {
  const Picoseconds now = kernel_now();
  HostStatistics& statistics = job.statistics;
  if (!window_ended_) [[likely]] {
    if (measured && now - in_driver > io.at.arrival) {
      ++statistics.late;
      statistics.max_lateness.note(now - in_driver - io.at.arrival);
    }
    ++statistics.requests;
  }
  if (oracle_ != nullptr) [[unlikely]]
    oracle_->submitted(io);
  io.at.submit = now;
  io.breakdown.attribute(LatencyPart::Backlog, now - in_driver);
  io.breakdown.attribute(LatencyPart::Host, now);
  io.number = ++numbers_;
  for (HostObserver* const observer : observers_) observer->submitted(io, job.number);
}

void HostDriver::send(SentCommand& command) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  (*sockets_[command.queue])->nb_transport_fw(command, phase, delay);
  if (phase == tlm::END_REQ) command.at.accepted = kernel_now();
}

void HostDriver::record(Job& job, const IoCommand& io, bool measured) {
  if (window_ended_) [[unlikely]]
    return;
  HostStatistics& statistics = job.statistics;
  ++statistics.completions;
  statistics.end.value = io.at.complete;
  if (io.status == IoStatus::Ok) [[likely]] {
    ++totals_.ios[static_cast<std::size_t>(io.operation)];
    totals_.bytes[static_cast<std::size_t>(io.operation)] += io.length;
    if (measured) {
      HostStatistics::Operation& operation = statistics.operations[static_cast<std::size_t>(io.operation)];
      ++operation.ios;
      operation.bytes += io.length;
      const Picoseconds latency = io.at.complete - io.at.arrival;
      operation.latency.add(latency);
      if (config_.latency_breakdown) operation.breakdown.add(latency, io.breakdown);
      operation.slat.add(io.at.accepted - io.at.arrival);
      operation.clat.add(io.at.complete - io.at.accepted);
    } else {
      ++statistics.unmeasured;
      if (job.ramp_left != 0) [[unlikely]]
        shorten_ramp(job, io.length);
    }
  } else if (io.status == IoStatus::PowerLost) {
    ++statistics.power_lost;
  } else if (io.status == IoStatus::WriteProtected) {
    ++statistics.write_protected;
  } else if (is_zone_error(io.status)) {
    ++statistics.zone_errors;
    if (job.job.ends_at_zone_error) stop({job.number});
  } else {
    ++statistics.media_errors;
  }
  for (HostObserver* const observer : observers_) observer->completed(io, job.number, measured);
  if (++completions_ % kProgressStep == 0 && progress_) progress_(completions_);
}

tlm::tlm_sync_enum HostDriver::nb_transport_bw(IoCommand& command, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    command.at.accepted = kernel_now() + delay.value();
    return tlm::TLM_ACCEPTED;
  }
  auto& sent = static_cast<SentCommand&>(command);
  timers_.schedule(sent, kernel_now() + delay.value());
  sent.foresee();
  return tlm::TLM_COMPLETED;
}

void HostDriver::power_back() {
  powered_ = true;
  power_.wake_all();
}

}  // namespace flashloom
