// Repeated power cuts of a system, on the timed clock under random requests: it is cut at random times and soon after
// steps that its software reports, restarted, and read completely. One per process, like each simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sc_main/assembly/system/simulation.hpp"
#include "sc_main/verify/drive_torture.hpp"
#include "sc_main/verify/request_history.hpp"
#include "sc_main/verify/sweeping_source.hpp"

namespace flashloom {

struct AimedTortureCounts {
  std::vector<std::uint64_t> at_step;  ///< by step of the software: cuts aimed at it that struck after it
  std::uint64_t cuts = 0;
  std::uint64_t in_start = 0;  ///< cuts during a start
  std::uint64_t requests = 0;
  std::uint64_t sectors_checked = 0;
};

class AimedTorture {
 public:
  virtual ~AimedTorture();
  AimedTorture(const AimedTorture&) = delete;
  AimedTorture& operator=(const AimedTorture&) = delete;

  /// Cuts the power `cuts` times, and after each cut reads everything that was ever written. False: see failure().
  bool run(std::uint64_t cuts);
  const TortureFailure& failure() const { return failure_; }

 protected:
  /// `config`: from config_for_cuts(); its seed determines all random choices. `in_flight`: number of requests.
  AimedTorture(DeviceConfig config, std::uint32_t in_flight, std::size_t steps);

  virtual std::unique_ptr<SweepingSource> make_source(std::uint64_t seed) = 0;
  /// May aim the next cut at a time without a step; else it comes at the time that Supply has drawn.
  virtual void aim_apart() = 0;
  /// Draws how many times the software takes the step before the cut.
  virtual std::uint64_t draw_times(std::size_t step) = 0;
  /// Upper bounds, of which one is drawn, for the delay of a cut after a step.
  virtual std::span<const Picoseconds> delays() const = 0;
  /// Called at the end of a run without failure.
  virtual void audit() {}

  /// To be called when the software takes a step.
  void at_step(std::size_t step, const char* name);
  AimedTortureCounts counts();

  DeviceConfig config_;
  Random random_;
  Simulation simulation_;
  std::uint64_t cuts_wanted_ = 0;

 private:
  void aim();
  void struck();

  std::uint32_t in_flight_;
  TortureFailure failure_;
  std::unique_ptr<RequestHistory> history_;
  SweepingSource* source_ = nullptr;  // owned by the simulation
  bool aimed_ = false;                // at a step
  std::size_t target_ = 0;
  std::uint64_t steps_left_ = 0;
  AimedTortureCounts counts_;
};

}  // namespace flashloom
