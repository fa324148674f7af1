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
#include "sc_main/sample/calibration.hpp"
#include "workloads/look_ahead.hpp"

namespace flashloom {

/// Throws UsageError, which says why, where the instant clock cannot carry out such a run. `option`: that asks for it.
void check_carried_out(const std::string& option, const DeviceConfig& config, const std::vector<HostJob>& jobs);

class InstantPass {
 public:
  using Progress = std::function<void(std::uint64_t)>;

  /// Jobs and the others outlive it. The jobs' sources are replaced by such as are read ahead.
  InstantPass(const LoadedConfig& config, Simulation& simulation, std::vector<HostJob>& jobs, Progress progress);

  /// Requests carried out so far, those included that nothing would remember and that were left out.
  std::uint64_t at() const { return mix_.taken(); }
  /// Until so many are, or the jobs have ended. Throws what the firmware throws.
  void carry_out_to(std::uint64_t request);
  /// Work of the flash up to here.
  KnownWork known() const;
  /// Shares of the jobs' requests, from what was measured of a stretch.
  void share_as_in(const WindowAnswer& answer);

  /// Simulates the next requests in time, beside this process. Returns its number.
  std::size_t fork_window(const WindowShape& shape);
  /// What it has to say; waits for it. Once. Throws SimulationFailure.
  WindowAnswer take(std::size_t window);

  /// So many requests after its begin a run should not show any more that caches were cold.
  std::uint64_t cold_start() const;
  /// After so many requests nothing should show any more that a window began with empty queues and idle dies.
  std::uint64_t relaxation() const;

 private:
  struct MeanRequest {
    double units = 0;    ///< mapping units
    double written = 0;  ///< of them
  };
  MeanRequest mean_request() const;

  const LoadedConfig& config_;
  Simulation& simulation_;
  std::vector<HostJob>& jobs_;
  Progress progress_;
  ChildPool pool_;
  std::vector<LookAhead*> sources_;  // of the jobs
  InstantHost host_;
  JobMix mix_;
};

}  // namespace flashloom
