// Power cuts without end of a tier: an SSD and an HDD with the software that makes one of them, timed, under random
// requests; cut at random and at adversarial instants, started again, read as a whole, and on. One a process, as each
// simulation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "sc_main/config/device_config.hpp"
#include "sc_main/system/simulation.hpp"
#include "sc_main/torture/drive_torture.hpp"
#include "sc_main/torture/request_history.hpp"

namespace flashloom {

struct PairTortureCounts {
  std::array<std::uint64_t, kTierSteps> at_step{};  ///< cuts aimed at a step of the tier, that struck behind it
  std::uint64_t cuts = 0;
  std::uint64_t in_start = 0;  ///< while a start was under way
  std::uint64_t orderly = 0;   ///< meant to come after a stop
  std::uint64_t requests = 0;
  std::uint64_t sectors_checked = 0;
  std::uint64_t passes = 0;
  std::uint64_t segments_filled = 0;
  std::uint64_t segments_written_back = 0;
};

class PairTorture {
 public:
  /// Everything random comes from `seed`. `config` must be validated and have an HDD; verify is switched on.
  PairTorture(DeviceConfig config, std::uint64_t seed);
  ~PairTorture();

  /// Cuts the power `cuts` times, and reads all that was ever written after each. False: failure() tells.
  bool run(std::uint64_t cuts);
  PairTortureCounts counts();
  const TortureFailure& failure() const { return failure_; }

 private:
  class Source;

  static DeviceConfig prepared(DeviceConfig config, std::uint64_t seed);
  void aim();
  void struck();
  void at_step(TierStep step, Segment segment);

  DeviceConfig config_;
  Random random_;
  Simulation simulation_;
  std::unique_ptr<RequestHistory> history_;
  Source* source_ = nullptr;  // the simulation has it
  std::uint64_t cuts_wanted_ = 0;
  Segment moving_ = kNoSegment;  // the last one that a step was of
  bool aimed_ = false;           // at a step
  TierStep target_ = TierStep::WriteBack;
  std::uint64_t steps_left_ = 0;
  PairTortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
