// A pass carries out a run's requests faster than the timed clock, and forks off stretches that are simulated on that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/assembly/report/workload.hpp"
#include "sc_main/program/run/child_process.hpp"
#include "sc_main/program/run/sample_window.hpp"
#include "sc_main/program/sample/calibration.hpp"
#include "sc_main/program/sample/sample_plan.hpp"
#include "workloads/look_ahead.hpp"

namespace flashloom {

/// Throws UsageError with the reason if no pass can carry out such a run. `option`: the option that asks for it.
/// `timed`: a trace that is the only job may be replayed at its own times.
void check_carried_out(const std::string& option, const DeviceConfig& config, const std::vector<HostJob>& jobs,
                       bool timed);

class RunPass {
 public:
  using Progress = std::function<void(std::uint64_t)>;

  virtual ~RunPass() = default;
  RunPass(const RunPass&) = delete;
  RunPass& operator=(const RunPass&) = delete;

  /// Requests carried out so far.
  virtual std::uint64_t at() const = 0;
  /// Carries out requests until at() is `request` or slightly more, or the jobs have ended. Throws what the firmware
  /// throws.
  virtual void carry_out_to(std::uint64_t request) = 0;
  /// The same before a window that begins at `request`: requests left out before must not affect it. False: they may.
  virtual bool carry_out_to_window(std::uint64_t request) {
    carry_out_to(request);
    return true;
  }
  /// Number of requests that must be carried out for that before the window of the next stratum, of so many requests.
  virtual std::uint64_t stretch_before_window(std::uint64_t /*stratum*/) { return 0; }
  /// After the last request: carries out requests that the pass has delayed.
  virtual void end() {}
  /// Auxiliary variables of all requests up to at().
  virtual KnownWork known() const = 0;

  /// Forks a child that simulates the next requests on the timed clock. Returns the number of the window.
  std::size_t fork_window(const WindowShape& shape);
  /// Waits for a window and returns its answer, once. Throws SimulationFailure; `what` names the window in its message.
  WindowAnswer take(std::size_t window, const std::string& what = "a stretch of the run");
  /// Makes the firmware quiescent, so that a window begins as from a saved state. Does nothing with a tier.
  virtual void come_to_rest() {}

  /// Whether learn() improves the pass, so that each answer is to be taken as soon as it is there.
  virtual bool learns() const { return false; }
  /// Learns from the measurements of a window.
  virtual void learn(const WindowAnswer& /*answer*/) {}
  /// Before the first request, if no window was measured: measures what the pass needs to begin.
  virtual void prepare() {}
  /// Whether the pass needs the jobs' shares of the requests: there are several jobs.
  virtual bool goes_by_shares() const { return false; }
  /// Sets the jobs' shares of the requests to those measured in a window.
  virtual void share_as_in(const WindowAnswer& /*answer*/) {}

  /// Whether preview() tells more than past requests do: the only job replays a trace, whose requests may come in
  /// phases, or has an open loop.
  virtual bool foresees() { return false; }
  /// Estimates for the next requests, in seconds.
  struct Preview {
    std::vector<float> costs;  ///< flash time of each, shared by all dies
    std::vector<float> slack;  ///< open loop: idle time of the device at each arrival; negative: its backlog
  };
  virtual Preview preview(std::uint64_t /*requests*/) { return {}; }
  /// Open loop: the device's backlog in seconds when the next request arrives.
  virtual double behind() { return 0; }
  /// Sets the seconds that a busy device takes for work that would keep all dies busy for one second.
  virtual void set_pace(double /*seconds*/) {}
  /// KnownWork::work of a window, from the flash commands of the timed clock.
  double work_of(const WindowAnswer& window) const { return work_of(window.flash); }
  /// Seconds for which such work keeps all dies busy.
  virtual double time_of(const KnownWork& known) const;

