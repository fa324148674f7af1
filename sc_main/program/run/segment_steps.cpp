#include "sc_main/program/run/segment_steps.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "sc_main/assembly/state/device_state.hpp"
#include "sc_main/assembly/system/begin_state.hpp"
#include "sc_main/program/options/option_values.hpp"
#include "sc_main/program/run/child_process.hpp"
#include "sc_main/program/run/instant_pass.hpp"
#include "sc_main/program/run/open_workload.hpp"
#include "sc_main/program/run/progress.hpp"
#include "sc_main/program/run/segment_pass.hpp"
#include "workloads/byte_stream.hpp"
#include "workloads/file_lock.hpp"
#include "workloads/interruption.hpp"

namespace flashloom {
namespace {

/// The steps of a run, with their common arguments.
class Steps {
 public:
  using Told = std::function<void(std::uint64_t)>;  // requests carried out

  Steps(SegmentFolder& folder, const RunOptions& options, const LoadedConfig& config, const DeviceSpace& space,
        std::uint64_t requests)
      : folder_(folder), options_(options), config_(config), space_(space), requests_(requests) {}

  void pass(const Told& told) const;
  void segment(std::size_t number) const;
  void all(Progress& progress) const;

  std::size_t segments() const { return options_.sample.segments; }
  bool passed() const;

 private:
  void save(Simulation& simulation, InstantPass& pass, Workload& workload, std::size_t segment,
            PreconditionResult& precondition) const;

