#include "sc_main/program/run/sampled_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "controllers/tier/tier_controller.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/sample_report.hpp"
#include "sc_main/program/sample/job_shares.hpp"

namespace flashloom {
namespace {

constexpr std::size_t kPilots = 8;         // pilot windows of one length, from which decide() tells whether they settle
constexpr std::uint64_t kLag = 2;          // latest windows, whose answers are not yet waited for
constexpr double kUsualError = 0.02;       // target for the relative error, without --sample-error
constexpr std::uint64_t kUsualShare = 10;  // at most one of so many requests is on the timed clock for that target
constexpr std::uint64_t kMostReadAhead = 1 << 21;  // requests of a trace, some 150 MB
constexpr std::uint64_t kMostBegin = 10;     // a begin lengthened for shares or caches: 1 of so many requests at most
constexpr std::uint64_t kMostLonger = 16;    // or is at most so many times longer, if the run's requests are not known
constexpr double kNotKeptUp = 1.5;           // the device was busy if a window took so many times the trace's time
constexpr double kLeastReachesFlash = 0.25;  // lower bound of a share, so that windows do not become too long
constexpr double kAlmostAll = 0.95;          // a larger share counts as 1
constexpr double kAlike = 0.0001;            // relative half-width of an interval below which windows did not differ
constexpr double kUnseen = 0.005;            // relative half-width in that case, for stretches that no window has met
constexpr double kDirtyTells = 0.1;          // share of the buffer: dirty data beyond the write part that matters
constexpr double kManyCopies = 1e6;          // units programmed per unit written: no bound
constexpr double kRests = 2;  // a device is at rest after idling for so many times an erase and a program

// Shares of the host's units in these windows that the buffer passed on to the flash. If almost all were passed on, the
// share is 1: occasional buffer hits of uniformly random requests do not count.
RunPass::ReachesFlash reaches_flash(const std::vector<const WindowAnswer*>& windows) {
  double read = 0;
  double found = 0;
  double written = 0;
  double left = 0;
  double programmed = 0;
  for (const WindowAnswer* const window : windows) {
    if (window->requests == 0) continue;
    const nlohmann::ordered_json& buffer = window->result["buffer"];
    read += buffer["read_units"].get<double>();
    found += buffer["read_hits"].get<double>();
    written += buffer["write_units"].get<double>();
    left += buffer["evictions"].get<double>();
    const nlohmann::ordered_json& programs = window->result["flash"]["programs"];
    for (const char* const origin : {"host", "gc", "merge"}) programmed += programs[origin]["units"].get<double>();
  }
  const auto share = [](double of, double all) {
    return of == 0 || of > kAlmostAll * all ? 1 : std::max(of / all, kLeastReachesFlash);
  };
  return {.reads = share(read - found, read),
          .writes = share(left, written),
          .programmed = left == 0 ? 0 : programmed / left};
}

}  // namespace

const WindowAnswer& SampledRun::answer(std::size_t window) {
  Window& of = windows_[window];
  if (!of.answer) {
    of.answer = pass_->take(of.child);
    pass_->learn(*of.answer);
  }
  return *of.answer;
}

// The shortest relaxation, before anything was measured: if it depends on copies, these are taken to be very many.
std::uint64_t SampledRun::least_relaxation() const {
  return pass_->relaxes_by_copies() ? pass_->relaxation({.programmed = kManyCopies}) : pass_->relaxation();
}

// Simulates the run's begin, and makes the plan from its measurements.
bool SampledRun::begin() {
  std::uint64_t length = std::max(SamplePlan::shortest(relaxation_), pass_->cold_start());
  if (pass_->goes_by_shares())
    length = std::max(length, requests_ == 0 ? kTellsShares : std::min(kTellsShares, requests_ / kMostBegin));
  SamplePlan::Wishes wishes{.requests = requests_,
                            .windows = options_.windows,
                            .few = pass_->few_windows(),
                            .usual = pass_->usual_windows(),
                            .length = options_.requests,
                            .begin = length,
                            .longest = pass_->foresees() ? kMostReadAhead : std::numeric_limits<std::uint64_t>::max(),
                            .relaxation = relaxation_,
                            .systematic = options_.systematic,
                            .seed = options_.seed.value_or(config_.device.seed)};
  if (runtime_ == 0) {
    plan_.emplace(wishes);
    if (!plan_->worth_while()) return false;
  }
  WindowShape shape{.length = length};
  // With a ramp the begin is not part of the result, and need not last until caches are warm.
  const bool warms_up = (pass_->warms_up() || pass_->relaxes_by_copies()) && ramp_ == 0;
  if (warms_up) {
    shape.until_warm = length;
    shape.until_steady = pass_->relaxes_by_copies();
    shape.length = std::max(length, requests_ == 0 ? kMostLonger * length : requests_ / kMostBegin);
  }
  shape.parts = window_parts(shape.length);
  begin_ = pass_->take(pass_->fork_window(shape));
  if (dirty_stays()) {
    refused_ =
        "what was written before the run stays in the read cache, and on the instant clock reads would get more of it";
    return false;
  }
  pass_->share_as_in(begin_);
  pass_->learn(begin_);
  std::uint64_t first = warms_up ? begin_.requests : length;
  if (runtime_ != 0) {
    if (begin_.time >= runtime_ || begin_.requests == 0) return false;
    double rate = static_cast<double>(begin_.requests) / static_cast<double>(begin_.time);
    for (const WindowPart& part : begin_.parts)  // caches are cold at first: the last part has the rate
      if (warms_up && part.time != 0) rate = static_cast<double>(part.requests) / static_cast<double>(part.time);
    wishes.begin = first = std::max(first, static_cast<std::uint64_t>(rate * static_cast<double>(ramp_)));
    wishes.requests = static_cast<std::uint64_t>(rate * static_cast<double>(runtime_));
  }
  wishes.begin = first;
  if (!plan_for(wishes)) return false;
  pass_->carry_out_to(first);
  before_ = pass_->known();
  return true;
}

// A policy that evicts clean pages first keeps data that was written before the run in the place of reads. How much of
// it is evicted depends on the number of reads in flight, which is 1 on the instant clock.
bool SampledRun::dirty_stays() const {
  const BufferConfig& buffer = config_.device.buffer;
  if (buffer.read_cache == 0 || !pass_->warms_up() || simulation_.tier() != nullptr || begin_.requests == 0)
    return false;
  const double dirty = begin_.result["buffer"]["dirty_bytes_at_end"].get<double>() / static_cast<double>(buffer.size);
  return dirty > 1 - buffer.read_cache + kDirtyTells;
}

// Makes the plan with the longest relaxation for which the run has room. In this order: with the tails of latencies,
// without them (both from what the buffer absorbed in the begin), or that before the begin; decide() may raise it
// later.
bool SampledRun::plan_for(SamplePlan::Wishes wishes) {
  RunPass::ReachesFlash share = reaches_flash({&begin_});
  std::vector<std::uint64_t> relaxations;
  if (!options_.warm_up) {
    share.tails = true;
    relaxations.push_back(pass_->relaxation(share));
    share.tails = false;
    relaxations.push_back(pass_->relaxation(share));
  }
  if (options_.warm_up || !pass_->relaxes_by_copies()) relaxations.push_back(relaxation_);
  for (const std::uint64_t relaxation : relaxations) {
    wishes.relaxation = std::max(relaxation_, relaxation);
    plan_.emplace(wishes);
    if (!plan_->worth_while()) continue;
    relaxation_ = wishes.relaxation;
    return true;
  }
  return false;
}

// Chooses the window of the stratum that begins here. A trace's requests are read ahead, so that the window is drawn
// with a probability that goes half by the number of requests and half by their costs (choose_window()).
SampledRun::Place SampledRun::choose(std::uint64_t requests, std::uint64_t warm_up) {
  const std::uint64_t begin = pass_->at();
  const std::uint64_t measured = plan_->length() - warm_up;
  Place place{.begin = plan_->place(windows_.size(), begin + stretch_, requests - std::min(requests, stretch_)),
              .stands_for = static_cast<double>(requests)};
  place.warm_up = warm_up;
  if (!pass_->foresees()) return place;
  learn_pace();
  const RunPass::Preview preview = pass_->preview(requests);
  if (preview.costs.size() < warm_up + measured) return place;
  if (!options_.systematic) {
    const std::vector<float> could_be(preview.costs.begin() + static_cast<std::ptrdiff_t>(warm_up),
                                      preview.costs.end());
    const WindowChoice choice = choose_window(could_be, measured, requests, plan_->draw(windows_.size()));
    place.begin = begin + choice.place;
    place.stands_for = choice.stands_for;
  }
  if (!preview.slack.empty()) begin_at_rest(place, begin, preview.slack);
  return place;
}

// Open loop: sets the pace to the median over the windows in which the device did not keep up with the trace.
void SampledRun::learn_pace() {
  std::vector<double> paces;
  for (std::size_t number = 0; number + kLag < windows_.size(); ++number) {
    const KnownWork& known = windows_[number].known;
    if (known.clock == 0) continue;  // a closed loop must not wait for an answer here
    const double time = seconds(answer(number).time);
    if (time > kNotKeptUp * known.clock) paces.push_back(time / pass_->time_of(known));
  }
  if (paces.empty()) return;
  const auto median = paces.begin() + static_cast<std::ptrdiff_t>(paces.size() / 2);
  std::nth_element(paces.begin(), median, paces.end());
  pass_->set_pace(*median);
}

// Moves the begin of the window, by at most its length, back to the last request at which the device is at rest; if
// there is none, to the request with the most slack.
void SampledRun::begin_at_rest(Place& place, std::uint64_t stratum, const std::vector<float>& slack) const {
  const NandConfig& nand = config_.device.nand;
  const double rest =
      kRests * seconds(nand.erase_time + *std::max_element(nand.program_time.begin(), nand.program_time.end()));
  const std::uint64_t last = place.begin - stratum;
  const std::uint64_t first = last - std::min(last, plan_->length());
  std::uint64_t best = last;
  for (std::uint64_t request = last;; --request) {
    if (slack[request] > slack[best]) best = request;
    if (slack[best] >= rest || request == first) break;
  }
  place.warm_up += last - best;
  place.begin = stratum + best;
  place.at_rest = slack[best] >= rest;
}

void SampledRun::simulate_stratum(std::uint64_t requests) {
  if (pass_->learns() && windows_.size() > kLag) answer(windows_.size() - kLag - 1);
  const std::uint64_t begin = pass_->at();
  const std::size_t steady = steady_from_.value_or(kWindowParts - 1);
  PartEnds parts = window_parts(plan_->length());
  const std::uint64_t warm_up = options_.warm_up.value_or(parts[steady - 1]);
  const Place place = choose(requests, warm_up);
  for (std::uint64_t& end : parts) end += place.warm_up - warm_up;
  const std::uint64_t length = plan_->length() + place.warm_up - warm_up;
  Window window{.warm_up = warm_up};
  if (!pass_->carry_out_to_window(place.begin)) ++cold_windows_;
  WindowShape shape{.warm_up = place.warm_up, .length = length, .parts = parts};
  if (!place.at_rest) shape.behind = static_cast<Picoseconds>(pass_->behind() * static_cast<double>(kSecond));
  window.child = pass_->fork_window(shape);
  const double clock = pass_->known().clock;
  pass_->carry_out_to(place.begin + place.warm_up);
  const KnownWork from = pass_->known();
  window.overloaded = seconds(shape.behind) > from.clock - clock;
  pass_->carry_out_to(place.begin + length);
  window.known = pass_->known() - from;
  pass_->carry_out_to(begin + requests);
  // If the jobs have ended, the stratum is shorter.
  window.stands_for = place.stands_for * static_cast<double>(pass_->at() - begin) / static_cast<double>(requests);
  windows_.push_back(std::move(window));
}

// After the pilot windows: decides from which part on windows are steady, or makes windows longer to find out.
void SampledRun::decide() {
  std::vector<WindowParts> parts;
  std::vector<const WindowAnswer*> pilots;
  for (std::size_t window = pilots_; window < windows_.size(); ++window) {
    pilots.push_back(&answer(window));
    parts.push_back(pilots.back()->parts);
  }
  std::size_t from = flashloom::steady_from(parts);
  pilots_ = windows_.size();
  if (!options_.warm_up) {
    // Without the tails of latencies, which plan_for() has considered: windows need not become twice as long for these.
    relaxation_ = std::max(relaxation_, pass_->relaxation(reaches_flash(pilots)));
  }
  // Windows at least twice as long as the relaxation asks for must also show that they settle; for shorter ones of the
  // required length, the second half is taken as steady.
  const std::uint64_t shortest = SamplePlan::shortest(relaxation_);
  settled_ = plan_->length() >= shortest && (from != kWindowParts - 1 || plan_->length() < 2 * shortest);
  if (!settled_ && plan_->lengthen()) {
    of_this_length_ = windows_.size();
    return;
  }
  while (from < kWindowParts - 1 && window_parts(plan_->length())[from - 1] < relaxation_) ++from;
  steady_from_ = from;
}

// Asks for as many windows in the rest of the run as the spread of those so far requires for the target error.
void SampledRun::aim() {
  const Calibration so_far = calibrate(pass_->known() - before_);
  std::vector<const WindowAnswer*> answers;
  for (std::size_t window = 0; window < windows_.size(); ++window) answers.push_back(&answer(window));
  const double error = SampleReport(so_far, nullptr, answers).widest_error();
  const auto done = static_cast<double>(windows_.size());
  const bool asked = options_.error != 0;
  const double aim = asked ? options_.error : kUsualError;
  plan_->want(done * error * error / (aim * aim) - done, requests_left(), asked ? SamplePlan::kMostShare : kUsualShare);
}

// The run's time so far, in ps, by the answers of windows; the latest kLag windows are taken to have the pace before
// them.
double SampledRun::time_so_far() {
  double time = ramp_ != 0 ? static_cast<double>(ramp_) : static_cast<double>(begin_.time);
  double pace = static_cast<double>(begin_.time) / static_cast<double>(begin_.requests);
  for (std::size_t number = 0; number < windows_.size(); ++number) {
    if (number + kLag < windows_.size())
      if (const WindowAnswer& window = answer(number); window.requests != 0)
        pace = static_cast<double>(window.time) / static_cast<double>(window.requests);
    time += pace * windows_[number].stands_for;
  }
  return time;
}

std::uint64_t SampledRun::requests_left() {
  if (runtime_ == 0) return requests_ - std::min(requests_, pass_->at());
  const double time = time_so_far();
  if (time >= static_cast<double>(runtime_)) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(pass_->at()) / time * (static_cast<double>(runtime_) - time));
}

