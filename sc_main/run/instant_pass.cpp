#include "sc_main/run/instant_pass.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "controllers/hardware/drive_faults.hpp"
#include "sc_main/system/instant_rest.hpp"

namespace flashloom {
namespace {

// What holds a job back from sending its requests one after the other; null: nothing.
const char* why_not(const HostJob& job, const HostJob& first, bool timed) {
  const JobRules& rules = job.rules;
  if (rules.stonewall || !rules.wait_for.empty() || !rules.after.empty() || rules.ends != JobRules::Ends::Nothing)
    return "begins or ends with another one";
  if (job.start_delay != 0) return "begins later";
  if (job.pacing != nullptr) return "sends its requests at a pace of its own (rate, thinktime, flushes)";
  if (job.flow_weight != 0) return "keeps to a flow";
  if (job.bytes != nullptr) return "has real bytes";
  if (job.open_loop && !timed) return "is replayed at its own times; set host.replay=closed";
  if (job.runtime != first.runtime || job.ramp_time != first.ramp_time) return "has another runtime or ramp_time";
  return nullptr;
}

// The same of devices: what goes by time, and does not settle within a window.
std::pair<const char*, const char*> why_not(const DeviceConfig& config) {
  if (config.power.cut_count() != 0) return {"power.cut_at and power.cuts", "strike at one instant of a whole run"};
  if (config.heap.present()) return {"heap", "has processes in place of requests"};
  if (config.hdd.capacity != 0) return {"hdd.capacity", "makes a tier, which moves segments by time"};
  if (config.array.present()) return {"array.level", "makes an array, which the instant clock does not know"};
  if (config.host.cache.size != 0) return {"host.cache.size", "makes a page cache, which writes back by time"};
  if (config.thermal.on()) return {"thermal.model", "goes by the heat of the whole run"};
  return {nullptr, nullptr};
}

// Requests that an open loop may send while those of a window complete.
constexpr std::uint64_t kBehindOpenLoop = 4096;

// Of page types that take turns: the mean.
double mean_seconds(const std::vector<Picoseconds>& times) {
  return seconds(std::accumulate(times.begin(), times.end(), Picoseconds{0})) / static_cast<double>(times.size());
}

}  // namespace

void check_carried_out(const std::string& option, const DeviceConfig& config, const std::vector<HostJob>& jobs,
                       bool timed) {
  if (const auto [key, reason] = why_not(config); key != nullptr)
    throw UsageError(option + ": " + key + " " + reason + "; run it whole, without " + option);
  for (const HostJob& job : jobs)
    if (const char* const reason = why_not(job, jobs.front(), timed && jobs.size() == 1); reason != nullptr)
      throw UsageError(option + ": job " + job.name + " " + reason);
}

InstantPass::InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress)
    : config_(config),
      simulation_(simulation),
      jobs_(workload.jobs),
      reads_traces_(flashloom::reads_traces(workload)),
      progress_(std::move(progress)),
      read_time_(mean_seconds(config.device.nand.read_time)),
      program_time_(mean_seconds(config.device.nand.program_time)),
      erase_time_(seconds(config.device.nand.erase_time)),
      pool_(std::thread::hardware_concurrency(), ChildPool::Ends::AtOnce),
      host_(simulation.instant_host()),
      leaves_out_reads_(!simulation.ssd().firmware().reads_leave_traces()),
      mix_(jobs_) {
  for (HostJob& job : jobs_) {
    auto source = std::make_unique<LookAhead>(std::move(job.source));
    sources_.push_back(source.get());
    job.source = std::move(source);
  }
  if (simulation.ssd().faults() != nullptr) simulation.ssd().faults()->begin();
  simulation.tell_savings(jobs_);
  if (leaves_out_reads_) mix_.leave_out_reads();
}

void InstantPass::carry_out_to(std::uint64_t request) {
  constexpr std::uint64_t kStep = 1 << 14;
  while (at() < request) {
    const std::uint64_t before = at();
    const std::uint64_t step = std::min(kStep, request - before);
    if (open_loop()) {
      carry_out_open_loop(step);
    } else {
      mix_.allow(step);
      host_.run(mix_);
    }
    if (progress_) progress_(at());
    give_up_if_interrupted();
    pool_.look();
    if (at() == before) return;  // the jobs have ended
  }
}

