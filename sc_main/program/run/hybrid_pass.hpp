// The pass of a tier: host, tier and HDD are simulated on the timed clock, the SSD on the instant clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controllers/host/host_observer.hpp"
#include "sc_main/program/run/run_pass.hpp"
#include "sc_main/program/sample/service_times.hpp"

namespace flashloom {

/// Commands to the SSD are carried out at once, and complete after the mean time of such commands at such a load in the
/// windows so far. A window goes on with everything in progress (queues, the arm, locks, a maintenance pass) except in
/// the SSD, which begins idle.
class HybridPass final : public RunPass, private HostObserver {
 public:
  /// See RunPass. The simulation is one with a tier.
  HybridPass(const LoadedConfig& config, Simulation& simulation, Workload& workload, Progress progress)
      : RunPass(config, simulation, workload, std::move(progress)) {}

  std::uint64_t at() const override { return completed_; }
  void carry_out_to(std::uint64_t request) override;
  KnownWork known() const override;
  bool learns() const override { return true; }
  bool warms_up() const override { return true; }
  // A tier has more auxiliary variables, and each takes more windows (Calibration).
  std::uint64_t few_windows() const override { return 20; }
  void learn(const WindowAnswer& answer) override { times_.learn(answer.cache); }
  void prepare() override;

 private:
  MeanRequest mean_request() const override;
  std::string simulate(const WindowShape& shape) override;
  void completed(const IoCommand& command, std::uint32_t job, bool measured) override;
  Picoseconds take(const BlockTransfer& command);
  void start();
  double home_work() const;

  bool started_ = false;
  ServiceTimes times_;  // of commands to the SSD
  std::uint64_t completed_ = 0;
  std::uint64_t pause_at_ = 0;    // completed requests; 0: never
  Picoseconds reads_waited_ = 0;  // sums of latencies
  Picoseconds others_waited_ = 0;
  std::uint64_t ssd_read_ = 0;  // bytes
  std::uint64_t ssd_written_ = 0;
  double home_before_ = 0;  // home_work() when the HDD's counters were last reset
};

}  // namespace flashloom
