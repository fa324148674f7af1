#include "sc_main/verify/aimed_torture.hpp"

#include <fmt/format.h>

#include <utility>

#include "workloads/interruption.hpp"

namespace flashloom {

AimedTorture::AimedTorture(DeviceConfig config, std::uint32_t in_flight, std::size_t steps)
    : config_(std::move(config)),
      random_(config_.seed),
      simulation_(config_),
      in_flight_(in_flight),
      history_(std::make_unique<RequestHistory>(failure_.history)) {
  counts_.at_step.resize(steps);
  failure_.seed = config_.seed;
  simulation_.host().attach(*history_);
  simulation_.on_power_back([this] {
    struck();
    aim();
  });
  simulation_.on_mounted([this] {
    history_->note(fmt::format("{} ps: mounted", kernel_now()));
    source_->sweep();
  });
}

AimedTorture::~AimedTorture() = default;

// Half of the cuts come at any instant; the others soon after a step, which may belong to the start in progress.
void AimedTorture::aim() {
  if (simulation_.power_cuts().size() >= cuts_wanted_) {
    aimed_ = false;
    return simulation_.cut_power_at(kNever);
  }
  aimed_ = random_.chance(0.5);
  if (!aimed_) return aim_apart();
  target_ = random_.below(counts_.at_step.size());
  steps_left_ = draw_times(target_);
  simulation_.cut_power_at(kernel_now() + 8 * config_.power.cut_spacing);  // in case there are fewer such steps
}

void AimedTorture::at_step(std::size_t step, const char* name) {
  if (!aimed_ || step != target_ || steps_left_ == 0 || --steps_left_ != 0) return;
  const Picoseconds most = delays()[random_.below(delays().size())];
  simulation_.cut_power_at(kernel_now() + random_.below(most));
  history_->note(fmt::format("{} ps: {}", kernel_now(), name));
  ++counts_.at_step[step];
}

void AimedTorture::struck() {
  const PowerCut& cut = simulation_.power_cuts().back();
  counts_.in_start += cut.in_mount ? 1 : 0;
  failure_.struck = fmt::format("at {} ps{}", cut.at, cut.in_mount ? ", in a start" : "");
  history_->note(fmt::format("cut {} {}", simulation_.power_cuts().size(), failure_.struck));
}

bool AimedTorture::run(std::uint64_t cuts) {
  cuts_wanted_ = cuts;
  auto source = make_source(random_.next());
  source_ = source.get();
  std::vector<HostJob> jobs(1);
  jobs[0].name = "torture";
  jobs[0].source = std::move(source);
  jobs[0].iodepth = in_flight_;
  try {
    simulation_.run(std::move(jobs));
    audit();
    if (simulation_.oracle()->mismatches() != 0) throw std::runtime_error(simulation_.oracle()->first_mismatch());
    if (simulation_.power_cuts().size() < cuts && !interrupted())
      throw std::logic_error("the run ended before the last cut");
    return true;
  } catch (const std::exception& error) {
    failure_.what = error.what();
    failure_.cut = simulation_.power_cuts().size();
    return false;
  }
}

AimedTortureCounts AimedTorture::counts() {
  AimedTortureCounts counts = counts_;
  counts.cuts = simulation_.power_cuts().size();
  counts.requests = simulation_.host().statistics().completions;
  counts.sectors_checked = simulation_.oracle()->reads_checked();
  return counts;
}

}  // namespace flashloom
