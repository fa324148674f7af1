#include "sc_main/program/run/hybrid_pass.hpp"

#include <algorithm>
#include <utility>

#include "controllers/tier/block_port.hpp"
#include "models/hdd/hdd.hpp"

namespace flashloom {

void HybridPass::carry_out_to(std::uint64_t request) {
  constexpr std::uint64_t kStep = 1 << 14;
  if (request > at() && !std::exchange(started_, true)) start();
  while (at() < request && !simulation_.host().finished()) {
    pause_at_ = std::min(request, at() + kStep);
    simulation_.proceed();
    step_is_done();
  }
  pause_at_ = 0;
}

void HybridPass::start() {
  simulation_.host().attach(*this);
  simulation_.start_hybrid(std::move(jobs_), {.takes = [this](const BlockTransfer& command) { return take(command); },
                                              .ramps_over = [this] { home_before_ = home_work(); }});
}

void HybridPass::completed(const IoCommand& command, std::uint32_t, bool) {
  (command.operation == IoOperation::Read ? reads_waited_ : others_waited_) += command.at.complete - command.at.arrival;
  if (++completed_ == pause_at_) TimeLoop::pause();
}

Picoseconds HybridPass::take(const BlockTransfer& command) {
  if (command.operation == IoOperation::Read) ssd_read_ += command.length;
  if (command.operation == IoOperation::Write) ssd_written_ += command.length;
  return times_.mean(command.operation, command.length, command.load);
}

double HybridPass::home_work() const {
  const HddStatistics& arm = simulation_.hdd()->statistics();
  return home_before_ + seconds(arm.seek_time + arm.rotation_time + arm.transfer_time);
}

KnownWork HybridPass::known() const {
  return {.requests = static_cast<double>(at()),
          .work = flash_work(),
          .read = static_cast<double>(ssd_read_),
          .clock = started_ ? seconds(kernel_now()) : 0,
          .written = static_cast<double>(ssd_written_),
          .reads_waited = seconds(reads_waited_),
          .others_waited = seconds(others_waited_),
          .home = home_work()};
}

// From the tier's traffic to the SSD per request of the host so far.
RunPass::MeanRequest HybridPass::mean_request() const {
  if (at() == 0) return first_requests();
  const double unit = static_cast<double>(at()) * simulation_.ssd().geometry().unit_bytes;
  return {.units = static_cast<double>(ssd_read_ + ssd_written_) / unit,
          .written = static_cast<double>(ssd_written_) / unit};
}

// Simulates the run's first requests on the timed clock, to measure the service times of the SSD's commands.
void HybridPass::prepare() { learn(RunPass::take(fork_window({.length = std::max<std::uint64_t>(relaxation(), 1)}))); }

std::string HybridPass::simulate(const WindowShape& shape) {
  pause_at_ = 0;
  if (!started_)
    return simulate_window(config_, simulation_, shape, [this] { simulation_.run_window(std::move(jobs_)); });
  return simulate_window(config_, simulation_, shape, [this, &shape] {
    simulation_.go_on_timed();
    if (shape.warm_up == 0) simulation_.begin_window();
    simulation_.run_window();
  });
}

}  // namespace flashloom
