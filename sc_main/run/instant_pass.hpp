// The instant clock carries a run's requests out, and forks off stretches of it that are simulated in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "controllers/host/job_mix.hpp"
#include "sc_main/options/options.hpp"
#include "sc_main/run/child_process.hpp"
#include "sc_main/run/sample_window.hpp"
#include "sc_main/run/workload.hpp"
#include "sc_main/sample/backlog_estimate.hpp"
#include "sc_main/sample/calibration.hpp"
#include "workloads/look_ahead.hpp"

namespace flashloom {

/// Throws UsageError, which says why, where the instant clock cannot carry out such a run. `option`: that asks for it.
/// `timed`: a trace may be replayed at its own times, alone.
void check_carried_out(const std::string& option, const DeviceConfig& config, const std::vector<HostJob>& jobs,
                       bool timed);

class InstantPass {
 public:
  using Progress = std::function<void(std::uint64_t)>;

  /// The workload and the others outlive it. The jobs' sources are replaced by such as are read ahead.
  InstantPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress);

  /// Requests carried out so far, those included that nothing would remember and that were left out.
  std::uint64_t at() const { return mix_.taken(); }
  /// Until so many are, or the jobs have ended. Throws what the firmware throws.
  void carry_out_to(std::uint64_t request);
  /// Makes the firmware quiescent: where the device is to be saved, and where a window is to begin as if it had been.
  void come_to_rest() { host_.come_to_rest(); }
  /// Saves how far the jobs are, or brings new ones there; the device has a state of its own.
  void state(StateArchive& archive);
  /// Reads ahead as many requests of each job as a window of so many takes.
  void read_ahead(std::uint64_t requests);
  /// What was read ahead of a job.
  const LookAhead& source(std::size_t job) const { return *sources_[job]; }
  /// Work of the flash up to here.
  KnownWork known() const;
  /// Whether there is more to know of requests before they are carried out than of those before: a job, alone, replays a
  /// trace, whose requests may come in phases, or has an open loop.
  bool foresees();
  /// What is.
  struct Preview {
    std::vector<float> costs;  ///< time that each takes the flash, all dies together, about, in seconds
    std::vector<float> slack;  ///< open loop: for so long all before has been done when it comes, if negative still to do
  };
  Preview preview(std::uint64_t requests);
  /// Open loop: how far behind the trace's clock the device is when the next request comes, in seconds.
  double behind();
  /// What would take all dies one second takes a busy device so many, as one is told of.
  void set_pace(double seconds) { pace_ = seconds; }
  /// Time of all dies together that so much work is, in seconds.
  double time_of(const KnownWork& known) const;
  /// Shares of the jobs' requests, from what was measured of a stretch.
  void share_as_in(const WindowAnswer& answer);

  /// Simulates the next requests in time, beside this process. Returns its number.
  std::size_t fork_window(const WindowShape& shape);
  /// What it has to say; waits for it. Once. Throws SimulationFailure about `what`.
  WindowAnswer take(std::size_t window, const std::string& what = "a stretch of the run");

  /// So many requests after its begin a run should not show any more that caches were cold.
  std::uint64_t cold_start() const;
  /// After so many requests nothing should show any more that a window began with empty queues and idle dies.
  std::uint64_t relaxation() const;
  /// Of the time that a request takes on the timed clock about what it takes here, on this computer.
  double share_of_time() const;

 private:
  struct MeanRequest {
    double units = 0;    ///< mapping units
    double written = 0;  ///< of them
    double carried_out = 1;  ///< requests: the others are left out
  };
  bool open_loop() const { return jobs_.front().open_loop; }
  MeanRequest mean_request() const;
  double seconds_of(std::uint64_t arrival_ps) const;
  double write_time() const;
  double read_time(double bytes) const;

  void rest();
  void carry_out_open_loop(std::uint64_t requests);

  const LoadedConfig& config_;
  Simulation& simulation_;
  std::vector<HostJob>& jobs_;
  bool reads_traces_;
  Progress progress_;
  double read_time_;  // of flash operations, in seconds: the mean of page types
  double program_time_;
  double erase_time_;
  ChildPool pool_;
  std::vector<LookAhead*> sources_;  // of the jobs
  InstantHost host_;
  bool leaves_out_reads_;  // nothing would remember them
  JobMix mix_;
  BacklogEstimate backlog_;  // open loop: of what was carried out
  bool rested_ = false;      // before the next request
  double pace_ = 1;
};

}  // namespace flashloom
