#include "sc_main/program/run/run_pass.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>
#include <utility>

#include "controllers/ftl/ftl_rules.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/hybrid_pass.hpp"
#include "sc_main/program/run/instant_pass.hpp"
#include "sc_main/program/run/open_workload.hpp"

namespace flashloom {
namespace {

bool is_tier(const DeviceConfig& config) { return config.hdd.capacity != 0; }

// Why a pass cannot simply carry out a job's requests one after the other; null: it can.
const char* why_not(const HostJob& job, const HostJob& first, bool timed) {
  const JobRules& rules = job.rules;
  if (rules.stonewall || !rules.wait_for.empty() || !rules.after.empty() || rules.ends != JobRules::Ends::Nothing)
    return "begins or ends with another one";
  if (job.start_delay != 0) return "begins later";
  if (job.pacing != nullptr) return "sends its requests at a pace of its own (rate, thinktime, flushes)";
  if (job.flow_weight != 0) return "keeps to a flow";
  if (job.bytes != nullptr) return "has real bytes";
  if (job.open_loop && !timed) return "is replayed at its own times; set host.replay=closed";
  if (job.ramp_bytes != 0) return "has a ramp_size";
  if (job.runtime != first.runtime || job.ramp_time != first.ramp_time) return "has another runtime or ramp_time";
  return nullptr;
}

// The same for devices: the key of a feature that depends on the time of the whole run, and the reason.
std::pair<const char*, const char*> why_not(const DeviceConfig& config) {
  if (config.power.cut_count() != 0) return {"power.cut_at and power.cuts", "strike at one instant of a whole run"};
  if (is_tier(config) && config.tier.ssd_fails_at != 0) return {"tier.ssd_fails_at", "is one instant of a whole run"};
  if (config.heap.present()) return {"heap", "has processes in place of requests"};
  if (config.array.present()) return {"array.level", "makes an array, which the instant clock does not know"};
  if (config.host.cache.size != 0) return {"host.cache.size", "makes a page cache, which writes back by time"};
  if (config.thermal.on()) return {"thermal.model", "goes by the heat of the whole run"};
  return {nullptr, nullptr};
}

// Requests of an open loop that may arrive while those of a window complete.
constexpr std::uint64_t kBehindOpenLoop = 4096;

// Mean over page types, which are used equally often.
double mean_seconds(const std::vector<Picoseconds>& times) {
  return seconds(std::accumulate(times.begin(), times.end(), Picoseconds{0})) / static_cast<double>(times.size());
}

}  // namespace

void check_carried_out(const std::string& option, const DeviceConfig& config, const std::vector<HostJob>& jobs,
                       bool timed) {
  if (const auto [key, reason] = why_not(config); key != nullptr)
    throw UsageError(option + ": " + key + " " + reason + "; run it whole, without " + option);
  // The host of a tier is simulated on the timed clock even in the pass.
  const bool clocks = is_tier(config) || (timed && jobs.size() == 1);
  for (const HostJob& job : jobs)
    if (const char* const reason = why_not(job, jobs.front(), clocks); reason != nullptr)
      throw UsageError(option + ": job " + job.name + " " + reason);
}

std::unique_ptr<RunPass> make_run_pass(const LoadedConfig& config, Simulation& simulation, Workload& workload,
                                       RunPass::Progress progress) {
  if (is_tier(config.device)) return std::make_unique<HybridPass>(config, simulation, workload, std::move(progress));
  return std::make_unique<InstantPass>(config, simulation, workload, std::move(progress));
}

RunPass::RunPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress)
    : config_(config),
      simulation_(simulation),
      jobs_(workload.jobs),
      progress_(std::move(progress)),
      read_time_(mean_seconds(config.device.nand.read_time)),
      program_time_(mean_seconds(config.device.nand.program_time) + seconds(config.device.nand.erase_time) *
                                                                        simulation.ssd().geometry().program_pages /
                                                                        simulation.ssd().geometry().pages),
      reads_traces_(reads_traces(workload)),
      pool_(std::thread::hardware_concurrency(), ChildPool::Ends::AtOnce) {
  for (HostJob& job : jobs_) {
    auto source = std::make_unique<LookAhead>(std::move(job.source));
    sources_.push_back(source.get());
    job.source = std::move(source);
    depths_.push_back(job.iodepth);
    open_loops_.push_back(job.open_loop);
  }
}

