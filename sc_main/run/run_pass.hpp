// Something carries a run's requests out in less than their time, and forks off stretches of it that are simulated in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sc_main/options/options.hpp"
#include "sc_main/run/child_process.hpp"
#include "sc_main/run/sample_window.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/sample/calibration.hpp"
#include "sc_main/sample/sample_plan.hpp"
#include "workloads/look_ahead.hpp"

namespace flashloom {

/// Throws UsageError, which says why, where no pass can carry out such a run. `option`: that asks for it.
/// `timed`: a trace may be replayed at its own times, alone.
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
  /// Until so many are, or a few more, or the jobs have ended. Throws what the firmware throws.
  virtual void carry_out_to(std::uint64_t request) = 0;
  /// The same where a window begins then: what was left out before must not show. False: it may.
  virtual bool carry_out_to_window(std::uint64_t request) {
    carry_out_to(request);
    return true;
  }
  /// Of the next stratum, with so many requests, those that must come before its window for that.
  virtual std::uint64_t stretch_before_window(std::uint64_t /*stratum*/) { return 0; }
  /// Behind the last request: carries out what is still waiting for others to come.
  virtual void end() {}
  /// Work up to here.
  virtual KnownWork known() const = 0;

  /// Simulates the next requests in time, beside this process. Returns its number.
  std::size_t fork_window(const WindowShape& shape);
  /// What it has to say; waits for it. Once. Throws SimulationFailure about `what`.
  WindowAnswer take(std::size_t window, const std::string& what = "a stretch of the run");
  /// Where a window is to begin as from a saved state: makes the firmware quiescent, if it is alone.
  virtual void come_to_rest() {}

  /// Whether it goes better with the answers of windows as soon as there are any.
  virtual bool learns() const { return false; }
  /// From what was measured of a stretch.
  virtual void learn(const WindowAnswer& /*answer*/) {}
  /// Before the first request, where nothing was measured before: what it takes to begin.
  virtual void prepare() {}
  /// Whether there are several jobs, and it goes by the shares that they have of the requests.
  virtual bool goes_by_shares() const { return false; }
  /// Shares of the jobs' requests, from what was measured of a stretch.
  virtual void share_as_in(const WindowAnswer& /*answer*/) {}

  /// Whether there is more to know of requests before they are carried out than of those before: a job, alone, replays a
  /// trace, whose requests may come in phases, or has an open loop.
  virtual bool foresees() { return false; }
  /// What is.
  struct Preview {
    std::vector<float> costs;  ///< time that each takes the flash, all dies together, about, in seconds
    std::vector<float> slack;  ///< open loop: for so long all before has been done when it comes, if negative still to do
  };
  virtual Preview preview(std::uint64_t /*requests*/) { return {}; }
  /// Open loop: how far behind the trace's clock the device is when the next request comes, in seconds.
  virtual double behind() { return 0; }
  /// What would take all dies one second takes a busy device so many, as one is told of.
  virtual void set_pace(double /*seconds*/) {}
  /// KnownWork::work of a window, by what its flash did.
  double work_of(const WindowAnswer& window) const { return work_of(window.flash); }
  /// Time of all dies together that so much work is, in seconds.
  virtual double time_of(const KnownWork& known) const;

  /// Whether a run's begin is to last until caches are warm of which nobody knows before when they are (WindowShape).
  virtual bool warms_up() const { return false; }
  /// Windows of a run at least, where they have to be long.
  virtual std::uint64_t few_windows() const { return SamplePlan::kFew; }
  /// And where they may be short.
  virtual std::uint64_t usual_windows() const { return SamplePlan::kUsual; }
  /// So many requests after its begin a run should not show any more that caches were cold.
  std::uint64_t cold_start() const;
  /// What of the host's requests the buffer leaves to the flash.
  struct ReachesFlash {
    double reads = 1;
    double writes = 1;
    double programmed = 0;  ///< units for each that it leaves, copies included; 0: not known
    bool tails = false;     ///< tails of latencies are not to show it either
  };
  /// After so many requests nothing should show any more that a window began with empty queues and idle dies.
  std::uint64_t relaxation(ReachesFlash share) const;
  std::uint64_t relaxation() const { return relaxation({}); }
  /// That goes by how much is programmed, copies included, which is not known before something was measured: the FTL maps
  /// blocks, and merges them.
  bool relaxes_by_copies() const;
  /// The jobs' next requests do, some of them.
  bool writes() const { return mean_request().written != 0; }
  /// By how much of what the buffer absorbs the two clocks may differ in that. In time, writes that wait for room are as
  /// good as in the buffer for those that come behind them, as if it were larger: half of the share of it that they are.
  virtual double absorbs_unlike() const;
  /// Whether it writes to a device so small that chance leaves its dies unequal shares of valid data: what windows see of
  /// it differs by more than they show.
  bool too_small() const { return writes() && share_ahead() > kTells; }
  /// Of the time that a request takes on the timed clock about what it takes here, on this computer.
  double share_of_time() const;

 protected:
  /// The workload and the others outlive it. The jobs' sources are replaced by such as are read ahead.
  RunPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  struct MeanRequest {
    double units = 0;    ///< mapping units of the SSD
    double written = 0;  ///< of them
    double carried_out = 1;  ///< requests: the others are left out
  };
  /// Of what comes next of each job, by the jobs' shares.
  MeanRequest first_requests() const;
  /// As the SSD gets them.
  virtual MeanRequest mean_request() const { return first_requests(); }
  /// In a forked process: simulates the window. What it says is for parse_window().
  virtual std::string simulate(const WindowShape& shape) = 0;
  /// Before a window is forked off.
  virtual void before_window() {}
  /// Of n units of data that lie on a die by chance, the fullest of some dies has about 2 / sqrt(n) more than the mean, and
  /// four times that more to do to collect as much space: so much, relative to the mean.
  double share_ahead() const;
  static constexpr double kTells = 0.1;  ///< less than that makes the other dies idle for no more than that
  /// Requests like this one are not carried out.
  virtual bool leaves_out(const Request& /*request*/) const { return false; }
  /// Reads ahead as many requests of each job as a window of so many takes.
  void read_ahead(std::uint64_t requests);
  /// A window's requests must be read ahead of it; else the forked process goes on with its copy of what makes requests up.
  virtual bool windows_are_read_ahead() const { return true; }

  /// The instant flash's operations, in seconds of a die.
  double flash_work() const;
  virtual double work_of(const FlashCommands& commands) const;
  bool open_loop(std::size_t job) const { return open_loops_[job]; }
  /// Of the requests, against those of the other jobs: by its depth, while nobody knows more.
  virtual double share_of(std::size_t job) const { return depths_[job]; }
  /// Requests that each job has in flight at most.
  const std::vector<std::uint32_t>& depths() const { return depths_; }
  void step_is_done();

  const LoadedConfig& config_;
  Simulation& simulation_;
  std::vector<HostJob>& jobs_;  // until they begin
  Progress progress_;
  double read_time_;  // of flash operations, in seconds: the mean of page types
  double program_time_;  // with its share of an erase
  std::vector<LookAhead*> sources_;  // of the jobs
  const bool reads_traces_;

 private:
  ChildPool pool_;
  std::vector<std::uint32_t> depths_;  // of the jobs
  std::vector<bool> open_loops_;
};

/// The one that such a device needs.
std::unique_ptr<RunPass> make_run_pass(const LoadedConfig& config, Simulation& simulation, Workload& workload,
                                       RunPass::Progress progress);

}  // namespace flashloom
