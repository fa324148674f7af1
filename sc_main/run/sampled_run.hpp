// flashloom run --sample: windows of a run are simulated in time, the rest on the instant clock.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sc_main/options/options.hpp"
#include "sc_main/run/split_run.hpp"
#include "sc_main/sample/sample_plan.hpp"
#include "sc_main/sample/window_choice.hpp"

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
    double stands_for = 0;      ///< requests of its stratum
    std::uint64_t warm_up = 0;  ///< requests before measuring begins
    KnownWork known{};          ///< of what is measured
    bool overloaded = false;    ///< open loop: at its begin the device was further behind than its warm-up lasts
    std::optional<WindowAnswer> answer{};
  };

  /// Of a window.
  struct Place {
    std::uint64_t begin = 0;    ///< its first request
    double stands_for = 0;      ///< requests of the stratum
    std::uint64_t warm_up = 0;  ///< requests before measuring begins
    bool at_rest = true;
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
  double slow() const;  // what changes too slowly for windows to show, relative
  double bias(const std::string& path) const;
  void widen(nlohmann::ordered_json& sample) const;

  const SampleOptions& options_;
  const LoadedConfig& config_;
  Simulation& simulation_;
  std::unique_ptr<RunPass> pass_;
  std::optional<SamplePlan> plan_;
  std::uint64_t relaxation_ = 0;
  std::uint64_t requests_ = 0;  // of the run; 0: as many as come
  Picoseconds runtime_ = 0;     // of the jobs, ramp included; 0: they end with their requests
  Picoseconds ramp_ = 0;
  WindowAnswer begin_;       // of the run
  std::vector<Window> windows_;
  KnownWork before_{};                      // of the first stratum
  std::size_t pilots_ = 0;                  // first window of those that are asked whether they settle
  std::size_t of_this_length_ = 0;          // first window
  std::optional<std::size_t> steady_from_;  // part; none: pilots are under way
  bool settled_ = true;
  std::uint64_t stretch_ = 0;     // of the stratum: requests before its window, where others are left out
  std::size_t cold_windows_ = 0;  // it was too short before them
  std::optional<Calibration> calibration_;
  LeftOfBegin left_;   // in what is measured
  double absorbed_ = 0;  // what the buffer absorbs on one clock and not on the other, at most, relative to its work
  bool writes_ = false;  // jobs do, by their first requests
  std::string refused_;  // why nothing of the run was sampled
  double clock_ = 0;  // of the strata, in seconds, as the pass has it
};

}  // namespace flashloom