void RunPass::step_is_done() {
  if (progress_) progress_(at());
  give_up_if_interrupted();
  pool_.look();
}

// A pass leaves out host reads that change no state, so they do not count as work in a window either. Erases are
// counted as a share of each program: in a window there are so few that their number is random.
double RunPass::work_of(const FlashCommands& commands) const {
  const bool reads = simulation_.ssd().firmware().reads_leave_traces();
  return static_cast<double>(commands.other_reads + (reads ? commands.host_reads : 0)) * read_time_ +
         static_cast<double>(commands.programs) * program_time_;
}

double RunPass::flash_work() const { return work_of(flash_commands(simulation_.ssd().instant_flash().counters())); }

double RunPass::time_of(const KnownWork& known) const { return known.work / simulation_.ssd().geometry().dies; }

std::size_t RunPass::fork_window(const WindowShape& shape) {
  before_window();
  const bool ahead = windows_are_read_ahead();
  if (ahead) read_ahead(shape.length);
  return pool_.start([&] {
    for (LookAhead* const source : sources_)
      if (ahead) source->cut();
    return simulate(shape);
  });
}

void RunPass::read_ahead(std::uint64_t requests) {
  for (std::size_t job = 0; job < sources_.size(); ++job)
    sources_[job]->fill(requests + (open_loop(job) ? kBehindOpenLoop : depths_[job]));
}

WindowAnswer RunPass::take(std::size_t window, const std::string& what) {
  const ChildPool::Outcome outcome = pool_.outcome(window);
  if (!outcome.error.empty()) throw SimulationFailure(what + ": " + outcome.error);
  return parse_window(outcome.answer);
}

RunPass::MeanRequest RunPass::first_requests() const {
  constexpr std::uint64_t kLookedAt = 1000;
  const std::uint64_t unit = simulation_.ssd().geometry().unit_bytes;
  double shares = 0;
  for (std::size_t job = 0; job < sources_.size(); ++job)
    if (sources_[job]->fill(kLookedAt) != 0) shares += share_of(job);
  if (shares == 0) return {};
  MeanRequest mean{.carried_out = 0};
  for (std::size_t job = 0; job < sources_.size(); ++job) {
    MeanRequest sum{.carried_out = 0};
    double requests = 0;
    sources_[job]->for_each_waiting([&](const Request& request) {
      const auto units = static_cast<double>((request.length + unit - 1) / unit);
      ++requests;
      sum.units += units;
      if (!leaves_out(request)) ++sum.carried_out;
      if (request.kind == RequestKind::Write) sum.written += units;
    });
    if (requests == 0) continue;
    const double share = share_of(job) / shares;
    mean.units += share * (sum.units / requests);
    mean.written += share * (sum.written / requests);
    mean.carried_out += share * (sum.carried_out / requests);
  }
  return mean;
}

// A cache reaches its final hit ratio after requests for a few times its size; block merges settle after as many.
std::uint64_t RunPass::cold_start() const {
  constexpr double kTimes = 4;
  const Firmware& firmware = simulation_.ssd().firmware();
  if (!firmware.reads_leave_traces() && !relaxes_by_copies()) return 0;
  return static_cast<std::uint64_t>(kTimes * firmware.buffer().units() / std::max(mean_request().units, 0.001));
}