KnownWork InstantPass::known() const {
  const FlashCounters& counters = simulation_.ssd().instant_flash().counters();
  const auto time = [&counters](FlashOperation operation, double each) {
    return static_cast<double>(counters.total(operation).commands) * each;
  };
  return {.requests = static_cast<double>(at()),
          .work = time(FlashOperation::Read, read_time_) + time(FlashOperation::Program, program_time_) +
                  time(FlashOperation::Erase, erase_time_),
          .read = static_cast<double>(mix_.bytes_read()),
          .clock = open_loop() ? seconds_of(mix_.arrival_ps()) : 0};
}

double InstantPass::seconds_of(std::uint64_t arrival_ps) const {
  return seconds(arrival_ps) / config_.device.host.speedup;
}

// Of all dies together.
double InstantPass::read_time(double bytes) const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  return bytes / geometry.unit_bytes * read_time_ / geometry.dies;
}

double InstantPass::time_of(const KnownWork& known) const {
  return known.work / simulation_.ssd().geometry().dies + (leaves_out_reads_ ? read_time(known.read) : 0);
}

// Of a byte that the host writes, which makes as many programs as it has until now.
double InstantPass::write_time() const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  const FlashCounters& counters = simulation_.ssd().instant_flash().counters();
  const auto programs = static_cast<double>(counters.total(FlashOperation::Program).commands);
  const auto written = static_cast<double>(mix_.bytes_written());
  return program_time_ / geometry.dies * (written == 0 ? 1.0 / geometry.unit_bytes : programs / written);
}

bool InstantPass::foresees() {
  return sources_.size() == 1 && sources_.front()->fill(1) != 0 &&
         (open_loop() || !sources_.front()->position().file.empty());
}

InstantPass::Preview InstantPass::preview(std::uint64_t requests) {
  Preview preview;
  sources_.front()->fill(requests);
  preview.costs.reserve(requests);
  BacklogEstimate backlog = backlog_;
  const double write_time_each = write_time();
  sources_.front()->for_each_waiting([&](const Request& request) {
    if (preview.costs.size() == requests) return;
    const auto bytes = static_cast<double>(request.length);
    const bool writes = request.kind == RequestKind::Write;
    const double cost = writes ? bytes * write_time_each : request.kind == RequestKind::Read ? read_time(bytes) : 0;
    preview.costs.push_back(static_cast<float>(cost));
    if (!open_loop()) return;
    backlog.arrive(seconds_of(request.arrival_ps), pace_ * preview.costs.back());
    preview.slack.push_back(static_cast<float>(backlog.rest() - backlog.behind()));
  });
  return preview;
}

double InstantPass::behind() {
  if (sources_.front()->fill(1) == 0) return 0;
  BacklogEstimate backlog = backlog_;
  backlog.arrive(seconds_of(sources_.front()->front().arrival_ps), 0);
  return backlog.behind();
}

// What a device that works in idle time does before the next request comes.
void InstantPass::rest() {
  if (rested_ || !config_.device.works_in_idle_time() || sources_.front()->fill(1) == 0) return;
  rested_ = true;
  BacklogEstimate then = backlog_;
  then.arrive(seconds_of(sources_.front()->front().arrival_ps), 0);
  rest_instantly(host_, config_.device, static_cast<Picoseconds>(then.rest() * static_cast<double>(kSecond)));
}

// Each request takes the flash what it has made it do.
void InstantPass::carry_out_open_loop(std::uint64_t requests) {
  for (std::uint64_t done = 0; done < requests && sources_.front()->fill(1) != 0; ++done) {
    rest();
    rested_ = false;
    const double at = seconds_of(sources_.front()->front().arrival_ps);
    const KnownWork before = known();
    mix_.allow(1);
    host_.run(mix_);
    backlog_.arrive(at, pace_ * time_of(known() - before));
  }
}

void InstantPass::share_as_in(const WindowAnswer& answer) {
  std::vector<double> shares;
  // One of which nothing has been seen is due now and then all the same.
  for (const HostStatistics& job : answer.jobs)
    shares.push_back(std::max(static_cast<double>(job.ios()), 0.5) /
                     static_cast<double>(std::max<std::uint64_t>(answer.requests, 1)));
  mix_.set_shares(shares);
}

void InstantPass::read_ahead(std::uint64_t requests) {
  for (std::size_t job = 0; job < sources_.size(); ++job)
    sources_[job]->fill(requests + (open_loop() ? kBehindOpenLoop : jobs_[job].iodepth));
}