  SegmentFolder& folder_;
  const RunOptions& options_;
  const LoadedConfig& config_;
  const DeviceSpace& space_;
  std::uint64_t requests_;
};

/// Runs a step and returns its error message about its input; empty: there was none. Other exceptions pass through.
std::string bad_input_of(const std::function<void()>& step) {
  try {
    step();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const WorkloadError& error) {
    return error.what();
  } catch (const StateError& error) {
    return error.what();
  }
  return {};
}

bool Steps::passed() const {
  for (std::size_t segment = 0; segment <= segments(); ++segment)
    if (!folder_.has_state(segment)) return false;
  return true;
}

// Writes the state last: if it exists, everything that a segment begins with does.
void Steps::save(Simulation& simulation, InstantPass& pass, Workload& workload, std::size_t segment,
                 PreconditionResult& precondition) const {
  folder_.write_jobs(segment, pass, workload);
  StateWriter writer(folder_.state(segment), header_of(config_.device));
  simulation.state(writer, precondition);
  writer.commit();
}

// A pass continues from the last state that an earlier, killed pass has saved.
void Steps::pass(const Told& told) const {
  if (passed()) return;
  Workload workload = open_workload(options_, config_.device, space_);
  std::size_t next = 0;
  while (folder_.plan() && folder_.has_state(next)) ++next;
  const std::string from = next != 0 ? folder_.state(next - 1) : options_.state;
  const auto state = from.empty() ? nullptr : std::make_unique<StateReader>(from);
  Simulation simulation(config_.device);
  PreconditionResult precondition = begin_state(simulation, state.get());
  InstantPass pass(config_, simulation, workload, told);
  const SegmentPlan plan = folder_.plan() ? *folder_.plan() : plan_segments(pass, requests_, segments());
  if (!plan.worth_while())
    throw UsageError("--segments-folder: " + std::to_string(requests_) + " requests are too few for " +
                     std::to_string(segments()) + " segments: one would be shorter than two warm-ups of " +
                     std::to_string(plan.warm_up()) + "; take fewer segments, or simulate the run whole");
  folder_.begin(plan);
  if (next != 0) folder_.read_jobs(next - 1, pass);
  for (; next < segments(); ++next) {
    go_to_segment(pass, plan, next);
    save(simulation, pass, workload, next, precondition);
  }
  go_to_end(pass, plan);
  save(simulation, pass, workload, segments(), precondition);
}

void Steps::segment(std::size_t number) const {
  if (folder_.has_answer(number)) return;
  if (!folder_.plan() || !folder_.has_state(number))
    throw UsageError("--segments-only: " + segment_name(number, segments()) + " has no begin in " + folder_.path() +
                     " yet; --segments-only pass makes it");
  Workload workload = open_workload(options_, config_.device, space_);
  folder_.read_jobs(number, workload);
  StateReader state(folder_.state(number));
  Simulation simulation(config_.device);
  begin_state(simulation, &state);
  if (simulation.ssd().faults() != nullptr) simulation.ssd().faults()->begin();
  const WindowShape shape = segment_shape(*folder_.plan(), number, folder_.plan()->begin(number));
  folder_.write_answer(
      number, simulate_window(config_, simulation, shape, [&] { simulation.run_window(std::move(workload.jobs)); }));
}

// Runs the pass and the segments in parallel, as many as there are cores; each segment starts when its state exists.
void Steps::all(Progress& progress) const {
  keep_inputs_whole();
  ChildPool pool(std::thread::hardware_concurrency());
  const auto begun = [&](const std::function<void()>& step) {
    return pool.start([&step] { return bad_input_of(step); });
  };
  std::optional<std::size_t> pass;
  if (!passed()) pass = begun([&] { this->pass({}); });
  std::vector<std::optional<std::size_t>> children(segments());
  std::string failed;
  const auto note = [&](const std::string& what, const ChildPool::Outcome& outcome) {
    if (!outcome.answer.empty()) throw UsageError(outcome.answer);
    if (!outcome.error.empty()) failed += (failed.empty() ? "" : "; ") + what + ": " + outcome.error;
  };
  while (true) {
    const bool passing = pass && !pool.ended(*pass);
    bool waiting = passing;
    std::uint64_t done = 0;
    folder_.refresh();
    for (std::size_t segment = 0; segment < segments(); ++segment) {
      if (folder_.has_answer(segment)) {
        if (folder_.plan()) done += folder_.plan()->lengths()[segment];
        continue;
      }
      if (!children[segment] && pool.has_room() && folder_.has_state(segment))
        children[segment] = begun([&, segment] { this->segment(segment); });
      if (children[segment] ? !pool.ended(*children[segment]) : folder_.has_state(segment)) waiting = true;
    }
    progress.run(done);
    if (!waiting) break;
    pool.wait();
  }
  if (pass) note("the pass on the instant clock", pool.outcome(*pass));
  for (std::size_t segment = 0; segment < segments(); ++segment)
    if (children[segment]) note(segment_name(segment, segments()), pool.outcome(*children[segment]));
  if (!failed.empty())
    throw SimulationFailure(failed + "; what is done stays in " + folder_.path() +
                            ", and the same command does the rest");
}

// Why a saved state does not hold everything that a forked segment would have; null: it does.
const char* not_saved(const DeviceConfig& config) {
  if (config.faults.any()) return "faults: a saved state does not hold how many have struck";
  if (config.hdd.capacity != 0)
    return "hdd.capacity makes a tier: a saved state does not hold what it has under way between segments";
  return nullptr;
}

}  // namespace

std::unique_ptr<SegmentFolder> segment_folder(const RunOptions& options, const LoadedConfig& config,
                                              const Workload& workload) {
  const SampleOptions& sample = options.sample;
  if (sample.folder.empty()) return nullptr;
  if (const char* const reason = not_saved(config.device); reason != nullptr)
    throw UsageError(std::string("--segments-folder: ") + reason + "; leave the folder out");
  return std::make_unique<SegmentFolder>(sample.folder, identity_of_run(options, config, workload), sample.segments);
}

bool simulate_segments(SegmentFolder& folder, const RunOptions& options, const LoadedConfig& config,
                       const DeviceSpace& space, std::uint64_t requests, Progress& progress) {
  const Steps steps(folder, options, config, space, requests);
  switch (options.sample.step) {
    case SegmentStep::Pass:
      steps.pass([&progress](std::uint64_t done) { progress.run(done); });
      return false;
    case SegmentStep::One:
      steps.segment(options.sample.segment);
      return false;
    case SegmentStep::Merge: {
      std::string missing;
      for (std::size_t segment = 0; segment < steps.segments(); ++segment)
        if (!folder.has_answer(segment)) missing += (missing.empty() ? "" : ", ") + std::to_string(segment + 1);
      if (!missing.empty())
        throw UsageError("--segments-only merge: " + folder.path() + " has no answer of segment " + missing + " of " +
                         std::to_string(steps.segments()));
      if (!folder.complete())
        throw UsageError("--segments-only merge: " + folder.path() +
                         " has no end.state; --segments-only pass makes it");
      return true;
    }
    case SegmentStep::All:
      break;
  }
  if (folder.complete()) return true;
  folder.make();
  const FileLock lock = FileLock::of_folder(folder.path());
  try {
    steps.all(progress);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(folder.path(), ignored);  // fails unless the folder is empty
    throw;
  }
  folder.refresh();
  return true;
}

}  // namespace flashloom
