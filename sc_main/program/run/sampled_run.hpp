// flashloom run --sample: simulates windows of a run on the timed clock, the rest on the instant clock.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/program/run/split_run.hpp"
#include "sc_main/program/sample/sample_plan.hpp"
#include "sc_main/program/sample/window_choice.hpp"

namespace flashloom {

class SampledRun final : public SplitRun {
 public:
  SampledRun(const SampleOptions& options, const LoadedConfig& config, Simulation& simulation)
      : options_(options), config_(config), simulation_(simulation) {}

  bool run(Workload& workload, std::uint64_t requests, RunPass::Progress progress) override;
  std::vector<HostStatistics> job_statistics() const override;
  void complete(nlohmann::ordered_json& result) const override;

 private:
  struct Window {
    std::size_t child = 0;
    double stands_for = 0;      ///< requests of its stratum that it represents
    std::uint64_t warm_up = 0;  ///< requests before measuring begins
    KnownWork known{};          ///< of the measured requests
    bool overloaded = false;    ///< open loop: the device's backlog at the begin is longer than the warm-up
    std::optional<WindowAnswer> answer{};
  };

  /// Place of a window in its stratum.
  struct Place {
    std::uint64_t begin = 0;    ///< first request
    double stands_for = 0;      ///< requests of the stratum that the window represents
    std::uint64_t warm_up = 0;  ///< requests before measuring begins
    bool at_rest = true;        ///< open loop: the device is idle at the begin
  };

  bool begin();
  bool plan_for(SamplePlan::Wishes wishes);
  bool dirty_stays() const;
  std::uint64_t least_relaxation() const;
  Place choose(std::uint64_t requests, std::uint64_t warm_up);
  void learn_pace();
  void begin_at_rest(Place& place, std::uint64_t stratum, const std::vector<float>& slack) const;
  void simulate_stratum(std::uint64_t requests);
  const WindowAnswer& answer(std::size_t window);
  void decide();
  void aim();
  double time_so_far();
  std::uint64_t requests_left();
  double runtime_scale() const;
  Calibration calibrate(KnownWork strata);
  double judge_clock(nlohmann::ordered_json& sample) const;
  double slow() const;  // relative bias by transients too slow for windows to show
  double bias(const std::string& path) const;
  void widen(nlohmann::ordered_json& sample) const;

  const SampleOptions& options_;
  const LoadedConfig& config_;
  Simulation& simulation_;
  std::unique_ptr<RunPass> pass_;
  std::optional<SamplePlan> plan_;
  std::uint64_t relaxation_ = 0;
  std::uint64_t requests_ = 0;  // of the run; 0: limited by runtime_
  Picoseconds runtime_ = 0;     // of the jobs, ramp included; 0: they end with their requests
  Picoseconds ramp_ = 0;
  WindowAnswer begin_;  // of the run's begin
  std::vector<Window> windows_;
  KnownWork before_{};                      // up to the first stratum
  std::size_t pilots_ = 0;                  // first of the windows that decide() examines next
  std::size_t of_this_length_ = 0;          // first window of the present length
  std::optional<std::size_t> steady_from_;  // first measured part; none: not yet decided
  bool settled_ = true;
  std::uint64_t stretch_ = 0;     // requests carried out before a window, if others of the stratum are left out
  std::size_t cold_windows_ = 0;  // windows for which stretch_ was too short
  std::optional<Calibration> calibration_;
  LeftOfBegin left_;     // of the initial transient, in what is measured
  double absorbed_ = 0;  // bound on the bias by what the buffer absorbs on one clock only, relative to the work
  bool writes_ = false;  // some of the jobs' first requests write
  std::string refused_;  // why the run was not sampled
  double clock_ = 0;     // duration of the strata in the pass, in seconds
};

}  // namespace flashloom