  /// Whether the run's begin lasts until caches are warm, which is not known beforehand (WindowShape::until_warm).
  virtual bool warms_up() const { return false; }
  /// Number of windows if they have to be long (SamplePlan::Wishes::few).
  virtual std::uint64_t few_windows() const { return SamplePlan::kFew; }
  /// Number of windows if they may be short (SamplePlan::Wishes::usual).
  virtual std::uint64_t usual_windows() const { return SamplePlan::kUsual; }
  /// Requests after which a run should no longer show that its caches began cold.
  std::uint64_t cold_start() const;
  /// The share of the host's units that the buffer passes on to the flash.
  struct ReachesFlash {
    double reads = 1;
    double writes = 1;
    double programmed = 0;  ///< units programmed per unit passed on, copies included; 0: not known
    bool tails = false;     ///< relaxation(): the tails of latencies must have settled, too
  };
  /// Requests after which nothing should show any more that a window began with empty queues and idle dies.
  std::uint64_t relaxation(ReachesFlash share) const;
  std::uint64_t relaxation() const { return relaxation({}); }
  /// Whether the relaxation depends on ReachesFlash::programmed, which must be measured first: the FTL maps and merges
  /// blocks.
  bool relaxes_by_copies() const;
  /// Whether some of the jobs' next requests write.
  bool writes() const { return mean_request().written != 0; }
  /// Bound on the difference between what the buffer absorbs on the two clocks, relative to what it absorbs. On the
  /// timed clock, writes that wait for room can be overwritten as if they were in a larger buffer: the bound is half of
  /// their share of the buffer.
  virtual double absorbs_unlike() const;
  /// Whether the jobs write to so small a device that its dies hold unequal shares of valid data by chance. Windows
  /// then have errors that their spread does not show.
  bool too_small() const { return writes() && share_ahead() > kTells; }
  /// Approximate computing time of a request in the pass, relative to that on the timed clock.
  double share_of_time() const;

 protected:
  /// The arguments outlive the pass. Wraps the jobs' sources so that requests can be read ahead.
  RunPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  struct MeanRequest {
    double units = 0;        ///< mapping units of the SSD
    double written = 0;      ///< mapping units that it writes
    double carried_out = 1;  ///< share of requests that are not left out
  };
  /// Mean over the next requests of each job, weighted by the jobs' shares.
  MeanRequest first_requests() const;
  /// The same, as the SSD receives them.
  virtual MeanRequest mean_request() const { return first_requests(); }
  /// Simulates the window, in a forked process. Returns an answer for parse_window().
  virtual std::string simulate(const WindowShape& shape) = 0;
  /// Before a window is forked off.
  virtual void before_window() {}
  /// How much more garbage collection work the fullest die has than the mean die, relative to it. With n units on a die
  /// by chance, the fullest of a few dies holds about 2 / sqrt(n) more than the mean, and needs four times as much more
  /// work to reclaim the same space.
  double share_ahead() const;
  static constexpr double kTells = 0.1;  ///< a smaller share_ahead() is neglected: other dies idle for no larger share
  /// Whether requests like this one are not carried out.
  virtual bool leaves_out(const Request& /*request*/) const { return false; }
  /// Reads ahead as many requests of each job as a window of `requests` may take.
  void read_ahead(std::uint64_t requests);
  /// Whether a window's requests must be read before the fork; else the child goes on with its copy of the sources.
  virtual bool windows_are_read_ahead() const { return true; }

  /// Die time of the instant flash's operations, in seconds.
  double flash_work() const;
  virtual double work_of(const FlashCommands& commands) const;
  bool open_loop(std::size_t job) const { return open_loops_[job]; }
  /// Weight of a job's requests against the other jobs': its depth, until shares are measured.
  virtual double share_of(std::size_t job) const { return depths_[job]; }
  /// Requests that each job has in flight at most.
  const std::vector<std::uint32_t>& depths() const { return depths_; }
  void step_is_done();

  const LoadedConfig& config_;
  Simulation& simulation_;
  std::vector<HostJob>& jobs_;  // moved away when they begin
  Progress progress_;
  double read_time_;                 // of a flash read, in seconds: mean over page types
  double program_time_;              // of a program and its share of an erase
  std::vector<LookAhead*> sources_;  // of the jobs
  const bool reads_traces_;

 private:
  ChildPool pool_;
  std::vector<std::uint32_t> depths_;  // of the jobs
  std::vector<bool> open_loops_;
};

/// Makes a HybridPass for a device with a tier, else an InstantPass.
std::unique_ptr<RunPass> make_run_pass(const LoadedConfig& config, Simulation& simulation, Workload& workload,
                                       RunPass::Progress progress);

}  // namespace flashloom
