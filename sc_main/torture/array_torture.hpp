// Power cuts without end of an array, all drives at once, timed, under random requests: cut at random and at
// adversarial instants, started again, read as a whole, and on. One a process, as each simulation.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sc_main/config/device_config.hpp"
#include "sc_main/system/simulation.hpp"
#include "sc_main/torture/drive_torture.hpp"
#include "sc_main/torture/request_history.hpp"

namespace flashloom {

struct ArrayTortureCounts {
  std::array<std::uint64_t, kArraySteps> at_step{};  ///< cuts aimed at a step of the array, that struck behind it
  std::uint64_t cuts = 0;
  std::uint64_t in_start = 0;  ///< while a start was under way
  std::uint64_t requests = 0;
  std::uint64_t media_errors = 0;  ///< requests to what an array without a journal cannot tell from garbage
  std::uint64_t sectors_checked = 0;
  std::uint64_t replayed = 0;
  std::uint64_t resynced = 0;
  std::uint64_t rebuilt = 0;
};

class ArrayTorture {
 public:
  /// Everything random comes from `seed`. `config` must be validated and have an array; verify is switched on. A drive
  /// fails, and is rebuilt, when the configuration says so.
  ArrayTorture(DeviceConfig config, std::uint64_t seed);
  ~ArrayTorture();

  /// Cuts the power `cuts` times, and reads all that was ever written after each. False: failure() tells.
  bool run(std::uint64_t cuts);
  ArrayTortureCounts counts();
  const TortureFailure& failure() const { return failure_; }

 private:
  class Source;

  static DeviceConfig prepared(DeviceConfig config, std::uint64_t seed);
  void aim();
  void struck();
  void at_step(ArrayStep step);

  DeviceConfig config_;
  Random random_;
  Simulation simulation_;
  std::unique_ptr<RequestHistory> history_;
  Source* source_ = nullptr;  // the simulation has it
  std::uint64_t cuts_wanted_ = 0;
  bool aimed_ = false;  // at a step
  ArrayStep target_ = ArrayStep::Write;
  std::uint64_t steps_left_ = 0;
  ArrayTortureCounts counts_;
  TortureFailure failure_;
};

}  // namespace flashloom