void InstantPass::state(StateArchive& archive) {
  archive(mix_);
  if (!archive.loading()) return;
  Request request;
  for (std::size_t job = 0; job < sources_.size(); ++job)
    for (std::uint64_t taken = 0; taken < mix_.taken(job) && sources_[job]->next(request); ++taken)
      give_up_if_interrupted();
}

std::size_t InstantPass::fork_window(const WindowShape& shape) {
  if (open_loop()) rest();
  const bool ahead = reads_traces_ || open_loop();  // else a child goes on with its copy of what makes requests up
  if (ahead) read_ahead(shape.length);
  return pool_.start([&] {
    for (LookAhead* const source : sources_)
      if (ahead) source->cut();
    if (open_loop()) {
      sources_.front()->begin_clock();
      jobs_.front().start_delay = jobs_.front().arrived_before = shape.behind;
    }
    return simulate_window(config_, simulation_, std::move(jobs_), shape);
  });
}

WindowAnswer InstantPass::take(std::size_t window, const std::string& what) {
  const ChildPool::Outcome outcome = pool_.outcome(window);
  if (!outcome.error.empty()) throw SimulationFailure(what + ": " + outcome.error);
  return parse_window(outcome.answer);
}

// Of what comes first of each job.
InstantPass::MeanRequest InstantPass::mean_request() const {
  constexpr std::uint64_t kLookedAt = 1000;
  const std::uint64_t unit = simulation_.ssd().geometry().unit_bytes;
  MeanRequest mean;
  double requests = 0;
  double carried_out = 0;
  for (LookAhead* const source : sources_) {
    source->fill(kLookedAt);
    source->for_each_waiting([&](const Request& request) {
      const auto units = static_cast<double>((request.length + unit - 1) / unit);
      ++requests;
      mean.units += units;
      if (!leaves_out_reads_ || request.kind != RequestKind::Read) ++carried_out;
      if (request.kind == RequestKind::Write) mean.written += units;
    });
  }
  return requests == 0 ? mean : MeanRequest{mean.units / requests, mean.written / requests, carried_out / requests};
}

// A cache that has been filled with what is asked for most is as good as it gets after a few times its size.
std::uint64_t InstantPass::cold_start() const {
  constexpr double kTimes = 4;
  const Firmware& firmware = simulation_.ssd().firmware();
  if (!firmware.reads_leave_traces()) return 0;
  return static_cast<std::uint64_t>(kTimes * firmware.buffer().units() / std::max(mean_request().units, 0.001));
}

// Measured: docs/performance.md, "Segments".
double InstantPass::share_of_time() const {
  constexpr double kCarriedOut = 0.1;
  constexpr double kLeftOut = 0.01;
  const double share = mean_request().carried_out;
  return kCarriedOut * share + kLeftOut * (1 - share);
}

std::uint64_t InstantPass::relaxation() const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  double depth = 0;
  for (const HostJob& job : jobs_) depth += open_loop() ? 1 : job.iodepth;  // it begins with what it is behind
  // Requests over dies are a closed queueing network: a queue of mean length depth / dies forgets its length in about the
  // square of it, times a small factor, of services, while the other dies serve as many.
  double requests = std::max(2 * depth, 4 * depth * depth / geometry.dies);
  // Collection of a timed device runs beside its host: some blocks more are under way than on the instant clock, which
  // it takes about an erase unit a die to come to.
  if (const double units = mean_request().written; units != 0) {
    requests = std::max(requests, static_cast<double>(geometry.dies) * geometry.whole_units_per_block() / units);
    // Of n units of data that lie on a die by chance, the fullest of some dies has about 2 / sqrt(n) more than the mean,
    // and four times that more to do to collect as much space. It comes to hold all that the buffer may have under way,
    // while the others idle: it gets its share of what is written, and is behind with as much of it as it is ahead of
    // the mean.
    constexpr double kAhead = 8;
    constexpr double kTells = 0.1;  // less makes the others idle for no more than that
    constexpr double kTimes = 1.5;
    const Firmware& firmware = simulation_.ssd().firmware();
    const double units_a_die = static_cast<double>(firmware.capacity_bytes()) / geometry.unit_bytes / geometry.dies;
    const double ahead = kAhead / std::sqrt(units_a_die);
    if (ahead > kTells)
      requests = std::max(requests, kTimes * firmware.buffer().destage_units() * geometry.dies / ahead / units);
  }
  return static_cast<std::uint64_t>(requests);
}

}  // namespace flashloom
