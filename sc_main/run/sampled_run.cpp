#include "sc_main/run/sampled_run.hpp"

#include <algorithm>
#include <utility>

#include "sc_main/run/sample_report.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kPilots = 8;  // windows of one length that are asked whether they settle
constexpr std::uint64_t kLag = 2;   // windows whose end nobody waits for yet

}  // namespace

const WindowAnswer& SampledRun::answer(std::size_t window) {
  Window& of = windows_[window];
  if (!of.answer) of.answer = pass_->take(of.child);
  return *of.answer;
}

// The run's begin, and by what it says of the whole: the plan.
bool SampledRun::begin() {
  const std::uint64_t length = std::max(SamplePlan::shortest(relaxation_), pass_->cold_start());
  SamplePlan::Wishes wishes{.requests = requests_,
                            .windows = options_.windows,
                            .length = options_.requests,
                            .begin = length,
                            .relaxation = relaxation_,
                            .systematic = options_.systematic,
                            .seed = options_.seed.value_or(config_.device.seed)};
  if (runtime_ == 0) {
    plan_.emplace(wishes);
    if (!plan_->worth_while()) return false;
  }
  begin_ = pass_->take(pass_->fork_window({.length = length, .parts = window_parts(length)}));
  pass_->share_as_in(begin_);
  std::uint64_t first = length;
  if (runtime_ != 0) {
    if (begin_.time >= runtime_ || begin_.requests == 0) return false;
    const double rate = static_cast<double>(begin_.requests) / static_cast<double>(begin_.time);
    wishes.begin = first = std::max(length, static_cast<std::uint64_t>(rate * static_cast<double>(ramp_)));
    wishes.requests = static_cast<std::uint64_t>(rate * static_cast<double>(runtime_));
    plan_.emplace(wishes);
    if (!plan_->worth_while()) return false;
  }
  pass_->carry_out_to(first);
  before_ = pass_->known();
  return true;
}

void SampledRun::simulate_stratum(std::uint64_t requests) {
  const std::uint64_t begin = pass_->at();
  const std::uint64_t length = plan_->length();
  const std::uint64_t place = plan_->place(windows_.size(), begin, requests);
  const std::size_t steady = steady_from_.value_or(kWindowParts - 1);
  const PartEnds parts = window_parts(length);
  Window window{.stratum = requests, .warm_up = options_.warm_up.value_or(parts[steady - 1])};
  pass_->carry_out_to(place);
  window.child = pass_->fork_window({window.warm_up, length, parts});
  pass_->carry_out_to(place + window.warm_up);
  const KnownWork from = pass_->known();
  pass_->carry_out_to(place + length);
  window.known = pass_->known() - from;
  pass_->carry_out_to(begin + requests);
  window.stratum = pass_->at() - begin;  // the jobs may have ended
  windows_.push_back(std::move(window));
}

// The pilots are through: from which part on windows are steady, or whether longer ones are needed to tell.
void SampledRun::decide() {
  std::vector<WindowParts> parts;
  for (std::size_t window = pilots_; window < windows_.size(); ++window) parts.push_back(answer(window).parts);
  std::size_t from = flashloom::steady_from(parts);
  pilots_ = windows_.size();
  // Windows that are as long as the relaxation asks for need not show it: half of each is steady by that.
  settled_ = from != kWindowParts - 1 || plan_->length() < 2 * SamplePlan::shortest(relaxation_);
  if (!settled_ && plan_->lengthen()) return;
  while (from < kWindowParts - 1 && window_parts(plan_->length())[from - 1] < relaxation_) ++from;
  steady_from_ = from;
}

// --sample-error: as many windows in what is left as the spread of those so far asks for.
void SampledRun::aim() {
  const Calibration so_far = calibrate(pass_->known() - before_);
  std::vector<const WindowAnswer*> answers;
  for (std::size_t window = 0; window < windows_.size(); ++window) answers.push_back(&answer(window));
  const double error = SampleReport(so_far, nullptr, answers).widest_error();
  const auto done = static_cast<double>(windows_.size());
  const double wanted = done * error * error / (options_.error * options_.error);
  plan_->want(wanted - done, requests_left());
}

// By the windows that are known to have ended; those behind are taken to be like the last of them.
double SampledRun::time_so_far() {
  double time = ramp_ != 0 ? static_cast<double>(ramp_) : static_cast<double>(begin_.time);
  double pace = static_cast<double>(begin_.time) / static_cast<double>(begin_.requests);
  for (std::size_t number = 0; number < windows_.size(); ++number) {
    if (number + kLag < windows_.size())
      if (const WindowAnswer& window = answer(number); window.requests != 0)
        pace = static_cast<double>(window.time) / static_cast<double>(window.requests);
    time += pace * static_cast<double>(windows_[number].stratum);
  }
  return time;
}

