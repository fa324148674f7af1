#include "sc_main/program/run/instant_pass.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "controllers/hardware/drive_faults.hpp"
#include "sc_main/assembly/system/instant_rest.hpp"
#include "sc_main/program/sample/job_shares.hpp"
#include "workloads/later_requests.hpp"

namespace flashloom {
namespace {

constexpr std::uint64_t kStep = 1 << 14;

}  // namespace

InstantPass::InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress)
    : RunPass(config, simulation, workload, std::move(progress)),
      host_(simulation.instant_host()),
      reads_leave_traces_(simulation.ssd().firmware().reads_leave_traces()),
      mix_(jobs_),
      foreseen_(mix_, simulation.ssd().firmware()),
      waiting_(foreseen_,
               [&buffer = simulation.ssd().firmware().buffer()](std::uint64_t offset, std::uint64_t length) {
                 return buffer.dirty_from(offset, length);
               }),
      memory_(simulation.ssd().firmware().caches_of_reads()) {
  if (simulation.ssd().faults() != nullptr) simulation.ssd().faults()->begin();
  simulation.tell_savings(jobs_);
  forgets_reads_ = memory_.forgets() && !reads_traces_ && !open_loop() && simulation.ssd().faults() == nullptr &&
                   first_requests().written == 0;
}

bool InstantPass::carry_out_to_window(std::uint64_t request) {
  if (!forgets_reads_) return RunPass::carry_out_to_window(request);
  learn_to_forget(request);
  const std::uint64_t distance = request - std::min(request, at());
  if (!leaves_out_reads_ && !worth_forgetting(distance)) {
    carry_out(request, true);
    return true;
  }
  leaves_out_reads_ = true;
  if (memory_.requests() < distance) carry_out(request - memory_.requests(), false);
  return carry_out_reads(request);
}

void InstantPass::carry_out_to(std::uint64_t request) {
  if (forgets_reads_) learn_to_forget(request);
  carry_out(request, reads_leave_traces_ && !leaves_out_reads_);
}

std::uint64_t InstantPass::stretch_before_window(std::uint64_t stratum) {
  if (!forgets_reads_ || !(leaves_out_reads_ || worth_forgetting(stratum))) return 0;
  leaves_out_reads_ = true;
  return memory_.requests();
}

// Whether leaving reads out saves at least half of them.
bool InstantPass::worth_forgetting(std::uint64_t distance) const {
  return memory_.known() && memory_.requests() <= distance / 2;
}

void InstantPass::learn_to_forget(std::uint64_t request) {
  for (std::uint64_t before = ~at(); !memory_.known() && at() < request && at() != before;) {
    before = at();
    carry_out_reads(std::min(request, before + kStep));
  }
}

// Carries out reads, too. Returns whether they have refilled the caches.
bool InstantPass::carry_out_reads(std::uint64_t request) {
  const Firmware& firmware = simulation_.ssd().firmware();
  const std::uint64_t from = at();
  const MemoryOfReads::Caches before = firmware.caches_of_reads();
  carry_out(request, true);
  return memory_.learn(at() - from, before, firmware.caches_of_reads());
}

void InstantPass::carry_out(std::uint64_t request, bool with_reads) {
  mix_.leave_out_reads(!with_reads);
  while (at() < request) {
    const std::uint64_t before = at();
    const std::uint64_t step = std::min(kStep, request - before);
    if (open_loop()) {
      carry_out_open_loop(step);
    } else {
      mix_.allow(step);
      host_.run(requests());
    }
    step_is_done();
    if (at() == before) return;  // the jobs have ended
  }
}

void InstantPass::end() {
  waiting_.drain();
  host_.run(waiting_);
}

KnownWork InstantPass::known() const {
  return {.requests = static_cast<double>(at()),
          .work = flash_work(),
          .read = static_cast<double>(mix_.bytes_read()),
          .clock = open_loop() ? seconds_of(mix_.arrival_ps()) : 0,
          .reads = static_cast<double>(mix_.reads())};
}