// The share of the strata that lies within the runtime.
double SampledRun::runtime_scale() const {
  double time = 0;
  for (const Window& window : windows_)
    time += static_cast<double>(window.answer->time) / static_cast<double>(window.answer->requests) * window.stands_for;
  const double begin = static_cast<double>(ramp_ != 0 ? ramp_ : begin_.time);
  return (static_cast<double>(runtime_) - begin) / time;
}

// Calibrates the weights so that the flash work of the windows on the timed clock sums up to the run's work on the
// instant clock: over a run both clocks do the same work, and windows whose garbage collection lags behind would bias
// the result.
Calibration SampledRun::calibrate(KnownWork strata) {
  std::vector<Calibration::Window> windows;
  double more = 0;
  double instant = 0;
  for (std::size_t number = 0; number < windows_.size(); ++number) {
    const double work = pass_->work_of(answer(number));
    const Window& window = windows_[number];
    const double times = window.stands_for / std::max(window.known.requests, 1.0);
    more += times * (work - window.known.work);
    instant += times * window.known.work;
    windows.push_back({window.known, window.stands_for});
    KnownWork& known = windows.back().known;
    known.work = work;
    if (!pass_->goes_by_shares()) continue;
    // The mix of jobs in a window is that of the timed clock, so reads are counted there and not in the pass.
    known.reads = known.read = 0;
    for (const HostStatistics& job : answer(number).jobs) {
      known.reads += static_cast<double>(job.of(IoOperation::Read).ios);
      known.read += static_cast<double>(job.of(IoOperation::Read).bytes);
    }
  }
  // Variance of the difference between the clocks' work in a window, around its mean; over the run the differences add
  // up as independent random errors.
  double squares = 0;
  for (std::size_t number = 0; number < windows_.size(); ++number) {
    const Window& window = windows_[number];
    const double times = window.stands_for / std::max(window.known.requests, 1.0);
    const double expected = instant == 0 ? 0 : window.known.work * (1 + more / instant);
    squares += times * std::pow(windows[number].known.work - expected, 2);
  }
  const auto n = static_cast<double>(windows.size());
  const Calibration timed(windows, strata, kConfidence, {.work = n < 2 ? 0 : std::sqrt(squares * n / (n - 1))});
  // The clocks' work is not comparable if the device works in idle time, which the instant clock only estimates, nor if
  // the run only reads: nothing can lag then, but on the timed clock some reads repeat one that is in flight.
  const bool same_work = !config_.device.works_in_idle_time() && writes_;
  if (same_work && timed.calibrated()) return timed;
  // Else, or if no weights give the run's work: calibrate with the instant clock's work in the same stretches.
  for (std::size_t number = 0; number < windows_.size(); ++number)
    windows[number].known.work = windows_[number].known.work;
  const Calibration same_stretches(windows, strata, kConfidence);
  return !same_work || same_stretches.calibrated() ? same_stretches : timed;
}