std::uint64_t SampledRun::requests_left() {
  if (runtime_ == 0) return requests_ - std::min(requests_, pass_->at());
  const double time = time_so_far();
  if (time >= static_cast<double>(runtime_)) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(pass_->at()) / time * (static_cast<double>(runtime_) - time));
}

// What of the strata lies within the runtime.
double SampledRun::runtime_scale() const {
  double time = 0;
  for (const Window& window : windows_)
    time += static_cast<double>(window.answer->time) / static_cast<double>(window.answer->requests) *
            static_cast<double>(window.stratum);
  const double begin = static_cast<double>(ramp_ != 0 ? ramp_ : begin_.time);
  return (static_cast<double>(runtime_) - begin) / time;
}

Calibration SampledRun::calibrate(KnownWork strata) const {
  std::vector<Calibration::Window> windows;
  for (const Window& window : windows_)
    windows.push_back({window.known, static_cast<double>(window.stratum)});
  return {windows, strata, kConfidence};
}

bool SampledRun::run(std::vector<HostJob>& jobs, std::uint64_t requests, InstantPass::Progress progress) {
  requests_ = requests;
  runtime_ = jobs.front().runtime;
  ramp_ = jobs.front().ramp_time;
  pass_.emplace(config_, simulation_, jobs, std::move(progress));
  relaxation_ = options_.warm_up ? std::max<std::uint64_t>(*options_.warm_up, 1) : pass_->relaxation();
  if ((requests == 0 && runtime_ == 0) || !begin()) return false;
  while (true) {
    // What is left of less than half a stratum belongs to the last one.
    const std::uint64_t left = requests_left();
    const std::uint64_t before = pass_->at();
    const std::uint64_t stratum = plan_->stratum(before);
    if (left == 0 || (runtime_ != 0 && left < stratum / 2)) break;
    simulate_stratum(runtime_ != 0 || left >= stratum * 3 / 2 ? stratum : left);
    if (pass_->at() == before) break;  // the jobs have ended
    if (!steady_from_ && !options_.warm_up && windows_.size() == pilots_ + kPilots) decide();
    if (options_.error != 0 && windows_.size() % kPilots == 0) aim();
  }
  for (std::size_t window = 0; window < windows_.size(); ++window) answer(window);
  std::erase_if(windows_, [](const Window& window) { return window.answer->requests == 0; });
  if (windows_.empty()) throw SimulationFailure("--sample: the jobs ended before anything was measured");
  KnownWork strata = pass_->known() - before_;
  // The estimated time of the strata is that of the runtime, give or take half of the last one: they are cut to it.
  if (runtime_ != 0) strata *= runtime_scale();
  calibration_.emplace(calibrate(strata));
  return true;
}

std::vector<HostStatistics> SampledRun::job_statistics() const {
  std::vector<HostStatistics> jobs(begin_.jobs.size());
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    if (ramp_ == 0) jobs[job].append(begin_.jobs[job], 1);
    for (std::size_t window = 0; window < windows_.size(); ++window)
      jobs[job].append(windows_[window].answer->jobs[job], calibration_->weights()[window]);
  }
  return jobs;
}

void SampledRun::complete(nlohmann::ordered_json& result) const {
  result["sample"] = nullptr;
  if (!calibration_) return;  // all of it was simulated in time
  std::vector<const WindowAnswer*> windows;
  for (const Window& window : windows_) windows.push_back(&*window.answer);
  nlohmann::ordered_json sample{
      {"windows", windows_.size()},
      {"requests", plan_->length()},
      {"warm_up",
       {{"requests", windows_.back().warm_up}, {"found", !options_.warm_up.has_value()}, {"settled", settled_}}},
      {"placement", options_.systematic ? "systematic" : "random"},
      {"seed", options_.seed.value_or(config_.device.seed)},
      {"begin_requests", ramp_ == 0 ? begin_.requests : 0},
      {"confidence", kConfidence},
      {"calibrated", calibration_->by_work()},
      {"error", {{"aim", nullptr}, {"reached", 0.0}}}};
  const SampleReport report(*calibration_, ramp_ == 0 ? &begin_ : nullptr, windows);
  if (options_.error != 0) sample["error"]["aim"] = options_.error;
  sample["error"]["reached"] = report.widest_error();
  report.complete(result);
  for (auto& [key, value] : sample.items()) result["sample"][key] = value;
}

}  // namespace flashloom