double InstantPass::seconds_of(std::uint64_t arrival_ps) const {
  return seconds(arrival_ps) / config_.device.host.speedup;
}

// Seconds that reading so many bytes keeps all dies busy.
double InstantPass::read_time(double bytes) const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  return bytes / geometry.unit_bytes * read_time_ / geometry.dies;
}

double InstantPass::time_of(const KnownWork& known) const {
  return RunPass::time_of(known) + (!reads_leave_traces_ ? read_time(known.read) : 0);
}

// Seconds that one byte written by the host keeps all dies busy, at the write amplification so far.
double InstantPass::write_time() const {
  const NandGeometry& geometry = simulation_.ssd().geometry();
  const FlashCounters& counters = simulation_.ssd().instant_flash().counters();
  const auto programs = static_cast<double>(counters.total(FlashOperation::Program).commands);
  const auto written = static_cast<double>(mix_.bytes_written());
  return program_time_ / geometry.dies * (written == 0 ? 1.0 / geometry.unit_bytes : programs / written);
}

bool InstantPass::foresees() {
  return sources_.size() == 1 && (open_loop() || reads_traces_) && sources_.front()->fill(1) != 0;
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

// Does the background work of a device that works in idle time, until the next request arrives.
void InstantPass::rest() {
  if (rested_ || !config_.device.works_in_idle_time() || sources_.front()->fill(1) == 0) return;
  rested_ = true;
  BacklogEstimate then = backlog_;
  then.arrive(seconds_of(sources_.front()->front().arrival_ps), 0);
  rest_instantly(host_, config_.device, static_cast<Picoseconds>(then.rest() * static_cast<double>(kSecond)));
}

// Carries out requests one by one, and adds the flash work that each has caused to the backlog.
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

// Uses the later part of the window: at its begin, writes go to the empty buffer.
void InstantPass::share_as_in(const WindowAnswer& answer) { mix_.set_shares(job_shares(answer.later, depths())); }

// By Little's law: the mean number of writes in flight when a write arrives, itself excluded; nearly all of them wait.
void InstantPass::learn(const WindowAnswer& answer) {
  constexpr double kMatters = 0.01;
  if (answer.requests == 0 || answer.time == 0 || open_loop()) return;
  if (simulation_.ssd().firmware().zones() != nullptr) return;  // writes to a zone must keep their order
  double writes = 0;
  double waited = 0;
  for (const HostStatistics& job : answer.jobs) {
    const LatencyHistogram& latency = job.of(IoOperation::Write).latency;
    writes += static_cast<double>(latency.count());
    waited += static_cast<double>(latency.count()) * latency.mean();
  }
  written_ += writes;
  waited_ += writes * waited / static_cast<double>(answer.time);
  units_ += answer.result["buffer"]["write_units"].get<double>();
  absorbed_ += answer.result["buffer"]["write_hits"].get<double>();
  if (absorbed_ <= kMatters * units_) return;  // each look-up costs a twentieth of the time of a write
  writes_wait_ = true;
  waiting_.wait_for(static_cast<std::size_t>(std::max(0LL, std::llround(waited_ / written_ - 1))));
}

void InstantPass::state(StateArchive& archive) {
  archive(mix_);
  if (!archive.loading()) return;
  for (std::size_t job = 0; job < sources_.size(); ++job) drop_requests(*sources_[job], mix_.taken(job));
}

void InstantPass::before_window() {
  if (open_loop()) rest();
}

std::string InstantPass::simulate(const WindowShape& shape) {
  if (open_loop()) {
    sources_.front()->begin_clock();
    jobs_.front().start_delay = jobs_.front().arrived_before = shape.behind;
  }
  end();
  return simulate_window(config_, simulation_, shape, [this] { simulation_.run_window(std::move(jobs_)); });
}

}  // namespace flashloom