// Measured: docs/explanation/performance.md, "Segments".
double RunPass::share_of_time() const {
  constexpr double kCarriedOut = 0.1;
  constexpr double kLeftOut = 0.01;
  const double share = first_requests().carried_out;
  return kCarriedOut * share + kLeftOut * (1 - share);
}

double RunPass::absorbs_unlike() const {
  const double units = simulation_.ssd().firmware().buffer().units();
  double waiting = 0;
  for (std::size_t job = 0; job < depths_.size(); ++job)
    if (!open_loop(job)) waiting += depths_[job];
  return waiting == 0 ? 0 : std::min(1.0, waiting / std::max(units, 1.0)) / 2;
}

double RunPass::share_ahead() const {
  constexpr double kAhead = 8;
  const NandGeometry& geometry = simulation_.ssd().geometry();
  const auto units = static_cast<double>(simulation_.ssd().firmware().capacity_bytes()) / geometry.unit_bytes;
  return kAhead / std::sqrt(units / geometry.dies);
}

bool RunPass::relaxes_by_copies() const {
  return writes() && !maps_pages(config_.device.ftl) && !is_zoned(config_.device.ftl) && !is_tier(config_.device);
}

std::uint64_t RunPass::relaxation(ReachesFlash share) const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  double depth = 0;
  // An open-loop window begins with the backlog of the device, so it counts as depth 1.
  for (std::size_t job = 0; job < depths_.size(); ++job) depth += open_loop(job) ? 1 : depths_[job];
  // Requests and dies form a closed queueing network: a queue of mean length L = depth / dies loses its initial length
  // after about L squared services, times a small factor, while each other die serves as many.
  double requests = std::max(2 * depth, 4 * depth * depth / geometry.dies);
  const MeanRequest mean = mean_request();
  const double units = mean.written;
  if (units == 0) requests /= share.reads;
  // Closed-loop writers keep the destage table full, and each program of host data brings its copies, so that many
  // units are in flight. The tails of latencies settle only after these have (measured, steady writes on eight dies:
  // p99 is 2.8 % too high after 512 requests, 1.2 % after 1,024, and right after 1,536; the mean is right after 512).
  const bool by_copies = share.programmed != 0 && relaxes_by_copies();
  if (units != 0 && share.tails && share.programmed != 0 && !by_copies && !open_loop(0)) {
    const double programs_each = share.programmed / geometry.whole_units_per_program();
    const double under_way = simulation_.ssd().firmware().buffer().destage_units() * programs_each;
    const double programs = units * share.writes * programs_each;
    const double reads = (mean.units - units) * share.reads * read_time_ / program_time_;
    requests = std::max(requests, 4 * under_way * under_way / geometry.dies / (programs + reads));
  }
  // On the timed clock garbage collection runs concurrently with the host, so that a few more blocks are in progress
  // than on the instant clock; it takes about one programmed erase unit per die to reach that state. With skewed
  // writes, of which the buffer absorbs some, blocks differ more and it takes more of them (measured, bench/sample:
  // with Zipf writes this removes a bias of 3 % in time).
  if (units != 0) {
    // With a page map in steady state, about three units are programmed per unit written, copies included; with block
    // maps, where each merge copies a block, the measured number replaces that.
    constexpr double kProgrammed = 3;
    const double each = by_copies ? share.programmed / kProgrammed : share.writes;
    requests = std::max(requests, static_cast<double>(geometry.dies) * geometry.whole_units_per_block() / units /
                                      (share.writes * each));
    // In the long run all data in flight from the buffer waits for the fullest die, while the others idle. That die
    // receives its share of the writes, and its backlog grows by share_ahead() of that.
    constexpr double kTimes = 1.5;
    const double under_way = simulation_.ssd().firmware().buffer().destage_units();
    if (const double ahead = share_ahead(); ahead > kTells)
      requests = std::max(requests, kTimes * under_way * geometry.dies / ahead / units);
  }
  return static_cast<std::uint64_t>(requests);
}

}  // namespace flashloom