bool SampledRun::run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) {
  requests_ = requests;
  runtime_ = workload.jobs.front().runtime;
  ramp_ = workload.jobs.front().ramp_time;
  const bool open_loop = workload.jobs.front().open_loop;
  pass_ = make_run_pass(config_, simulation_, workload, std::move(progress));
  relaxation_ = options_.warm_up ? std::max<std::uint64_t>(*options_.warm_up, 1) : least_relaxation();
  writes_ = pass_->writes();
  if (pass_->too_small() && !options_.warm_up) {
    refused_ =
        "chance leaves the dies of so small a device unequal shares of data, which windows do not show "
        "(--sample-warm-up samples it all the same)";
    return false;
  }
  if ((requests == 0 && runtime_ == 0) || !begin()) {
    if (refused_.empty()) refused_ = "the run is too short for windows that forget their begin";
    return false;
  }
  while (true) {
    // A remainder of less than half a stratum belongs to the stratum before it.
    const std::uint64_t left = requests_left();
    const std::uint64_t before = pass_->at();
    stretch_ = pass_->stretch_before_window(plan_->stratum(before));
    const std::uint64_t stratum = std::max(plan_->stratum(before), stretch_ + plan_->length());
    if (left == 0 || (runtime_ != 0 && left < stratum / 2)) break;
    simulate_stratum(runtime_ != 0 || left >= stratum * 3 / 2 ? stratum : left);
    if (pass_->at() == before) break;  // the jobs have ended
    if (!steady_from_ && !options_.warm_up && windows_.size() == pilots_ + kPilots) decide();
    if ((options_.error != 0 || options_.windows == 0) && windows_.size() % kPilots == 0) aim();
  }
  pass_->end();
  for (std::size_t window = 0; window < windows_.size(); ++window) answer(window);
  std::erase_if(windows_, [](const Window& window) { return window.answer->requests == 0; });
  if (windows_.empty()) throw UsageError("--sample: the jobs end before anything is measured: run them whole");
  std::vector<WindowParts> parts;
  for (std::size_t window = of_this_length_; window < windows_.size(); ++window)
    parts.push_back(windows_[window].answer->parts);
  if (!open_loop && still_changes(parts)) settled_ = false;  // the pace of an open loop is that of its arrivals
  KnownWork strata = pass_->known() - before_;
  // The estimated time of the strata differs from the runtime by up to half of the last stratum: scale them to it.
  if (runtime_ != 0) strata *= runtime_scale();
  calibration_.emplace(calibrate(strata));
  left_ = left_of_begin(parts);
  std::vector<const WindowAnswer*> answers;
  for (const Window& window : windows_) answers.push_back(&*window.answer);
  absorbed_ = (1 - reaches_flash(answers).writes) * pass_->absorbs_unlike();
  clock_ = strata.clock;
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

// Adds the relative error of the pass's clock to `sample`. If a tier's maintenance passes begin by time, they began too
// early or too late by that error, so it is also a bound on the bias; else returns 0.
double SampledRun::judge_clock(nlohmann::ordered_json& sample) const {
  if (simulation_.tier() == nullptr) return 0;
  double time = 0;
  for (std::size_t window = 0; window < windows_.size(); ++window)
    time += calibration_->weights()[window] * seconds(windows_[window].answer->time);
  const double error = std::abs(time / clock_ - 1);
  sample["clock_error"] = error;
  return simulation_.tier()->tier()->passes_by_time() ? error : 0;
}

double SampledRun::slow() const { return simulation_.tier() != nullptr ? kSlowTier : writes_ ? kSlow : 0; }

// Bound on the relative bias, as opposed to random error, of the figure at a path of the result.
double SampledRun::bias(const std::string& path) const {
  const double work = calibration_->missing_work() + absorbed_;
  // These depend on the work rather than on time, and a tier's work on time, too.
  const bool by_work = path == "ftl.waf" || (path.starts_with("energy") && path != "energy.average_w");
  const double bias = by_work && simulation_.tier() == nullptr ? work : work + slow();
  if (path == "ftl.waf") return bias;
  for (std::size_t operation = 0; operation < kIoOperations; ++operation)
    if (path.starts_with(std::string("host.") + kIoOperationNames[operation] + ".latency_ns"))
      return bias + left_.latency[operation];
  return bias + left_.pace;
}

void SampledRun::widen(nlohmann::ordered_json& sample) const {
  const double clock = judge_clock(sample);
  for (auto& [path, interval] : sample["intervals"].items()) {
    if (interval.is_null()) continue;
    const double low = interval["low"].get<double>();
    const double high = interval["high"].get<double>();
    double wider = (clock + bias(path)) * (low + high) / 2;
    // If all windows are alike, their spread does not show how rare other stretches are. The flash work and the time of
    // an open loop need no such margin: they are known for the whole run.
    const double middle = (low + high) / 2;
    const double half = (high - low) / 2 + wider;
    if (path != "ftl.waf" && (path != "simulated_s" || clock_ == 0) && half < kAlike * middle)
      wider += kUnseen * middle - half;
    interval = {{"low", std::max(0.0, low - wider)}, {"high", high + wider}};
  }
}

void SampledRun::complete(nlohmann::ordered_json& result) const {
  result["sample"] = nullptr;
  if (!calibration_) {  // all of the run was simulated on the timed clock
    result["sample_refused"] = refused_;
    return;
  }
  std::vector<const WindowAnswer*> windows;
  for (const Window& window : windows_) windows.push_back(&*window.answer);
  nlohmann::ordered_json sample{
      {"windows", windows_.size()},
      {"requests", plan_->length()},
      {"warm_up",
       {{"requests", windows_.back().warm_up}, {"found", !options_.warm_up.has_value()}, {"settled", settled_}}},
      {"stretch", nullptr},
      {"placement", options_.systematic ? "systematic" : "random"},
      {"seed", options_.seed.value_or(config_.device.seed)},
      {"begin_requests", ramp_ == 0 ? begin_.requests : 0},
      {"confidence", kConfidence},
      {"calibrated", calibration_->calibrated()},
      {"bias",
       {{"begin", left_.pace}, {"work", calibration_->missing_work()}, {"buffer", absorbed_}, {"slow", slow()}}},
      {"overloaded", std::count_if(windows_.begin(), windows_.end(), [](const Window& one) { return one.overloaded; })},
      {"error", {{"aim", nullptr}, {"reached", 0.0}}}};
  if (stretch_ != 0) sample["stretch"] = {{"requests", stretch_}, {"too_short", cold_windows_}};
  const SampleReport report(*calibration_, ramp_ == 0 ? &begin_ : nullptr, windows);
  if (options_.error != 0) sample["error"]["aim"] = options_.error;
  sample["error"]["reached"] = report.widest_error();
  report.complete(result);
  widen(result["sample"]);
  if (!settled_) sample["error"]["reached"] = nullptr;
  // Latencies in overloaded windows include an estimated backlog. A tier's longest writes wait for exchanges, of which
  // windows have few.
  for (auto& [path, interval] : result["sample"]["intervals"].items())
    if (!settled_ || (sample["overloaded"] != 0 && path.find("latency_ns") != std::string::npos) ||
        (simulation_.tier() != nullptr && path.starts_with("host.write.latency_ns.p99")))
      interval = nullptr;
  for (auto& [key, value] : sample.items()) result["sample"][key] = value;
}

}  // namespace flashloom
