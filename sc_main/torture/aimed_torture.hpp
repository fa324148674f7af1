// Power cuts without end of a system whose software tells the steps that it takes, timed, under random requests: cut at
// random and soon after steps, started again, read as a whole, and on. One a process, as each simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sc_main/system/simulation.hpp"
#include "sc_main/torture/drive_torture.hpp"
#include "sc_main/torture/request_history.hpp"
#include "sc_main/torture/sweeping_source.hpp"

namespace flashloom {

struct AimedTortureCounts {
  std::vector<std::uint64_t> at_step;  ///< cuts aimed at a step of the software, that struck behind it
  std::uint64_t cuts = 0;
  std::uint64_t in_start = 0;  ///< while a start was under way
  std::uint64_t requests = 0;
  std::uint64_t sectors_checked = 0;
};

class AimedTorture {
 public:
  virtual ~AimedTorture();
  AimedTorture(const AimedTorture&) = delete;
  AimedTorture& operator=(const AimedTorture&) = delete;

  /// Cuts the power `cuts` times, and reads all that was ever written after each. False: failure() tells.
  bool run(std::uint64_t cuts);
  const TortureFailure& failure() const { return failure_; }

 protected:
  /// `config` is that of config_for_cuts(), and has all that is random from its seed. `in_flight`: requests.
  AimedTorture(DeviceConfig config, std::uint32_t in_flight, std::size_t steps);

  virtual std::unique_ptr<SweepingSource> make_source(std::uint64_t seed) = 0;
  /// Aims the next cut, if at all, without a step: else it comes when Supply has drawn.
  virtual void aim_apart() = 0;
  /// Draws how many times the software is to take the step before the cut.
  virtual std::uint64_t draw_times(std::size_t step) = 0;
  /// How long after a step a cut comes at most, one of them.
  virtual std::span<const Picoseconds> delays() const = 0;
  /// When the run has ended well.
  virtual void audit() {}

  /// The software takes a step.
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
  SweepingSource* source_ = nullptr;  // the simulation has it
  bool aimed_ = false;                // at a step
  std::size_t target_ = 0;
  std::uint64_t steps_left_ = 0;
  AimedTortureCounts counts_;
};

}  // namespace flashloom
