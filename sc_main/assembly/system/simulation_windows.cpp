// Windows of a longer run on the timed clock, and the hybrid clock between them.
#include <algorithm>
#include <utility>

#include "controllers/hardware/drive_faults.hpp"
#include "controllers/tier/block_port.hpp"
#include "sc_main/assembly/system/instant_rest.hpp"
#include "sc_main/assembly/system/simulation.hpp"

namespace flashloom {

void Simulation::run_window(std::vector<HostJob> jobs) {
  start(std::move(jobs), [this] { end_window(); });
  run_window();
}

void Simulation::begin_window() {
  host_.measure_window();
  begin_window(kernel_now());
}

void Simulation::end_window() {
  host_.end_window();
  end_ = kernel_now();
  TimeLoop::pause();
}

void Simulation::adopt(std::vector<HostJob> jobs, const std::vector<HostStatistics>& statistics) {
  adopted_ = true;
  if (host_.jobs() == 0) {
    host_.adopt(std::move(jobs), statistics);
  } else {  // the pass has started the jobs
    host_.adopt(statistics);
    end_ = kernel_now();
    ssd_.ledger().begin(end_);
  }
  take_utilization(0);
}

void Simulation::start_hybrid(std::vector<HostJob> jobs, Hybrid hybrid) {
  start_kernel();
  if (ssd_.faults() != nullptr) ssd_.faults()->begin();
  tell_savings(jobs);
  const bool reads = ssd_.firmware().reads_leave_traces();
  part_->answer_by([this, reads, takes = std::move(hybrid.takes), instant = instant_host(),
                    busy_until = Picoseconds{0}](BlockTransfer& command) mutable {
    const Picoseconds now = kernel_now();
    if (now > busy_until) rest_instantly(instant, config_, now - busy_until);
    if (reads || command.operation != IoOperation::Read) instant.carry_out(command);
    const Picoseconds time = takes(command);
    busy_until = std::max(busy_until, now + time);
    return time;
  });
  host_.on_ramps_over([this, ramps_over = std::move(hybrid.ramps_over)] {
    ramps_over();
    part_->begin_window(kernel_now());
  });
  host_.start(std::move(jobs), [this] { end_window(); });
}

void Simulation::go_on_timed() {
  part_->answer_by({});
  ssd_.runtime().on_failure([this](std::exception_ptr failure) { note_failure(std::move(failure)); });
  ssd_.start_timed();
}

void Simulation::run_window() {
  if (!host_.finished()) proceed();
  require_readable(host_.statistics().media_errors);
}

}  // namespace flashloom
